import type { DType, RowSource, Warning } from '@scree/core';
import type { Block, DenseBlock } from '@scree/core/data';
import type { Missing } from '../options.js';

/** What a column holds, as far as PCA cares. */
export type ColumnKind = 'number' | 'text' | 'other';

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The type in the format's own words: "int16", "VARCHAR", "row index". */
  readonly type: string;
  /** Whether it numbers the rows: then it is analysed only if it is named in `columns`. */
  readonly index?: boolean | undefined;
  /** Whether the file's folder says it, year=2024, and not the file: then it is analysed only if it is named in `columns`. */
  readonly partition?: boolean | undefined;
  /** Of a column of text: the share of its values that are numbers, in the beginning of the file, where it is a fifth or more. */
  readonly numericShare?: number | undefined;
}

/** What is read of a table: numbers by the places of their columns, in this order, and one column as text. */
export interface Request {
  readonly numbers: readonly number[] | 'all';
  readonly text?: number | undefined;
  /** Further columns as text, none of them among the numbers; only for tables that say `manyTexts`. */
  readonly texts?: readonly number[] | undefined;
}

/** Some rows: their numbers (missing ones are NaN), and their texts where these were asked for. */
export interface Batch {
  readonly block: Block;
  readonly text?: readonly (string | null)[] | undefined;
  readonly texts?: readonly (readonly (string | null)[])[] | undefined;
}

/** Some rows of a table that is not sparse. */
export interface DenseBatch extends Batch {
  readonly block: DenseBlock;
}

/** Rows that a cluster computes with: numbers by the places of their columns, and what to do about missing values. */
export interface RemoteRequest {
  readonly numbers: readonly number[];
  readonly missing: Missing;
  /** What fills gaps; the column means, if it is left out. */
  readonly fill?: ArrayLike<number> | undefined;
  /** Called when all rows were summed up; throws where they cannot be used. */
  onRead(read: RemoteReading): void;
}

/** What was read on a cluster. */
export interface RemoteReading {
  /** Rows of the table, those of them that miss values, and those that are left. */
  readonly read: number;
  readonly incomplete: number;
  readonly rows: number;
  /** Missing and infinite values of each column; infinite ones only of rows that are left. */
  readonly gaps: Float64Array;
  readonly infinite: Float64Array;
}

/**
 * A file as columns, whatever its format: numbers come in blocks, and whatever a reader's format, what is chosen of
 * it, left out or filled in is decided in one place, `TableFile`.
 */
export interface Table {
  /** The format, for people: "CSV, gzip". */
  readonly format: string;
  readonly columns: readonly Column[];
  /** How many columns there are. */
  readonly width: number;
  /** Whether the names are the file's own; otherwise they are numbers from 0 up. */
  readonly named: boolean;
  /** Whether all columns are numbers of one type, as in an array: then there may be very many, and they are not listed. */
  readonly uniform: boolean;
  readonly rows: number | undefined;
  /** Of a table in several files whose rows are not known: about how many there are, as far as can be told now. */
  expectedRows?(): number | undefined;
  /** Stored entries, where rows are sparse. */
  readonly nonzeros?: number | undefined;
  /** Type of a block of these columns. */
  dtype(numbers: readonly number[] | 'all'): DType;
  /** Whether a number may be missing at all. */
  readonly mayMissValues: boolean;
  /** Whether rows are searched for missing values before they are handed on; those of arrays core finds, at full speed. */
  readonly checkMissing: boolean;
  readonly rereadable: boolean;
  /** Whether one reading gives several columns as text: formats that are read from front to back. */
  readonly manyTexts?: boolean | undefined;
  /** What the shape was before it became rows and columns: [60000, 28, 28]. */
  readonly shape?: readonly number[] | undefined;
  read(request: Request): AsyncIterable<Batch>;
  /** Of a table on a cluster: its rows there, for the engine that computes there. */
  remote?(request: RemoteRequest): RowSource['remote'];
  /** Of a table in several files: the file of a row, and its row there, counted from 0. */
  locate?(row: number): { readonly path: string; readonly row: number } | undefined;
  /** Asked after the last reading: what the user should know of how the rows were read. */
  warnings?(): readonly Warning[] | Promise<readonly Warning[]>;
  close(): Promise<void>;
}

/** The table, with more to close. */
export function withClose(table: Table, close: () => Promise<void>): Table {
  // Not a copy: its columns are created only when they are needed, and there may be very many.
  return Object.create(table, {
    close: {
      value: async () => {
        try {
          await table.close();
        } finally {
          await close();
        }
      },
    },
  }) as Table;
}

/** Bytes of a block of rows: enough to amortise a pass, few enough that two stay in the processor's cache. */
const BLOCK_BYTES = 8 << 20;
/** Rows worth a pass even where they are wide: sums over a block cost d² to join. */
const WIDE_ROWS = 1024;

/** How many rows of so many bytes go into a block when there is so much memory. */
export function blockRows(
  rowBytes: number,
  memory: number,
  rows = Number.POSITIVE_INFINITY,
  bytes = BLOCK_BYTES,
): number {
  const most = Math.max(1 << 16, Math.floor(memory / 16));
  const wanted = Math.max(Math.min(bytes, most), Math.min(most, WIDE_ROWS * rowBytes));
  return Math.max(1, Math.min(Math.max(1, rows), Math.floor(wanted / Math.max(1, rowBytes))));
}

/** What a short text takes in memory: by this the rows of a batch with texts are counted before they are read. */
export const TEXT_BYTES = 64;
/** Texts of a batch take this part of the memory, and so much at most: what is in use for long leaves V8 with more garbage. */
const [TEXT_SHARE, TEXTS_MOST] = [256, 4 << 20];
/** What a text takes besides its characters. */
const TEXT_HEAD = 32;

/**
 * Counts the texts of a batch against the memory. Where texts are long, the batch ends early: several batches are in memory at once,
 * and twice where a thread sends them.
 */
export class TextBudget {
  readonly #most: number;
  #taken = 0;

  constructor(memory: number) {
    this.#most = Math.max(1 << 16, Math.min(TEXTS_MOST, Math.floor(memory / TEXT_SHARE)));
  }

  add(text: string | null): void {
    if (text !== null) this.#taken += TEXT_HEAD + text.length;
  }

  /** Whether the batch must end. */
  get spent(): boolean {
    return this.#taken >= this.#most;
  }

  /** Begins the next batch. */
  renew(): void {
    this.#taken = 0;
  }
}
