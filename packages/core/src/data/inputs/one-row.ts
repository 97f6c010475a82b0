import { foreignKind } from './foreign.js';
import { isRecord } from './gather.js';
import { isMatrix } from './to-block.js';

/**
 * Rows to apply a model to: one row alone, numbers by position or by name, becomes a list of one. `names` are the columns that are
 * needed: a record may have others too.
 */
export function asRows<Given>(data: Given, names?: readonly string[]): Given | Given[] {
  if (typeof data !== 'object' || data === null || isMatrix(data)) return data;
  if (Array.isArray(data)) return data.length > 0 && data.every(isCell) ? [data] : data;
  if (ArrayBuffer.isView(data)) return 'length' in data ? [data] : data;
  return isOneRecord(data, names) ? [data] : data;
}

/** A record of values, and not columns of them or a source of rows. */
function isOneRecord(data: object, names: readonly string[] = []): boolean {
  if (!isRecord(data) || foreignKind(data)) return false;
  const record = data as Readonly<Record<string, unknown>>;
  if (typeof record.blocks === 'function' || typeof record.batches === 'function') return false;
  const values = Object.values(record);
  return (values.length > 0 && values.every(isCell)) || names.some((name) => name in record && isCell(record[name]));
}

/** One value of a row, or a missing one. */
function isCell(value: unknown): boolean {
  return (typeof value !== 'object' && typeof value !== 'function') || value === null;
}

/** Whether data in memory are known to have no rows. */
export function hasNoRows(data: unknown): boolean {
  return Array.isArray(data) ? data.length === 0 : isMatrix(data) && data.rows === 0;
}
