import type { PcaOptions } from '@scree/core';
import { ProgressTracker } from '@scree/core/pipeline';
import { CATEGORY_COLOURS } from '../describe/palette.js';
import { type ColumnAccess, textsToRead } from '../inspect/column-access.js';
import type { ColumnFacts } from '../inspect/column-inspector.js';

/** Fewest rows per group on average, and in the two largest groups. */
const ROWS_PER_GROUP = 3;
/** Most rows and columns on which separation is measured, spread evenly. */
const SAMPLED_ROWS = 2000;
const SAMPLED_COLUMNS = 100;
/** Most groups, because there are no more colours. */
const MAX_GROUPS = CATEGORY_COLOURS.length;
/** Least adjusted share of numbers that are not known to be codes of groups. */
const MIN_SHARE_OF_NUMBERS = 0.1;

/** A column of groups, and the share of the variance of the standardised columns that lies between its groups. */
export interface ColourColumn {
  readonly column: number;
  readonly groups: number;
  readonly share: number;
}

/** A column of groups: the group of each sampled row, or −1. */
interface Candidate {
  readonly column: number;
  readonly groups: number;
  readonly codes: Int32Array;
}

/**
 * The best column to colour the points. Candidates have 2 to 10 groups, of 3 rows or more on average: columns of text, and whole
 * numbers that look like codes of classes. If none of them separates, other columns with few whole numbers are candidates, unless half
 * of the columns are like that, as in a questionnaire.
 *
 * The candidate that separates the rows most is chosen. R² is the share of the variance of the other standardised columns that lies
 * between the groups. The adjusted 1 − (1 − R²)(n − 1)/(n − groups) is 0 on average for meaningless groups. It must be above 0, and at
 * least 0.1 for numbers that are not known to be codes.
 */
export async function bestColour(
  table: ColumnAccess,
  measured: readonly ColumnFacts[],
  codes: ReadonlySet<number>,
  control: Pick<PcaOptions, 'signal' | 'onProgress'>,
): Promise<ColourColumn | undefined> {
  const rows = spread(table.rows, SAMPLED_ROWS);
  const numbers = spread(measured.length, SAMPLED_COLUMNS).map((at) => ({
    column: measured[at].index,
    values: valuesOf(table, measured[at].index, rows),
  }));
  const progress = new ProgressTracker(control);
  const best = async (columns: readonly number[]): Promise<(ColourColumn & { adjusted: number }) | undefined> => {
    let found: (ColourColumn & { adjusted: number }) | undefined;
    for (const column of columns) {
      const candidate = await candidateFrom(table, column, rows);
      await progress.yieldToEventLoop();
      if (!candidate) continue;
      const each = separation(candidate, numbers);
      if (each && each.adjusted > (found?.adjusted ?? 0)) found = each;
    }
    return found;
  };
  const known = await best([...textsToRead(table), ...codes].sort((a, b) => a - b));
  if (known) return { column: known.column, groups: known.groups, share: known.share };
  const few = measured.filter(({ integers, levels }) => integers && levels && levels.length <= MAX_GROUPS);
  const other = 2 * few.length < measured.length ? await best(few.map(({ index }) => index)) : undefined;
  if (!other || other.adjusted < MIN_SHARE_OF_NUMBERS) return undefined;
  return { column: other.column, groups: other.groups, share: other.share };
}

/** Up to `most` evenly spread indexes below `count`. */
function spread(count: number, most: number): number[] {
  const some = Math.min(count, most);
  return Array.from({ length: some }, (_, i) => Math.floor((i * count) / some));
}

function valuesOf(table: ColumnAccess, column: number, rows: readonly number[]): Float64Array {
  const at = table.numbers(column);
  return Float64Array.from(rows, (row) => at?.(row) ?? Number.NaN);
}

/** The groups of a column, if their number and sizes are suitable. */
async function candidateFrom(
  table: ColumnAccess,
  column: number,
  rows: readonly number[],
): Promise<Candidate | undefined> {
  const at = table.numbers(column);
  const texts = at ? undefined : await table.texts(column);
  const groups = new Map<string | number, number>();
  const sizes: number[] = [];
  let present = 0;
  for (let i = 0; i < table.rows; i++) {
    const value = groupOf(i);
    if (value === null) continue;
    present++;
    const group = groups.get(value) ?? groups.size;
    if (group === MAX_GROUPS) return undefined;
    groups.set(value, group);
    sizes[group] = (sizes[group] ?? 0) + 1;
  }
  const [, second = 0] = sizes.sort((a, b) => b - a);
  if (second < ROWS_PER_GROUP || present < ROWS_PER_GROUP * groups.size || 2 * present < table.rows) return undefined;
  const codes = Int32Array.from(rows, (row) => {
    const value = groupOf(row);
    return value === null ? -1 : (groups.get(value) as number);
  });
  return { column, groups: groups.size, codes };

  function groupOf(row: number): string | number | null {
    if (!at) return texts?.[row] ?? null;
    const value = at(row);
    return Number.isNaN(value) ? null : value;
  }
}

/** The share of the variance of the standardised columns that lies between the groups. */
function separation(
  { column, groups, codes }: Candidate,
  numbers: readonly { readonly column: number; readonly values: Float64Array }[],
): (ColourColumn & { adjusted: number }) | undefined {
  let [shares, adjusted, columns] = [0, 0, 0];
  for (const { column: other, values } of numbers) {
    if (other === column) continue;
    const found = betweenGroups(values, codes, groups);
    if (!found) continue;
    const { share, n } = found;
    shares += share;
    adjusted += 1 - ((1 - share) * (n - 1)) / (n - groups);
    columns++;
  }
  return columns === 0 ? undefined : { column, groups, share: shares / columns, adjusted: adjusted / columns };
}

/**
 * The share of a column's variance between the groups, and the number of rows with a value and a group; undefined for a constant
 * column.
 */
function betweenGroups(
  values: Float64Array,
  codes: Int32Array,
  groups: number,
): { share: number; n: number } | undefined {
  const [sums, counts] = [new Float64Array(groups), new Float64Array(groups)];
  let [n, mean] = [0, 0];
  values.forEach((value, i) => {
    if (codes[i] < 0 || Number.isNaN(value)) return;
    n++;
    mean += (value - mean) / n;
  });
  let total = 0;
  values.forEach((value, i) => {
    if (codes[i] < 0 || Number.isNaN(value)) return;
    total += (value - mean) ** 2;
    sums[codes[i]] += value - mean;
    counts[codes[i]]++;
  });
  if (!(total > 0) || !Number.isFinite(total) || n <= groups) return undefined;
  let between = 0;
  for (let g = 0; g < groups; g++) if (counts[g] > 0) between += sums[g] ** 2 / counts[g];
  return { share: Math.min(1, between / total), n };
}
