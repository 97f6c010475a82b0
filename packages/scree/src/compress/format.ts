import { OptionError } from '@scree/core';
import type { StoredType } from '../disk/stored-type.js';
import type { Quantiser } from './quantise.js';
import type { ModelMetadata } from './stored-model.js';

/**
 * The file, little-endian:
 *
 * | bytes   | content                                                                                |
 * |---------|----------------------------------------------------------------------------------------|
 * | 0–7     | "SCREEZIP"                                                                             |
 * | 8–11    | version, uint32                                                                        |
 * | section | header: JSON, deflated                                                                 |
 * | section | model (stored-model.ts)                                                                |
 * | section | a block of rows: scales (4·k bytes; none for `uniform`), scores (integers.ts), and so on |
 * | section | list: rows, RMS and relative error (float64), then rows and bytes of each block (uint32) |
 * | last 12 | length of the list, uint32, and "SCREEEND"                                             |
 *
 * A section is its length and CRC-32, both uint32, and its bytes. A file that was cut off lacks the mark at its end,
 * so it is rejected as soon as it is opened.
 */
export const MAGIC = 'SCREEZIP';
export const END = 'SCREEEND';
/** The version that is written. Readers of all versions are in open-compressed.ts. */
export const VERSION = 1;
export const START = 12;
export const TAIL = 12;
/** Bytes of the list before its entries for the blocks. */
export const LIST_HEAD = 24;
/** Largest header that is read: enough for a million columns with names of 100 bytes. */
export const LARGEST_HEADER = 1 << 27;

export interface Header {
  readonly format: 'scree-compressed';
  readonly cols: number;
  readonly k: number;
  readonly dtype: StoredType;
  readonly quantise: Quantiser;
  /** The step of `uniform`; 0 for the others. */
  readonly step: number;
  readonly columnNames?: readonly string[];
  readonly model: ModelMetadata;
}

/** Most scores, and most decoded numbers, of a block. Limits the memory that reading takes. */
const MAX_SCORES = 1 << 20;
const NUMBERS = 1 << 21;
const ROWS = 1 << 16;

/** Rows of every block but the last: fewer than usual if the decoded numbers of a block may take only `bytes`. */
export function rowsPerBlock(k: number, d: number, bytes = Number.POSITIVE_INFINITY): number {
  const numbers = Math.min(NUMBERS, Math.floor(bytes / 8));
  return Math.max(1, Math.min(ROWS, Math.floor(MAX_SCORES / k), Math.floor(numbers / d)));
}

/** The length of a larger section would not fit in its header. */
const LARGEST_SECTION = 2 ** 31;

export function checkSection(bytes: number, what: string): void {
  if (bytes < LARGEST_SECTION) return;
  throw new OptionError(
    'TOO_LARGE',
    `${what} takes ${bytes} bytes, and ${LARGEST_SECTION} is the most. Use fewer components.`,
  );
}
