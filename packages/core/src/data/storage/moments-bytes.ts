import { LARGEST_SQUARE } from '../../base/limits.js';
import { describeValue, ModelError } from '../../errors.js';
import type { ColumnStatistics } from '../statistics/statistics.js';
import { crc32 } from './crc32.js';
import { readerOf } from './format-version.js';

/**
 * Moments as bytes, little-endian and exact to the last bit, so that a long pass can continue after an interruption:
 *
 * | bytes         | content                                                                  |
 * |---------------|--------------------------------------------------------------------------|
 * | 0–7           | "SCREEMOM"                                                               |
 * | 8–11, 12–15   | version and length of the header, uint32                                 |
 * | 16–…          | header: JSON (UTF-8) of all but the arrays                               |
 * | multiple of 8 | mean, unit, spread, min, max, meanRest (d each), scatter (d × d), float64 |
 * | last 4        | CRC-32 of everything before                                              |
 *
 * Version 1 has no meanRest.
 */
const MAGIC = 'SCREEMOM';
/** The version that is written. */
const VERSION = 2;
/** One reader per format version. None is ever removed. */
const READERS: Readonly<Record<number, (bytes: Uint8Array) => StoredMoments>> = {
  1: (bytes) => readMoments(bytes, COLUMNS.slice(0, 5)),
  2: (bytes) => readMoments(bytes, COLUMNS),
};
const COLUMNS = ['mean', 'unit', 'spread', 'min', 'max', 'meanRest'] as const;

/** The complete state of moments. */
export interface StoredMoments {
  readonly cols: number;
  readonly columnNames: readonly string[] | undefined;
  readonly columns: ColumnStatistics;
  readonly scatter: Float64Array;
  /** True if the data were float32. The field is named `single` in files. */
  readonly float32: boolean;
  readonly sparse: boolean;
  readonly merges: number;
  readonly read: number;
}

export function momentsToBytes(moments: StoredMoments): Uint8Array {
  const { columns, scatter, cols, columnNames, float32: single, sparse, merges, read } = moments;
  const { rows, weight, inflation, restUnknown } = columns;
  const facts = { cols, columnNames, single, sparse, merges, read, rows, weight, inflation, restUnknown };
  const header = new TextEncoder().encode(JSON.stringify(facts));
  const start = Math.ceil((16 + header.length) / 8) * 8;
  const bytes = new Uint8Array(start + 8 * (COLUMNS.length * moments.cols + scatter.length) + 4);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(MAGIC));
  view.setUint32(8, VERSION, true);
  view.setUint32(12, header.length, true);
  bytes.set(header, 16);
  let at = start;
  for (const values of [...COLUMNS.map((name) => columns[name]), scatter]) {
    for (let i = 0; i < values.length; i++, at += 8) view.setFloat64(at, values[i], true);
  }
  view.setUint32(at, crc32(bytes.subarray(0, at)), true);
  return bytes;
}

/** Reads the bytes that `momentsToBytes` returns. Nothing is trusted before it is checked. */
export function momentsFromBytes(bytes: Uint8Array): StoredMoments {
  const name = new TextDecoder('latin1').decode(bytes.subarray(0, 8));
  if (name !== MAGIC)
    throw new ModelError('BAD_MODEL', `These bytes are not moments: they begin with ${describeValue(name)}.`);
  if (bytes.length < 24) throw cutOff(bytes);
  const version = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(8, true);
  return readerOf(READERS, version, 'The moments have')(bytes);
}

function readMoments(bytes: Uint8Array, stored: readonly (typeof COLUMNS)[number][]): StoredMoments {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const changed = new ModelError('MODEL_CHANGED', 'The moments were changed or damaged after they were written.');
  const start = Math.ceil((16 + view.getUint32(12, true)) / 8) * 8;
  if (bytes.length < start + 4) throw cutOff(bytes);
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(16, 16 + view.getUint32(12, true))),
    );
  } catch {
    throw changed;
  }
  const cols = header?.cols;
  if (typeof cols !== 'number' || !Number.isSafeInteger(cols) || cols < 1 || cols > LARGEST_SQUARE) throw changed;
  const end = start + 8 * (stored.length * cols + cols * cols);
  if (bytes.length < end + 4) throw cutOff(bytes);
  if (bytes.length > end + 4 || view.getUint32(end, true) !== crc32(bytes.subarray(0, end))) throw changed;
  if (!isHeader(header, cols)) throw changed;
  let at = start;
  const take = (length: number): Float64Array =>
    Float64Array.from({ length }, () => {
      at += 8;
      return view.getFloat64(at - 8, true);
    });
  const [mean, unit, spread, min, max, meanRest] = stored.map(() => take(cols));
  const { rows, weight, inflation, columnNames, single, sparse, merges, read } = header as Record<string, never>;
  // An unknown rest stays unknown after merges.
  const restUnknown = meanRest === undefined || header.restUnknown === true;
  const columns = {
    ...{ rows, weight, inflation, mean, unit, spread, min, max },
    meanRest: meanRest ?? new Float64Array(cols),
    ...(restUnknown ? { restUnknown } : {}),
  };
  return { cols, columnNames, columns, scatter: take(cols * cols), float32: single, sparse, merges, read };
}

function cutOff({ length }: Uint8Array): ModelError {
  return new ModelError('MODEL_TRUNCATED', `The moments end after ${length} bytes, in the middle.`);
}

/** Returns true if a header is valid. The checksum detects damage, but not a forged header. */
function isHeader(
  { rows, weight, inflation, columnNames, single, sparse, merges, read }: Record<string, unknown>,
  cols: number,
): boolean {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isAmount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
  const isName = (value: unknown): boolean => typeof value === 'string';
  return (
    [rows, merges, read].every(isCount) &&
    [weight, inflation].every(isAmount) &&
    [single, sparse].every((flag) => typeof flag === 'boolean') &&
    (columnNames === undefined ||
      (Array.isArray(columnNames) && columnNames.length === cols && columnNames.every(isName)))
  );
}
