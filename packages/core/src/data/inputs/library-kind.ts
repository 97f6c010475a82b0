import { builtInName } from '../../base/built-in-name.js';

/**
 * Recognises matrices and tables of other libraries by their methods, so that scree does not depend on these libraries. Many of
 * them are iterable, but yield columns, entries or [row, column, value]. Read as rows, they would silently give a wrong model.
 * library-data.ts reads those with a `kind`.
 */

/** Libraries whose matrices and tables can be read without conversion. */
export type LibraryKind = 'tensor' | 'polars' | 'arrow' | 'arquero' | 'danfo' | 'duckdb' | 'ndarray';

type Members = Readonly<Record<string, unknown>>;

interface LibraryObject {
  readonly name: string;
  readonly kind?: LibraryKind;
  /** The methods that identify it. */
  readonly methods: readonly string[];
  /** Further properties that identify it. */
  readonly has?: readonly string[];
  /** The expression to pass instead. */
  readonly pass: string;
}

/** The first entry that matches is used. */
const LIBRARY_OBJECTS: readonly LibraryObject[] = [
  { name: 'a TensorFlow.js tensor', kind: 'tensor', methods: ['arraySync', 'dataSync'], pass: 'tensor.arraySync()' },
  {
    name: 'a nodejs-polars DataFrame',
    kind: 'polars',
    methods: ['toRecords', 'toSeries'],
    pass: 'frame.toRecords()',
  },
  {
    name: 'a nodejs-polars LazyFrame',
    methods: ['collect', 'describePlan'],
    pass: 'await frame.collect()',
  },
  {
    name: 'an Apache Arrow table or record batch',
    kind: 'arrow',
    methods: ['getChildAt', 'toArray'],
    has: ['numRows', 'schema'],
    pass: 'table.toArray().map((row) => row.toJSON())',
  },
  { name: 'an Apache Arrow vector', methods: ['getChildAt', 'toArray'], has: ['nullCount'], pass: 'vector.toArray()' },
  { name: 'an Arquero table', kind: 'arquero', methods: ['objects', 'numRows'], pass: 'table.objects()' },
  { name: 'a Danfo.js DataFrame', kind: 'danfo', methods: ['iloc'], has: ['shape', 'values'], pass: 'frame.values' },
  {
    name: 'a DuckDB result',
    kind: 'duckdb',
    methods: ['columnNames', 'getColumnsJS'],
    pass: 'await result.getRowObjectsJS()',
  },
  { name: 'a math.js matrix', methods: ['toArray', 'size', 'valueOf'], has: ['isMatrix'], pass: 'matrix.toArray()' },
  { name: 'a NumJs array', methods: ['tolist'], has: ['shape'], pass: 'array.tolist()' },
  {
    name: 'an OpenCV.js Mat',
    methods: ['channels'],
    has: ['data32F', 'data64F'],
    pass: '{ rows: mat.rows, cols: mat.cols, data: mat.data32F }, with the array of the type that the Mat has',
  },
  {
    name: 'a sparse matrix of ml-sparse-matrix',
    methods: ['getNonZeros'],
    has: ['rows', 'columns'],
    pass: 'a sparse matrix { rows, cols, indptr, indices, data }, or matrix.to2DArray()',
  },
  {
    name: 'an ndarray',
    kind: 'ndarray',
    methods: ['get'],
    has: ['shape', 'data', 'offset'],
    pass: '{ rows: array.shape[0], cols: array.shape[1], data } with its numbers row by row in a typed array',
  },
];

/**
 * Returns true for a matrix in a plain object without functions, which most matrices are. Data frames may be proxies of plain
 * objects, but their `rows` is not a number.
 */
function isPlainMatrix(value: Members): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype || typeof value.rows !== 'number') return false;
  for (const name in value) if (typeof value[name] === 'function') return false;
  return true;
}

function findLibrary(value: object): LibraryObject | undefined {
  const members = value as Members;
  if (Array.isArray(value) || isPlainMatrix(members)) return undefined;
  return LIBRARY_OBJECTS.find(
    ({ methods, has = [] }) =>
      methods.every((name) => typeof members[name] === 'function') && has.every((name) => name in value),
  );
}

/** The library of a matrix or table, if it can be read without conversion. */
export function libraryKind(value: object): LibraryKind | undefined {
  return findLibrary(value)?.kind;
}

/** For data of other libraries: describes the value, and names the value to pass, as the end of a sentence. */
export function libraryAdvice(value: object): string | undefined {
  const found = findLibrary(value);
  return found && `${found.name}, which is not read as it is. Pass ${found.pass}.`;
}

/** Returns true for an instance of Node's class of bytes, which often has the bytes of numbers of another type. */
export function isBuffer(value: unknown): boolean {
  return builtInName(value) === 'Uint8Array' && (value as Uint8Array).constructor.name !== 'Uint8Array';
}
