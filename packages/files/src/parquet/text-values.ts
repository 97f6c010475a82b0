import { textOf } from '../bytes/text.js';
import type { SchemaElement } from './footer.js';
import { decimalOf } from './schema.js';
import { bigEndian, half } from './values.js';

const DAY = 86_400;
/** The Julian day of 1970-01-01. */
const EPOCH = 2_440_588n;

/** A value as it is stored. */
export type StoredValue = number | bigint | Uint8Array;

/** How the values of a column are shown as text. */
export function textFormat(element: SchemaElement): (value: StoredValue) => string | null {
  const { type, converted, logical } = element;
  if (converted === 'DECIMAL' || logical?.name === 'DECIMAL') {
    const { scale } = decimalOf(element);
    return (value) => decimalText(value instanceof Uint8Array ? bigEndian(value) : BigInt(value), scale);
  }
  if (converted === 'DATE' || logical?.name === 'DATE') return (value) => dateText(Number(value) * DAY);
  if (logical?.name === 'TIMESTAMP' || converted?.startsWith('TIMESTAMP')) {
    const units = BigInt(logical?.units ?? (converted === 'TIMESTAMP_MILLIS' ? 1e3 : 1e6));
    const zone = logical?.utc === false ? '' : '+00';
    return (value) => `${momentText(BigInt(value as number | bigint), units)}${zone}`;
  }
  if (logical?.name === 'TIME' || converted?.startsWith('TIME_')) {
    const units = BigInt(logical?.units ?? (converted === 'TIME_MILLIS' ? 1e3 : 1e6));
    return (value) => timeText(BigInt(value as number | bigint), units);
  }
  if (type === 'INT96') {
    return (value) => {
      const bytes = value as Uint8Array;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const days = BigInt(view.getUint32(8, true)) - EPOCH;
      return momentText(days * BigInt(DAY) * 1_000_000_000n + view.getBigInt64(0, true), 1_000_000_000n);
    };
  }
  if (type === 'INT32' || type === 'INT64') {
    const bits = type === 'INT32' ? 32 : 64;
    const unsigned = converted?.startsWith('UINT') || (logical?.name === 'INTEGER' && !logical.signed);
    return (value) => String(unsigned ? BigInt.asUintN(bits, BigInt(value as number | bigint)) : value);
  }
  if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') {
    if (logical?.name === 'UUID') return (value) => uuidText(value as Uint8Array);
    if (logical?.name === 'FLOAT16') return (value) => numberText(half(value as Uint8Array));
    return (value) => textOf(value as Uint8Array);
  }
  return (value) => numberText(value as number);
}

function numberText(value: number): string | null {
  return Number.isNaN(value) ? null : String(value);
}

function uuidText(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The day of so many seconds since 1970. Beyond what a Date holds, the number itself. */
function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace(/T.*/, '');
}

function momentText(value: bigint, units: bigint): string {
  const day = units * BigInt(DAY);
  const time = ((value % day) + day) % day;
  return `${dateText(Number((value - time) / units))} ${timeText(time, units)}`;
}

/** Hours, minutes, seconds, and a fraction of as few digits as it has. */
function timeText(value: bigint, units: bigint): string {
  const seconds = Number(value / units);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const fraction = String(value % units)
    .padStart(String(units).length - 1, '0')
    .replace(/0+$/, '');
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${fraction && `.${fraction}`}`;
}
