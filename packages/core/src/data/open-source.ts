import { DataError, show } from '../errors.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { ProgressTracker } from '../progress.js';
import type { Block } from './block.js';
import { detectChanges } from './changes.js';
import { foreignAdvice } from './foreign.js';
import { type Row, RowGatherer } from './gather.js';
import { fitsFloat32 } from './matrix.js';
import { openStream } from './open-stream.js';
import type { DType, RowSource } from './row-source.js';
import { sampleRows } from './sample.js';
import { type AnyMatrix, empty, isCount, isMatrix, toBlock } from './to-block.js';

export type { DType, RowSource };

/** Everything that can be analysed. */
export type Data = readonly Row[] | AnyMatrix | RowSource | Iterable<Row | AnyMatrix> | AsyncIterable<Row | AnyMatrix>;

/** Turns data into a source; `chosen` are the columns to use of records. The caller closes the source. */
export function openSource(data: Data, progress: ProgressTracker, chosen?: readonly string[]): MaybePromise<RowSource> {
  if (typeof data !== 'object' || data === null) {
    throw new DataError(
      'BAD_DATA',
      `Data must be rows, a matrix, a sparse matrix, records or an iterable of them, not ${show(data)}.`,
      { value: data },
    );
  }
  if ('blocks' in data && typeof data.blocks === 'function') return checkSource(data as RowSource);
  const advice = data instanceof Map ? 'a Map, which yields [key, value]. Pass map.values().' : foreignAdvice(data);
  if (advice) throw new DataError('BAD_DATA', `The data are ${advice}`);
  if (Array.isArray(data)) return isMatrix(data[0]) ? openStream(data, progress, chosen) : fromRows(data, chosen);
  if (isMatrix(data)) return matrixSource(data);
  if (ArrayBuffer.isView(data)) {
    throw new DataError(
      'BAD_DATA',
      `A plain ${show(data).slice(2)} has no shape. Wrap it as a matrix: { rows, cols, data }.`,
      { value: data },
    );
  }
  if (Symbol.iterator in data || Symbol.asyncIterator in data)
    return openStream(data as Iterable<Row>, progress, chosen);
  throw new DataError(
    'BAD_DATA',
    `Data must be rows, a matrix { rows, cols, data }, or an iterable of rows, not ${show(data)}.`,
  );
}

/** A matrix is read in place, and watched from now on. */
export function matrixSource(matrix: AnyMatrix): RowSource {
  const blocks = [toBlock(matrix)];
  return fromBlocks(blocks, undefined, detectChanges(blocks));
}

/** A rereadable source of blocks in memory. */
function fromBlocks(
  blocks: readonly Block[],
  columnNames?: readonly string[],
  warnings?: RowSource['warnings'],
): RowSource {
  let rows = 0;
  let nonzeros = 0;
  for (const block of blocks) {
    rows += block.rows;
    nonzeros += block.kind === 'sparse' ? block.data.length : block.rows * block.cols;
  }
  if (rows === 0) throw empty();
  return {
    rows,
    cols: blocks[0].cols,
    dtype: blocks.every((block) => fitsFloat32(block.data)) ? 'float32' : 'float64',
    ...(blocks.every((block) => block.kind === 'sparse') ? { nonzeros } : {}),
    ...(columnNames ? { columnNames } : {}),
    rereadable: true,
    resident: true,
    blocks: () => blocks,
    ...(warnings ? { warnings } : {}),
    get sample() {
      const [first] = blocks;
      return first.kind === 'dense' ? sampleRows(first) : undefined;
    },
  };
}

/** Reads a source once and keeps copies of its rows (it may reuse its buffers), for solvers that read them again. */
export async function keepRows(source: RowSource, step: (rows: number) => void | Promise<void>): Promise<RowSource> {
  const blocks: Block[] = [];
  for await (const block of source.blocks()) {
    if (block.rows === 0) continue;
    blocks.push(
      block.kind === 'dense'
        ? { ...block, data: block.data.slice(0, (block.rows - 1) * block.stride + block.cols) }
        : { ...block, indptr: block.indptr.slice(), indices: block.indices.slice(), data: block.data.slice() },
    );
    const pause = step(block.rows);
    if (pause) await pause;
  }
  if (blocks.length === 0) throw empty();
  return fromBlocks(blocks, source.columnNames);
}

function fromRows(rows: readonly Row[], chosen?: readonly string[]): RowSource {
  if (rows.length === 0) throw empty();
  const float32 = rows.every((row) => row instanceof Float32Array);
  const gather = new RowGatherer(rows[0], { capacity: rows.length, float32, chosen });
  rows.forEach((row, i) => {
    gather.add(row, i);
  });
  return fromBlocks([gather.take()], gather.names);
}

function checkSource(source: RowSource): RowSource {
  if (!isCount(source.cols) || source.cols === 0) {
    throw new DataError('BAD_DATA', `A row source must say its number of columns, not ${show(source.cols)}.`);
  }
  return source;
}

/** A source's blocks are all as wide as it says. */
export function checkBlockWidth(block: Block, source: RowSource, row: number): void {
  if (block.cols === source.cols) return;
  throw new DataError(
    'RAGGED_ROWS',
    `The rows from ${row + 1} on have ${block.cols} columns, those before them ${source.cols}.`,
    {
      row,
      value: block.cols,
      expected: source.cols,
    },
  );
}
