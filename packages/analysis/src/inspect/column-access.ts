import type { Matrix, NumberArray } from '@scree/core';

/** Facts about a column before its values are read. */
export interface AccessColumn {
  readonly name: string;
  readonly kind: 'number' | 'text' | 'other';
  /** The number of missing values. */
  readonly missing: number;
  /** True if it can be fitted. */
  readonly usable: boolean;
  /** True if the file declares that it numbers the rows. */
  readonly index?: boolean;
}

/** A table whose columns can be read one by one, each as often as needed. */
export interface ColumnAccess {
  readonly rows: number;
  readonly columns: readonly AccessColumn[];
  /** True if the columns have names; otherwise `name` is a number. */
  readonly named: boolean;
  /** The numbers of a column, with NaN for missing values; undefined if the column holds no numbers. */
  numbers(column: number): ((row: number) => number) | undefined;
  /** A column as text, with null for missing values. */
  texts(column: number): Promise<readonly (string | null)[]>;
  /** Columns of numbers without missing values, as a matrix. */
  matrix(columns: readonly number[]): Promise<Matrix<NumberArray>>;
}

/** Most cells of text that are read by default. Each column of text is read from the file. */
const MOST_TEXTS = 5e6;

/** The columns of text that are read by default. */
export function textsToRead({ columns, rows }: ColumnAccess): readonly number[] {
  const texts = columns.flatMap(({ kind }, column) => (kind === 'text' ? [column] : []));
  return texts.slice(0, Math.max(1, Math.floor(MOST_TEXTS / rows)));
}
