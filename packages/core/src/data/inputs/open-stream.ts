import { builtInName, isFloat32Array } from '../../base/built-in-name.js';
import type { ProgressTracker } from '../../base/progress.js';
import { DataError } from '../../errors.js';
import type { Warning } from '../../warning.js';
import type { Block } from '../blocks/block.js';
import type { GapReading } from '../blocks/gap.js';
import { fitsFloat32 } from '../blocks/matrix.js';
import type { RowSource } from '../blocks/row-source.js';
import { CorrelationMatrixCheck } from '../statistics/correlation-matrix.js';
import { libraryKind } from './library-kind.js';
import { mergeWarnings } from './merge-warnings.js';
import { LeftOutColumns, NumericColumns, numericColumnNames } from './numeric-columns.js';
import { isRecord, type Row, RowGatherer, ragged } from './row-gatherer.js';
import { type AnyMatrix, empty, isMatrix, toBlock } from './to-block.js';

type Stream = Iterable<unknown> | AsyncIterable<unknown>;

/** Number of items between two yields to the event loop. */
const ITEMS_PER_YIELD = 256;

/** The facts about the columns that are found while the rows are read. */
interface StreamFacts {
  names?: readonly string[];
  readonly leftOut: LeftOutColumns;
  /** The warnings of each table. */
  readonly warnings: (readonly Warning[])[];
}

/**
 * Opens a stream of rows or blocks as a source that can be read once. Reads the first block, because the width is known only
 * after that. The caller closes the source, also after an error. Closing it ends the iterator of the stream.
 */
export async function openStream(
  stream: Stream,
  progress: ProgressTracker,
  wanted?: readonly string[],
  numericOnly = false,
  gaps: GapReading = false,
): Promise<RowSource> {
  const found: StreamFacts = { leftOut: new LeftOutColumns(), warnings: [] };
  const blocks = gatherBlocks(items(stream, progress), found, wanted, isWebStream(stream), numericOnly, gaps);
  const first = await blocks.next();
  if (first.done) throw empty();
  let used = false;
  const correlations = new CorrelationMatrixCheck(first.value.cols);
  return {
    cols: first.value.cols,
    dtype: fitsFloat32(first.value.data) ? 'float32' : 'float64',
    ...(found.names ? { columnNames: found.names } : {}),
    rereadable: false,
    resident: false,
    async *blocks() {
      if (used)
        throw new DataError('SOURCE_CHANGED', 'This stream was read already and cannot be read again. Pass a new one.');
      used = true;
      correlations.add(first.value);
      yield first.value;
      for await (const block of blocks) {
        correlations.add(block);
        yield block;
      }
    },
    warnings: () => [
      ...found.leftOut.warnings(),
      ...mergeWarnings(found.warnings, undefined),
      ...correlations.warnings(),
    ],
    async close() {
      await blocks.return();
    },
  };
}

/** Returns true for promises, including those of another realm or library. */
function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>>).then === 'function';
}

/** Yields the items of a stream. Aborts while it waits for an item, and yields to the event loop between items. */
export async function* items(stream: Stream, progress: ProgressTracker): AsyncGenerator<unknown, void, void> {
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : (stream as Iterable<unknown>)[Symbol.iterator]();
  let open = true;
  try {
    for (let taken = 1; ; taken++) {
      const next = iterator.next();
      const result = isPromise(next) ? await progress.orAbort(next) : next;
      if (result.done) {
        open = false;
        return;
      }
      yield result.value;
      if (taken % ITEMS_PER_YIELD === 0) await progress.yieldToEventLoop();
    }
  } catch (error) {
    // An iterator that threw is finished. After an abort, the iterator must still be closed.
    open = progress.aborted;
    throw error;
  } finally {
    if (open) {
      // Not awaited after an abort, because a stream that hangs in next() hangs in return() too.
      const closing = Promise.resolve(iterator.return?.());
      if (progress.aborted) closing.catch(() => {});
      else await closing;
    }
  }
}

/** Yields blocks of rows and matrices. Rows are gathered until a block is full. */
async function* gatherBlocks(
  stream: AsyncIterable<unknown>,
  found: StreamFacts,
  wanted: readonly string[] | undefined,
  web: boolean,
  numericOnly: boolean,
  gaps: GapReading,
): AsyncGenerator<Block, void, void> {
  let gather: RowGatherer | undefined;
  let columns: NumericColumns | undefined;
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
    if (web && builtInName(item) === 'Uint8Array') {
      throw new DataError(
        'BAD_DATA',
        'This ReadableStream yields bytes (Uint8Array), which are parts of a file and not rows. Read files with openFile or openBlob; for rows of bytes, yield Float32Array.from(bytes).',
      );
    }
    const kind = typeof item === 'object' && item !== null ? libraryKind(item) : undefined;
    if (kind && item) {
      // For example a record batch of an Arrow stream.
      if (gather?.size) yield gather.take();
      const [{ readLibraryData: readForeign }, { rowsFromColumns }] = await Promise.all([
        import('./library-data.js'),
        import('./open-columns.js'),
      ]);
      const read = await readForeign(kind, item);
      if ('columns' in read && read.columns[0]?.length === 0) continue;
      const used =
        'columns' in read && numericOnly && !wanted
          ? numericColumnNames(read, found.leftOut, found.names, seen)
          : (wanted ?? found.names);
      const table = 'columns' in read ? rowsFromColumns(read, found.names ?? used, gaps) : undefined;
      if (table) {
        found.names = table.names;
        if (table.warnings.length > 0) found.warnings.push(table.warnings);
      }
      const block = toBlock(table?.matrix ?? (read as AnyMatrix));
      cols ??= block.cols;
      if (block.cols !== cols) throw ragged(seen, block.cols, cols);
      seen += block.rows;
      yield block;
      continue;
    }
    const row = item as Row;
    const float32 = isFloat32Array(row);
    if (gather?.float32 && !float32) {
      // A row that float32 cannot store begins a float64 block.
      if (gather.size) yield gather.take();
      gather = undefined;
    }
    if (numericOnly && !wanted && isRecord(row)) {
      columns ??= new NumericColumns(row, seen, found.names, found.leftOut, gaps);
      columns.check(row);
      if (columns.names.length === 0) throw columns.noNumbers();
    }
    const options = { float32, chosen: wanted ?? columns?.names, names: found.names, row: seen, gaps };
    gather ??= new RowGatherer(row, options);
    if (cols !== undefined && gather.cols !== cols) throw ragged(seen, gather.cols, cols);
    cols = gather.cols;
    if (gather.names) found.names = gather.names;
    if (gather.full) yield gather.take();
    gather.add(row, seen++);
  }
  if (gather?.size) yield gather.take();
}

/** Returns true for streams of the web platform, such as the body of a response. */
function isWebStream(stream: Stream): boolean {
  return builtInName(stream) === 'ReadableStream';
}
