import { builtInName } from '../../base/built-in-name.js';

/**
 * Recognises matrices and tables of other libraries by their methods, so that scree does not depend on these libraries. Many of
 * them are iterable, but yield columns, entries or [row, column, value]. Read as rows, they would silently give a wrong model.
 * library-data.ts reads those with a `kind`.
 */

/** Libraries whose matrices and tables can be read without conversion. */
export type LibraryKind = 'tensor' | 'polars' | 'arrow' | 'arquero' | 'danfo' | 'duckdb' | 'ndarray';

type Members = Readonly<Record<string, unknown>>;

/** What identifies an object of another library. */
interface LibraryObject {
  readonly name: LibraryObjectName;
  readonly kind?: LibraryKind;
  /** The methods that identify it. */
  readonly methods: readonly string[];
  /** Further properties that identify it. */
  readonly has?: readonly string[];
}

/** How messages call an object of another library. `library-advice.ts` has what to pass instead. */
export type LibraryObjectName =
  | 'a TensorFlow.js tensor'
  | 'a nodejs-polars DataFrame'
  | 'a nodejs-polars LazyFrame'
  | 'an Apache Arrow table or record batch'
  | 'an Apache Arrow vector'
  | 'an Arquero table'
  | 'a Danfo.js DataFrame'
  | 'a DuckDB result'
  | 'a math.js matrix'
  | 'a NumJs array'
  | 'an OpenCV.js Mat'
  | 'a sparse matrix of ml-sparse-matrix'
  | 'an ndarray';

/** The first entry that matches is used. */
const LIBRARY_OBJECTS: readonly LibraryObject[] = [
  { name: 'a TensorFlow.js tensor', kind: 'tensor', methods: ['arraySync', 'dataSync'] },
  { name: 'a nodejs-polars DataFrame', kind: 'polars', methods: ['toRecords', 'toSeries'] },
  { name: 'a nodejs-polars LazyFrame', methods: ['collect', 'describePlan'] },
  {
    name: 'an Apache Arrow table or record batch',
    kind: 'arrow',
    methods: ['getChildAt', 'toArray'],
    has: ['numRows', 'schema'],
  },
  { name: 'an Apache Arrow vector', methods: ['getChildAt', 'toArray'], has: ['nullCount'] },
  { name: 'an Arquero table', kind: 'arquero', methods: ['objects', 'numRows'] },
  { name: 'a Danfo.js DataFrame', kind: 'danfo', methods: ['iloc'], has: ['shape', 'values'] },
  { name: 'a DuckDB result', kind: 'duckdb', methods: ['columnNames', 'getColumnsJS'] },
  { name: 'a math.js matrix', methods: ['toArray', 'size', 'valueOf'], has: ['isMatrix'] },
  { name: 'a NumJs array', methods: ['tolist'], has: ['shape'] },
  { name: 'an OpenCV.js Mat', methods: ['channels'], has: ['data32F', 'data64F'] },
  { name: 'a sparse matrix of ml-sparse-matrix', methods: ['getNonZeros'], has: ['rows', 'columns'] },
  { name: 'an ndarray', kind: 'ndarray', methods: ['get'], has: ['shape', 'data', 'offset'] },
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

/** What is known of a matrix or table of another library. */
export function findLibraryObject(value: object): LibraryObject | undefined {
  const members = value as Members;
  if (Array.isArray(value) || isPlainMatrix(members)) return undefined;
  return LIBRARY_OBJECTS.find(
    ({ methods, has = [] }) =>
      methods.every((name) => typeof members[name] === 'function') && has.every((name) => name in value),
  );
}

/** The library of a matrix or table, if it can be read without conversion. */
export function libraryKind(value: object): LibraryKind | undefined {
  return findLibraryObject(value)?.kind;
}

/** Returns true for an instance of Node's class of bytes, which often has the bytes of numbers of another type. */
export function isBuffer(value: unknown): boolean {
  return builtInName(value) === 'Uint8Array' && (value as Uint8Array).constructor.name !== 'Uint8Array';
}
