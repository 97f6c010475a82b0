import { builtInName } from '../../base/built-in-name.js';
import type { ProgressTracker } from '../../base/progress.js';
import { DataError, describeValue } from '../../errors.js';
import type { Block } from '../blocks/block.js';
import type { GapReading } from '../blocks/gap.js';
import type { RowSource } from '../blocks/row-source.js';
import { libraryAdvice } from './library-advice.js';
import type { LibraryData } from './library-data.js';
import { libraryKind } from './library-kind.js';
import { MemorySource, matrixSource, rowsSource } from './memory-source.js';
import { isRecord, type Row } from './row-gatherer.js';
import { type AnyMatrix, empty, isCount, isMatrix } from './to-block.js';

/** All forms of data that can be analysed. */
export type Data =
  | readonly Row[]
  | AnyMatrix
  | RowSource
  | NumberColumns
  | LibraryData
  | Iterable<Row | AnyMatrix | LibraryData>
  | AsyncIterable<Row | AnyMatrix | LibraryData>;

/** Columns of numbers by name: `{ height: Float64Array, weight: [60, 70] }`. */
export type NumberColumns = Readonly<Record<string, ArrayLike<number> | ArrayLike<bigint>>>;

/**
 * Converts data to a source of rows. Synchronous for rows and matrices in memory. `chosen` are the columns of records and tables
 * to use, and `numericOnly` leaves out columns without numbers. With `gaps`, missing values become NaN; otherwise they are errors. The
 * caller closes the source.
 */
export function openSource(
  data: Data,
  progress: ProgressTracker,
  chosen?: readonly string[],
  numericOnly = false,
  gaps: GapReading = false,
): RowSource | Promise<RowSource> {
  if (typeof data !== 'object' || data === null) {
    throw new DataError(
      'BAD_DATA',
      `Data must be rows, a matrix, a sparse matrix, records or an iterable of them, not ${describeValue(data)}.${typeof data === 'string' ? ' Files are opened by openFile of the package scree.' : ''}`,
      { value: data },
    );
  }
  if ('blocks' in data && typeof data.blocks === 'function') return checkSource(data as RowSource);
  const kind = libraryKind(data);
  if (kind || isColumns(data)) return openColumns(data, kind, chosen, numericOnly, gaps);
  const advice = adviceFor(data);
  if (advice) throw new DataError('BAD_DATA', `The data are ${advice}`);
  if (Array.isArray(data)) {
    const stream = isMatrix(data[0]) || (typeof data[0] === 'object' && data[0] !== null && libraryKind(data[0]));
    return stream ? openLater(data, progress, chosen, numericOnly, gaps) : fromRows(data, chosen, numericOnly, gaps);
  }
  if (isMatrix(data)) return matrixSource(data);
  if (ArrayBuffer.isView(data)) {
    throw new DataError(
      'BAD_DATA',
      `A plain ${describeValue(data).slice(2)} has no shape. Wrap it as a matrix: { rows, cols, data }.`,
      { value: data },
    );
  }
  if (Symbol.iterator in data || Symbol.asyncIterator in data)
    return openLater(data as Iterable<Row>, progress, chosen, numericOnly, gaps);
  throw new DataError(
    'BAD_DATA',
    `Data must be rows, columns { name: numbers }, a matrix { rows, cols, data }, or an iterable of rows, not ${describeValue(data)}.`,
  );
}

/** For objects with data in an unsupported form: describes the object, and names the value to pass. */
function adviceFor(data: object): string | undefined {
  const name = builtInName(data);
  if (name === 'Map') return 'a Map, which yields [key, value]. Pass map.values().';
  if (name === 'Promise') return 'a promise. Pass await data.';
  if (name === 'Blob' || name === 'File') return 'a file. Open it with openBlob of @scree/files, and pass file.source.';
  return libraryAdvice(data);
}

/** Opens a stream. Its code is loaded on demand. */
const openLater: typeof import('./open-stream.js').openStream = async (...stream) =>
  (await import('./open-stream.js')).openStream(...stream);

/** Reads a source once, and returns a source of its rows in memory. The rows are copied, because the source may reuse its buffers. */
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
  return new MemorySource(blocks, source.columnNames);
}

/** Returns true for columns by name: an object whose values are all lists. */
function isColumns(data: object): boolean {
  if (Symbol.iterator in data || Symbol.asyncIterator in data || isMatrix(data)) return false;
  const values = Object.values(data);
  return values.length > 0 && values.every((value) => Array.isArray(value) || isTypedArray(value));
}

function isTypedArray(value: unknown): boolean {
  return ArrayBuffer.isView(value) && builtInName(value) !== 'DataView';
}

/** Opens a matrix or table of another library, or columns by name. The code is loaded on demand. */
const openColumns: typeof import('./open-columns.js').openColumns = async (...columns) =>
  (await import('./open-columns.js')).openColumns(...columns);

function fromRows(
  rows: readonly Row[],
  chosen: readonly string[] | undefined,
  numericOnly: boolean,
  gaps: GapReading,
): RowSource | Promise<RowSource> {
  if (rows.length === 0) throw empty();
  if (chosen || !numericOnly || !isRecord(rows[0])) return rowsSource(rows, chosen, undefined, gaps);
  return import('./numeric-columns.js').then(({ numericSource }) => numericSource(rows, gaps));
}

function checkSource(source: RowSource): RowSource {
  if (!isCount(source.cols) || source.cols === 0) {
    throw new DataError('BAD_DATA', `A row source must say its number of columns, not ${describeValue(source.cols)}.`);
  }
  return source;
}
