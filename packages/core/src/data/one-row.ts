import { isRecord } from './gather.js';
import { isMatrix } from './to-block.js';

/** Rows to apply a model to: one row alone, numbers by position or by name, becomes a list of one. */
export function asRows<Given>(data: Given): Given | Given[] {
  if (typeof data !== 'object' || data === null || isMatrix(data)) return data;
  if (ArrayBuffer.isView(data)) return data instanceof DataView ? data : [data];
  if (Array.isArray(data)) return typeof data[0] === 'number' ? [data] : data;
  const values = isRecord(data) ? Object.values(data) : [];
  return values.length > 0 && values.every((value) => typeof value === 'number') ? [data] : data;
}

/** Whether data in memory are known to have no rows. */
export function hasNoRows(data: unknown): boolean {
  return Array.isArray(data) ? data.length === 0 : isMatrix(data) && data.rows === 0;
}
