import type { RowFacts } from '@scree/analysis';
import { plural } from '@scree/analysis/describe';
import { DataError } from '@scree/core';
import type { Labels } from '@scree/files';
import { plainText, squeezedApart } from '../plain-text.js';
import { CATEGORIES } from '../theme.js';

/** Maximum number of characters of a label that are shown, and that are compared to distinguish labels. */
const [LONGEST_SHOWN, LONGEST_READ] = [200, 10_000];

/** Rows of one colour. */
export interface ColourGroup {
  readonly name: string;
  /** A colour of the theme. */
  readonly colour: string;
  /** Number of rows. */
  readonly count: number;
  /** True if the name is a label of the data. False if it stands for the rest, such as "no label". */
  readonly named: boolean;
}

/** Maximum number of different labels that count as groups. */
const MOST_LEVELS = 50;

/** How rows are coloured. */
export interface RowColours {
  /** The name of the column of labels. */
  readonly name: string;
  /** The label of a row as text, or undefined. */
  labelOf(row: number): string | undefined;
  /** Up to ten groups, and one for the rest. Empty if rows have no labels, or are coloured by a number. */
  readonly groups: readonly ColourGroup[];
  /** True if the labels divide the rows into few groups, so that groups can be compared. */
  readonly hasLevels: boolean;
  /** Index of the group of a row. */
  groupOf(row: number): number;
  /** The range of the labels, if they are many different numbers. */
  readonly range?: readonly [number, number];
  /** The position of a row in the range, from 0 to 1. NaN if it has no number. */
  shareOf(row: number): number;
}

/** The columns that identify a row in a table: its number, and its name and label if it has them. */
export function rowColumns(
  { numberOf, nameOf, sample }: Pick<RowFacts, 'numberOf' | 'nameOf' | 'sample'>,
  colouring: RowColours,
): { readonly titles: readonly string[]; cells(row: number): string[] } {
  // The names of the rows may be their labels.
  const areNames = nameOf && sample.every(({ row }) => nameOf(row) === colouring.labelOf(row));
  const labelled = (colouring.groups.length > 0 || colouring.range !== undefined) && !areNames;
  return {
    titles: ['row', ...(nameOf ? ['name'] : []), ...(labelled ? [colouring.name] : [])],
    cells: (row) => [
      String(numberOf(row)),
      ...(nameOf ? [nameOf(row) ?? ''] : []),
      ...(labelled ? [colouring.labelOf(row) ?? ''] : []),
    ],
  };
}

export function chooseColours(labels: Labels | undefined, labelName = 'label'): RowColours {
  const name = plainText(labelName);
  if (!labels) {
    return {
      name,
      labelOf: () => undefined,
      groups: [],
      hasLevels: false,
      groupOf: () => 0,
      shareOf: () => Number.NaN,
    };
  }
  const { names, codes, numbers } = labels;
  const shown = squeezedApart(
    names.map((text) => plainText(text, LONGEST_READ)),
    LONGEST_SHOWN,
  );
  const labelOf = (row: number): string | undefined => {
    const code = codes[row];
    return code >= 0 ? shown[code] : code === -2 ? '(one of many)' : undefined;
  };
  if (numbers && names.length > CATEGORIES.length) {
    const range = rangeOf(numbers);
    const span = range[1] - range[0];
    return {
      name,
      labelOf: (row) => (Number.isNaN(numbers[row]) ? undefined : String(numbers[row])),
      groups: [],
      hasLevels: false,
      groupOf: () => 0,
      range,
      shareOf: (row) => (span > 0 ? (numbers[row] - range[0]) / span : numbers[row] === range[0] ? 0.5 : Number.NaN),
    };
  }
  const { groups, groupOfCode } = makeGroups(shown, codes);
  return {
    name,
    labelOf,
    groups,
    // If there are more labels, or more than one per two rows, the labels are names of rows.
    hasLevels: names.length > 1 && names.length <= Math.min(MOST_LEVELS, codes.length / 2) && !codes.includes(-2),
    groupOf: (row) => groupOfCode(codes[row]),
    shareOf: () => Number.NaN,
  };
}

/** There must be one label per row. */
export function checkLabels(labels: Labels | undefined, rows: number): void {
  if (!labels || labels.codes.length === rows) return;
  throw new DataError(
    'BAD_DATA',
    `${plural(labels.codes.length, 'label')} cannot name ${plural(rows, 'row')}. Read the labels of all rows, from the same data.`,
    { value: labels.codes.length, expected: rows },
  );
}

/** The ten most frequent labels, in their natural order, then the rest as one group, then rows without a label. */
function makeGroups(
  names: readonly string[],
  codes: ArrayLike<number>,
): { groups: ColourGroup[]; groupOfCode: (code: number) => number } {
  const counts = new Float64Array(names.length);
  let [missing, beyond] = [0, 0];
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] >= 0) counts[codes[i]]++;
    else if (codes[i] === -1) missing++;
    else beyond++;
  }
  const order = new Intl.Collator('en', { numeric: true });
  const chosen = [...names.keys()]
    .sort((a, b) => counts[b] - counts[a] || a - b)
    .slice(0, CATEGORIES.length)
    .sort((a, b) => order.compare(names[a], names[b]) || a - b);
  const groups: ColourGroup[] = chosen.map((code, i) => ({
    name: names[code],
    colour: CATEGORIES[i],
    count: counts[code],
    named: true,
  }));
  const rest = codes.length - missing - groups.reduce((sum, { count }) => sum + count, 0);
  const place = new Map(chosen.map((code, i) => [code, i]));
  const restPlace = groups.length;
  if (rest > 0 || beyond > 0) {
    const others = names.length - chosen.length;
    groups.push({
      name: others > 0 ? `other (${plural(others, 'label')}${beyond > 0 ? ' and more' : ''})` : 'other',
      colour: 'var(--other)',
      count: rest,
      named: false,
    });
  }
  const missingPlace = groups.length;
  if (missing > 0) groups.push({ name: 'no label', colour: 'var(--other)', count: missing, named: false });
  return { groups, groupOfCode: (code) => (code === -1 ? missingPlace : (place.get(code) ?? restPlace)) };
}

function rangeOf(numbers: Float64Array): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of numbers) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 0];
}
