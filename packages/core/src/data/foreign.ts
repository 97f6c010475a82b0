/**
 * Matrices and tables of other libraries, recognised by their methods, so that scree depends on none of those libraries. Many of them
 * are iterable, but yield columns, entries or [row, column, value]: read as rows, they would give a wrong model in silence.
 */

type Members = Readonly<Record<string, unknown>>;

interface Foreign {
  readonly name: string;
  /** Methods that it has. */
  readonly methods: readonly string[];
  /** Other properties that it has. */
  readonly has?: readonly string[];
  /** What to pass instead. */
  readonly pass: string;
}

/** The first that matches counts. */
const FOREIGN: readonly Foreign[] = [
  { name: 'a TensorFlow.js tensor', methods: ['arraySync', 'dataSync'], pass: 'tensor.arraySync()' },
  { name: 'a nodejs-polars DataFrame', methods: ['toRecords', 'toSeries'], pass: 'frame.toRecords()' },
  {
    name: 'an Apache Arrow table or record batch',
    methods: ['getChildAt', 'toArray'],
    has: ['numRows', 'schema'],
    pass: 'table.toArray().map((row) => row.toJSON())',
  },
  { name: 'an Apache Arrow vector', methods: ['getChildAt', 'toArray'], has: ['nullCount'], pass: 'vector.toArray()' },
  { name: 'an Arquero table', methods: ['objects', 'numRows'], pass: 'table.objects()' },
  { name: 'a Danfo.js DataFrame', methods: ['iloc'], has: ['shape', 'values'], pass: 'frame.values' },
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
    methods: ['get'],
    has: ['shape', 'data', 'offset'],
    pass: '{ rows: array.shape[0], cols: array.shape[1], data } with its numbers row by row in a typed array',
  },
];

/** For matrices, tables and rows of other libraries that are not supported: what the value is, and what to pass instead. */
export function foreignAdvice(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const members = value as Members;
  const found = FOREIGN.find(
    ({ methods, has = [] }) =>
      methods.every((name) => typeof members[name] === 'function') && has.every((name) => name in value),
  );
  return found && `${found.name}, which is not read as it is. Pass ${found.pass}.`;
}

/** Whether these are bytes of Node, a class of its own: often they hold numbers of another type. */
export function isBuffer(value: unknown): boolean {
  return value instanceof Uint8Array && Object.getPrototypeOf(value) !== Uint8Array.prototype;
}
