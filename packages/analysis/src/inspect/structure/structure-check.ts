import type { Warning } from '@scree/core';
import type { ColumnFacts, InspectedColumns, SampledRows } from '../column-inspector.js';

/** What the checks of the structure of a table know: the inspected columns, and how the fit scales them. */
export interface StructureFacts {
  readonly read: InspectedColumns;
  /** Columns that vary, without those that number rows or hold codes of classes. */
  readonly measured: readonly ColumnFacts[];
  /** The sampled rows; undefined if single values were not inspected. */
  readonly sample: SampledRows | undefined;
}

/** A check for one kind of structure. */
export interface StructureCheck {
  readonly code: Warning['code'];
  /** The warning, if the table has the structure. */
  find(facts: StructureFacts): Omit<Warning, 'code'> | undefined;
}

/** Most columns in details, and most columns in a message. */
const MOST_LISTED = 100;
const MOST_NAMED = 5;

/** The values of a column in the sampled rows. */
export function valuesOf({ rows, cols, data }: SampledRows, column: number): Float64Array {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) values[i] = data[i * cols + column];
  return values;
}

/** The name of a column in details: its name, or its index if it has none. */
export function columnKey({ name, index }: Pick<ColumnFacts, 'name' | 'index'>): string | number {
  return name ?? index;
}

/** The name of a column in a message. */
export function titleOfColumn({ name, index }: Pick<ColumnFacts, 'name' | 'index'>): string {
  return name === undefined ? String(index + 1) : JSON.stringify(name);
}

/** The columns of details, and their number. */
export function columnDetails(columns: readonly ColumnFacts[]): { columns: (string | number)[]; count: number } {
  return { columns: columns.slice(0, MOST_LISTED).map(columnKey), count: columns.length };
}

/** "a, b and 3 more". */
export function titles(
  columns: readonly ColumnFacts[],
  title: (column: ColumnFacts) => string = titleOfColumn,
): string {
  const names = columns.slice(0, MOST_NAMED).map(title);
  if (columns.length > MOST_NAMED) names.push(`${columns.length - MOST_NAMED} more`);
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}
