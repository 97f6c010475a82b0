import { DataError, show } from '../errors.js';
import type { Block, DenseBlock } from './block.js';
import { type CsrMatrix, canonicalCsr } from './csr.js';
import { type Row, RowGatherer, ragged } from './gather.js';
import type { FloatArray, IntegerArray, Matrix } from './matrix.js';

export type DType = 'float32' | 'float64';

/** Everything that can be analysed. */
export type Data = readonly Row[] | AnyMatrix | RowSource | Iterable<Row | AnyMatrix> | AsyncIterable<Row | AnyMatrix>;

type AnyMatrix = Matrix<FloatArray | IntegerArray> | CsrMatrix;

/** Rows in blocks, left to right and never back: what all data becomes before anything reads it. */
export interface RowSource {
  /** How many rows; undefined when nobody knows before the end. */
  readonly rows?: number;
  readonly cols: number;
  readonly dtype: DType;
  /** Stored entries of sparse data; undefined for dense. */
  readonly nonzeros?: number;
  readonly columnNames?: readonly string[];
  /** Whether `blocks()` may be called again and yields the same rows. */
  readonly rewindable: boolean;
  /** Whether the blocks stay in memory between passes anyway, so that an engine may keep what it loaded of them. */
  readonly resident: boolean;
  blocks(): Iterable<Block> | AsyncIterable<Block>;
}

/** Turns data into a source. Streams are read up to their first block, because their width is known only then. */
export async function openSource(data: Data, wanted?: readonly string[]): Promise<RowSource> {
  if (typeof data !== 'object' || data === null) {
    throw new DataError(
      'BAD_DATA',
      `Data must be rows, a matrix, a sparse matrix, records or an iterable of them, not ${show(data)}.`,
      { value: data },
    );
  }
  if ('blocks' in data && typeof data.blocks === 'function') return checkSource(data as RowSource);
  if (Array.isArray(data)) {
    const first = data[0];
    if (first !== undefined && (isMatrix(first) || isCsr(first))) return openStream(data);
    return fromRows(data as readonly Row[], wanted);
  }
  if (isCsr(data)) return fromBlocks([sparseBlock(data)]);
  if (isMatrix(data)) return fromBlocks([denseBlock(data)]);
  if (Symbol.iterator in data || Symbol.asyncIterator in data) {
    if (ArrayBuffer.isView(data)) {
      throw new DataError(
        'BAD_DATA',
        `A plain ${show(data).slice(2)} has no shape. Wrap it as a matrix: { rows, cols, data }.`,
        { value: data },
      );
    }
    return openStream(data as Iterable<unknown> | AsyncIterable<unknown>, wanted);
  }
  throw new DataError(
    'BAD_DATA',
    'rows' in data && 'cols' in data && 'data' in data
      ? `A matrix keeps its numbers in a typed array, but data is ${show(data.data)}. Use Float64Array.from(…), or pass rows.`
      : `Data must be rows, a matrix { rows, cols, data }, or an iterable of rows, not ${show(data)}.`,
  );
}

/** A rewindable source of blocks in memory. */
export function fromBlocks(blocks: readonly Block[], columnNames?: readonly string[]): RowSource {
  const cols = blocks[0].cols;
  let rows = 0;
  let nonzeros = 0;
  for (const block of blocks) {
    rows += block.rows;
    nonzeros += block.kind === 'sparse' ? block.data.length : block.rows * block.cols;
  }
  if (rows === 0) throw empty();
  return {
    rows,
    cols,
    dtype: blocks.every((block) => block.data instanceof Float32Array) ? 'float32' : 'float64',
    ...(blocks.every((block) => block.kind === 'sparse') ? { nonzeros } : {}),
    ...(columnNames ? { columnNames } : {}),
    rewindable: true,
    resident: true,
    blocks: () => blocks,
  };
}

/** Reads a source once and keeps its rows, for solvers that need to see them again. */
export async function keepRows(source: RowSource, step: (rows: number) => void | Promise<void>): Promise<RowSource> {
  const blocks: Block[] = [];
  for await (const block of source.blocks()) {
    if (block.rows === 0) continue;
    blocks.push(block);
    const pause = step(block.rows);
    if (pause) await pause;
  }
  if (blocks.length === 0) throw empty();
  return fromBlocks(blocks, source.columnNames);
}

function fromRows(rows: readonly Row[], wanted?: readonly string[]): RowSource {
  if (rows.length === 0) throw empty();
  const gather = new RowGatherer(
    rows[0],
    rows.length,
    rows.every((row) => row instanceof Float32Array),
    wanted,
  );
  for (const row of rows) gather.add(row);
  return fromBlocks([gather.take()], gather.names);
}

async function openStream(
  stream: Iterable<unknown> | AsyncIterable<unknown>,
  wanted?: readonly string[],
): Promise<RowSource> {
  const names: { found?: readonly string[] } = {};
  const blocks = gatherBlocks(stream, names, wanted);
  const first = await blocks.next();
  if (first.done) throw empty();
  let used = false;
  return {
    cols: first.value.cols,
    dtype: first.value.data instanceof Float32Array ? 'float32' : 'float64',
    ...(names.found ? { columnNames: names.found } : {}),
    rewindable: false,
    resident: false,
    blocks: () => {
      if (used)
        throw new DataError('SOURCE_CHANGED', 'This stream was read already and cannot be read again. Pass a new one.');
      used = true;
      return (async function* () {
        yield first.value;
        yield* blocks;
      })();
    },
  };
}

/** Rows and blocks from a stream, as blocks: rows are gathered until they are worth a pass. */
async function* gatherBlocks(
  stream: Iterable<unknown> | AsyncIterable<unknown>,
  names: { found?: readonly string[] },
  wanted?: readonly string[],
): AsyncGenerator<Block, void, void> {
  let gather: RowGatherer | undefined;
  let cols: number | undefined;
  let seen = 0;
  const check = (block: Block): Block => {
    cols ??= block.cols;
    if (block.cols !== cols) throw ragged(seen, block.cols, cols);
    seen += block.rows;
    return block;
  };
  for await (const item of stream) {
    if (isCsr(item) || isMatrix(item)) {
      if (gather?.size) yield gather.take();
      const block = check(isCsr(item) ? sparseBlock(item) : denseBlock(item));
      if (block.rows > 0) yield block;
      continue;
    }
    const row = item as Row;
    if (!gather) {
      gather = new RowGatherer(row, 0, row instanceof Float32Array, wanted, seen);
      if (cols !== undefined && gather.cols !== cols) throw ragged(seen, gather.cols, cols);
      cols = gather.cols;
      if (gather.names) names.found = gather.names;
    }
    if (gather.full) yield gather.take();
    gather.row = seen;
    gather.add(row);
    seen++;
  }
  if (gather?.size) yield gather.take();
}

function denseBlock(source: Matrix<FloatArray | IntegerArray>): DenseBlock {
  const { rows, cols } = source;
  const stride = source.stride ?? cols;
  const shape = `A matrix of ${show(rows)} × ${show(cols)} with stride ${show(stride)}`;
  if (!isCount(rows) || !isCount(cols) || !isCount(stride)) {
    throw new DataError('BAD_DATA', `${shape} is impossible: rows, cols and stride must be whole numbers from 0 up.`);
  }
  if (rows === 0 || cols === 0) throw empty();
  if (stride < cols) throw new DataError('BAD_DATA', `${shape} is impossible: stride must be at least cols.`);
  const needed = (rows - 1) * stride + cols;
  if (source.data.length < needed) {
    throw new DataError('BAD_DATA', `${shape} needs ${needed} numbers, but data has ${source.data.length}.`, {
      value: source.data.length,
      expected: needed,
    });
  }
  return { kind: 'dense', rows, cols, stride, data: floats(source.data) };
}

function sparseBlock(source: CsrMatrix): Block {
  if (!isCount(source.rows) || !isCount(source.cols)) {
    throw new DataError('BAD_SPARSE', `A sparse matrix of ${show(source.rows)} × ${show(source.cols)} is impossible.`);
  }
  if (source.rows === 0 || source.cols === 0) throw empty();
  return { kind: 'sparse', ...canonicalCsr({ ...source, data: floats(source.data) }) };
}

/** Float arrays as they are; integers as the narrowest float that holds each of them exactly. */
function floats(data: FloatArray | IntegerArray): FloatArray {
  if (data instanceof Float64Array || data instanceof Float32Array) return data;
  const narrow = data.BYTES_PER_ELEMENT <= 2;
  return narrow ? Float32Array.from(data) : Float64Array.from(data);
}

function checkSource(source: RowSource): RowSource {
  if (!isCount(source.cols) || source.cols === 0) {
    throw new DataError('BAD_DATA', `A row source must say its number of columns, not ${show(source.cols)}.`);
  }
  return source;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isMatrix(value: unknown): value is Matrix {
  return (
    typeof value === 'object' &&
    value !== null &&
    'rows' in value &&
    'cols' in value &&
    'data' in value &&
    ArrayBuffer.isView(value.data)
  );
}

function isCsr(value: unknown): value is CsrMatrix {
  return typeof value === 'object' && value !== null && 'indptr' in value && 'indices' in value && 'data' in value;
}

function empty(): DataError {
  return new DataError('EMPTY_DATA', 'There are no rows. PCA needs at least two rows of at least one number each.');
}
