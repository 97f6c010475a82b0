import { describeValue, ModelError } from '../../errors.js';
import { crc32 } from './crc32.js';

/**
 * Writes arrays of bytes and a header, little-endian:
 *
 * | bytes         | content                                                              |
 * |---------------|----------------------------------------------------------------------|
 * | 0–7           | eight letters that name the format                                   |
 * | 8–11, 12–15   | version and length of the header, uint32                             |
 * | 16–…          | header: JSON (UTF-8); `sections` are the lengths of the arrays       |
 * | multiples of 8 | the arrays                                                          |
 * | last 4        | CRC-32 of everything before                                          |
 */
export function writeContainer(
  letters: string,
  version: number,
  header: object,
  sections: readonly Uint8Array[],
): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify({ ...header, sections: sections.map(({ length }) => length) }));
  const starts = startsOf(
    16 + text.length,
    sections.map(({ length }) => length),
  );
  const end = starts[sections.length];
  const bytes = new Uint8Array(end + 4);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(letters));
  view.setUint32(8, version, true);
  view.setUint32(12, text.length, true);
  bytes.set(text, 16);
  sections.forEach((section, i) => {
    bytes.set(section, starts[i]);
  });
  view.setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
}

/** The offset of each array, and the end of the last one. */
function startsOf(first: number, lengths: readonly number[]): number[] {
  const starts: number[] = [];
  let at = first;
  for (const length of lengths) {
    at = Math.ceil(at / 8) * 8;
    starts.push(at);
    at += length;
  }
  return [...starts, at];
}

export interface ContainerHeader {
  readonly version: number;
  readonly header: Readonly<Record<string, unknown>>;
  /** Size of the container in bytes. */
  readonly size: number;
}

/** Reads the header from the first bytes. Returns the number of bytes that are `needed` if there are too few. */
export function readContainerHeader(
  bytes: Uint8Array,
  letters: string,
  what: string,
): ContainerHeader | { needed: number } {
  const name = new TextDecoder('latin1').decode(bytes.subarray(0, 8));
  if (name !== letters.slice(0, name.length) || bytes.length === 0)
    throw new ModelError('BAD_MODEL', `This is not a ${what}: it begins with ${describeValue(name)}.`);
  if (bytes.length < 16) return { needed: 16 };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(12, true);
  if (bytes.length < 16 + length) return { needed: 16 + length };
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(16, 16 + length)));
  } catch {
    throw damaged(what);
  }
  const lengths = header?.sections;
  if (!Array.isArray(lengths) || !lengths.every((each) => Number.isSafeInteger(each) && each >= 0)) throw damaged(what);
  const starts = startsOf(16 + length, lengths);
  return { version: view.getUint32(8, true), header, size: starts[lengths.length] + 4 };
}

/** Checks the checksum and returns the arrays. */
export function readSections(bytes: Uint8Array, { header, size }: ContainerHeader, what: string): Uint8Array[] {
  if (bytes.length < size) throw cutOff(bytes.length, what);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length > size || view.getUint32(size - 4, true) !== crc32(bytes.subarray(0, size - 4))) throw damaged(what);
  const lengths = header.sections as readonly number[];
  const starts = startsOf(16 + view.getUint32(12, true), lengths);
  return lengths.map((length, i) => bytes.subarray(starts[i], starts[i] + length));
}

/** The error for bytes that end too early. */
export function cutOff(length: number, what: string): ModelError {
  return new ModelError('MODEL_TRUNCATED', `The ${what} ends after ${length} bytes, in the middle.`);
}

/** The error for bytes whose checksum is wrong. */
export function damaged(what: string): ModelError {
  return new ModelError('MODEL_CHANGED', `The ${what} was changed or damaged after it was written.`);
}
