import type { Encoding, PcaOptions, RowSource } from '@scree/core';
import type { Block, Table } from '@scree/core/data';
import type { LeftOut } from './column-roles.js';
import type { EncodeFileOptions } from './file-view.js';
import type { KeptColumns } from './kept-columns.js';
import type { LabelOptions, Labels } from './labels.js';

/** Counts of missing values. */
export interface MissingValues {
  readonly rows: number;
  /** Number of rows with a missing value. */
  readonly incomplete: number;
  /** The first such row, from 0. */
  readonly first: number | undefined;
  /** The columns with missing values, in their order. */
  readonly columns: readonly { readonly name: string; readonly count: number }[];
}

/** Rows with their labels; null for a row without a label. */
export interface LabelledBlock {
  readonly block: Block;
  readonly labels: readonly (string | null)[];
}

/** Rows with their names, supplementary columns, groups and categories. */
export interface SupplementaryBlock {
  readonly block: Block;
  /** The numbers of the rows in the file, from 0. */
  readonly places: readonly number[];
  /** The names of the rows, if a column names them and is not analysed. */
  readonly names: readonly (string | null)[] | undefined;
  /** The supplementary columns, packed; NaN if a value is missing. */
  readonly columns: Float64Array;
  /** One list of labels per column of groups; null for a row without a label. */
  readonly groups: readonly (readonly (string | null)[])[];
  /** One list of texts per category, in the order of the file; null if a value is missing. */
  readonly categories: readonly (readonly (string | null)[])[];
}

/** A file opened for analysis. Close it when nothing more is read of it. */
export interface DataFile {
  /** The rows; reading or closing it does not close the file. */
  readonly source: RowSource;
  /** The rows with their categories, for `mca`, `famd` and `mfa`; gaps are passed on. Like `source`, it does not close the file. */
  readonly table: Table;
  /** The supplementary columns, and the groups as text. Like `source`, it does not close the file. */
  readonly supplementaryTable: Table;
  /** How the table became the columns of `source`, if it was encoded. */
  readonly coding: Encoding | undefined;
  /** Options with which PCA of `source` is the method that the encoding was made for. */
  readonly fit: Pick<PcaOptions, 'k' | 'scale' | 'ddof'> | undefined;
  /** Names of the analysed columns, in their order; numbers from 0 if the file has no names. */
  readonly columns: readonly string[];
  /** Names of the columns that are categories, in the order of the file. */
  readonly categories: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** The column that names the rows. */
  readonly label: string | undefined;
  /** The column that colours the rows. */
  readonly color: string | undefined;
  readonly weight: string | undefined;
  /** Names of the supplementary columns, and of the columns of groups. */
  readonly supplementary: readonly string[];
  readonly groups: readonly string[];
  /** The rows that were chosen as supplementary, as a file of their own. It is closed with this one. */
  readonly supplementaryRows: DataFile | undefined;
  readonly format: string;
  /** Size of the file, if it is known. */
  readonly bytes: number | undefined;
  /** Number of rows of the source, if it is known: before or after the first reading. */
  readonly rows: number | undefined;
  /** All dimensions of an array: [60000, 28, 28] for MNIST's images. */
  readonly shape: readonly number[] | undefined;
  /** Rows that were left out because values are missing, once the source was read. */
  readonly dropped: number;
  /** The rows, each with its name, in one reading. */
  labelled(): AsyncIterable<LabelledBlock>;
  /** The rows with their numbers in the file, names, supplementary columns and groups, in one reading. A block is valid until the next one is read. */
  withSupplementary(): AsyncIterable<SupplementaryBlock>;
  /** Every column of the file beside the analysed ones, with the option `keep`. */
  readonly kept: KeptColumns | undefined;
  /** The same file with its columns encoded: categories, transforms, residuals. It is closed with this one. */
  encode(coding: Encoding, options?: EncodeFileOptions): DataFile;
  /** The name or the colour of every row, or of some: codes of two or four bytes, however long the texts are. */
  labels(options?: LabelOptions): Promise<Labels>;
  /** One weight per row, as `pca` takes them; undefined when no column was chosen for it. */
  weights(): Promise<Float64Array | undefined>;
  /** Counts missing values (empty, NA, NaN) of the columns used, in one reading. */
  countMissing(): Promise<MissingValues>;
  /** The numbers of rows of the source in the file, from 0. They differ if rows before were left out. */
  rowsInFile(rows: readonly number[]): Promise<number[]>;
  /**
   * The same error with more facts. Arrays are not searched for missing values before they are analysed, so the analysis finds the
   * first one; this method makes it the error of the other formats, with columns and counts, by one more reading. A row in the
   * error is a row of the file, even if rows before it were dropped.
   */
  explain(error: unknown): Promise<unknown>;
  /** One line for people: format, shape, what is left out. */
  describe(): string;
  close(): Promise<void>;
}
