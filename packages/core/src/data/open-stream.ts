import { DataError } from '../errors.js';
import type { ProgressTracker } from '../progress.js';
import type { Block } from './block.js';
import { foreignKind } from './foreign.js';
import { type Row, RowGatherer, ragged } from './gather.js';
import { fitsFloat32 } from './matrix.js';
import type { RowSource } from './row-source.js';
import { type AnyMatrix, empty, isMatrix, toBlock } from './to-block.js';

type Stream = Iterable<unknown> | AsyncIterable<unknown>;

/** Items taken from a stream between two progress steps. */
const LOOK = 256;

/**
 * A stream of rows or blocks as a source that can be read once. It is read up to its first block, because its width is
 * known only then. The caller closes it, also after errors, and closing ends the iterator of the stream.
 */
export async function openStream(
  stream: Stream,
  progress: ProgressTracker,
  wanted?: readonly string[],
  numericOnly = false,
): Promise<RowSource> {
  const names: { found?: readonly string[] } = {};
  const blocks = gatherBlocks(items(stream, progress), names, wanted, isWebStream(stream), numericOnly);
  const first = await blocks.next();
  if (first.done) throw empty();
  let used = false;
  return {
    cols: first.value.cols,
    dtype: fitsFloat32(first.value.data) ? 'float32' : 'float64',
    ...(names.found ? { columnNames: names.found } : {}),
    rereadable: false,
    resident: false,
    async *blocks() {
      if (used)
        throw new DataError('SOURCE_CHANGED', 'This stream was read already and cannot be read again. Pass a new one.');
      used = true;
      yield first.value;
      yield* blocks;
    },
    async close() {
      await blocks.return();
    },
  };
}

/** The stream's items, with the signal heard while waiting for each and the event loop turning between them. */
export async function* items(stream: Stream, progress: ProgressTracker): AsyncGenerator<unknown, void, void> {
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : (stream as Iterable<unknown>)[Symbol.iterator]();
  let open = true;
  try {
    for (let taken = 1; ; taken++) {
      const next = iterator.next();
      const result = next instanceof Promise ? await progress.orAbort(next) : next;
      if (result.done) {
        open = false;
        return;
      }
      yield result.value;
      if (taken % LOOK === 0) await progress.yieldToEventLoop();
    }
  } catch (error) {
    // An iterator that threw is done; one that is no longer awaited must still be closed.
    open = progress.aborted;
    throw error;
  } finally {
    if (open) {
      // Not awaited after an abort: a stream that hangs in next() hangs in return() too.
      const closing = Promise.resolve(iterator.return?.());
      if (progress.aborted) closing.catch(() => {});
      else await closing;
    }
  }
}

/** Rows and matrices as blocks: rows are gathered until there are enough for a block. */
async function* gatherBlocks(
  stream: AsyncIterable<unknown>,
  names: { found?: readonly string[] },
  wanted: readonly string[] | undefined,
  web: boolean,
  numericOnly: boolean,
): AsyncGenerator<Block, void, void> {
  let gather: RowGatherer | undefined;
  let cols: number | undefined;
  let seen = 0;
  for await (const item of stream) {
    if (isMatrix(item)) {
      if (gather?.size) yield gather.take();
      if (item.rows === 0) continue;
      const block = toBlock(item);
      cols ??= block.cols;
      if (block.cols !== cols) throw ragged(seen, block.cols, cols);
      seen += block.rows;
      yield block;
      continue;
    }
    if (web && item instanceof Uint8Array) {
      throw new DataError(
        'BAD_DATA',
        'This ReadableStream yields bytes (Uint8Array), which are parts of a file and not rows. Read files with openFile or openBlob; for rows of bytes, yield Float32Array.from(bytes).',
      );
    }
    const kind = typeof item === 'object' && item !== null ? foreignKind(item) : undefined;
    if (kind && item) {
      // For example the record batches of an Arrow stream.
      if (gather?.size) yield gather.take();
      const [{ readForeign }, { rowsFromColumns }] = await Promise.all([
        import('./foreign-data.js'),
        import('./column-data.js'),
      ]);
      const read = await readForeign(kind, item);
      const table = 'columns' in read ? rowsFromColumns(read, wanted ?? names.found, numericOnly) : undefined;
      if (table?.matrix.rows === 0) continue;
      if (table) names.found = table.names;
      const block = toBlock(table?.matrix ?? (read as AnyMatrix));
      cols ??= block.cols;
      if (block.cols !== cols) throw ragged(seen, block.cols, cols);
      seen += block.rows;
      yield block;
      continue;
    }
    const row = item as Row;
    const float32 = row instanceof Float32Array;
    if (gather?.float32 && !float32) {
      // A row that float32 cannot hold starts a block that can.
      if (gather.size) yield gather.take();
      gather = undefined;
    }
    gather ??= new RowGatherer(row, { float32, chosen: wanted, names: names.found, numericOnly, row: seen });
    if (cols !== undefined && gather.cols !== cols) throw ragged(seen, gather.cols, cols);
    cols = gather.cols;
    if (gather.names) names.found = gather.names;
    if (gather.full) yield gather.take();
    gather.add(row, seen++);
  }
  if (gather?.size) yield gather.take();
}

/** Whether it is a stream of the web platform, such as the body of a response. */
function isWebStream(stream: Stream): boolean {
  return typeof ReadableStream === 'function' && stream instanceof ReadableStream;
}
