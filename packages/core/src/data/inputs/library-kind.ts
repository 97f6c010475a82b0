import { builtInName } from '../../base/built-in-name.js';

/**
 * Matrices and tables of other libraries, recognised by their methods, so that scree depends on none of those libraries. Many of them
 * are iterable, but yield columns, entries or [row, column, value]: read as rows, they would give a wrong model in silence. Those with
 * a `kind` are read by library-data.ts; as rows of other data, none is.
 */

/** Libraries whose matrices and tables are read as they are. */
export type LibraryKind = 'tensor' | 'polars' | 'arrow' | 'arquero' | 'danfo' | 'duckdb' | 'ndarray';

type Members = Readonly<Record<string, unknown>>;

interface LibraryObject {
  readonly name: string;
  readonly kind?: LibraryKind;
  /** Methods that it has. */
  readonly methods: readonly string[];
  /** Other properties that it has. */
  readonly has?: readonly string[];
  /** What to pass instead. */
  readonly pass: string;
}

/** The first that matches counts. */
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

/** Whether this is a matrix in a plain object without a function, as most are. Data frames may be proxies of plain objects; their `rows` are no number. */
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

/** Which library's matrix or table this is, of those that are read as they are. */
export function libraryKind(value: object): LibraryKind | undefined {
  return findLibrary(value)?.kind;
}

/** For matrices, tables and rows of other libraries that are not read here: what the value is, and what to pass instead. */
export function libraryAdvice(value: object): string | undefined {
  const found = findLibrary(value);
  return found && `${found.name}, which is not read as it is. Pass ${found.pass}.`;
}

/** Whether these are bytes of Node, a class of its own: often they hold numbers of another type. */
export function isBuffer(value: unknown): boolean {
  return builtInName(value) === 'Uint8Array' && (value as Uint8Array).constructor.name !== 'Uint8Array';
}
