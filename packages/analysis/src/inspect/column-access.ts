import type { Matrix, NumberArray } from '@scree/core';

/** What is known of a column before its values are read. */
export interface AccessColumn {
  readonly name: string;
  readonly kind: 'number' | 'text' | 'other';
  /** How many numbers are missing. */
  readonly missing: number;
  /** Whether it can be fitted. */
  readonly usable: boolean;
  /** Whether the file says that it numbers the rows. */
  readonly index?: boolean;
}

/** A table whose columns can be read one by one, each as often as needed. */
export interface ColumnAccess {
  readonly rows: number;
  readonly columns: readonly AccessColumn[];
  /** Whether the columns have names of their own; otherwise `name` is a number. */
  readonly named: boolean;
  /** The numbers of a column, NaN where one is missing; undefined if the column holds no numbers. */
  numbers(column: number): ((row: number) => number) | undefined;
  /** A column as text; null where a value is missing. */
  texts(column: number): Promise<readonly (string | null)[]>;
  /** Columns of numbers, none of which misses a value, as a matrix. */
  matrix(columns: readonly number[]): Promise<Matrix<NumberArray>>;
}

/** Cells of text that are read without being asked for: each column of text is read from the file. */
const MOST_TEXTS = 5e6;

/** The columns of text that are read to choose among them. */
export function textsToRead({ columns, rows }: ColumnAccess): readonly number[] {
  const texts = columns.flatMap(({ kind }, column) => (kind === 'text' ? [column] : []));
  return texts.slice(0, Math.max(1, Math.floor(MOST_TEXTS / rows)));
}
