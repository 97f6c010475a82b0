import { count, plural } from '@scree/analysis/describe';
import { DataError } from '@scree/core';
import { readCells, selectNamed } from '@scree/core/data';
import type { DataFile } from '../disk/index.js';
import type { Call } from './command.js';
import { fitOptions } from './fit-options.js';
import { UsageError } from './usage-error.js';

/** More values than this are names of rows. */
const MOST_GROUPS = 1000;

/** Flags that do not go with --between, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  weight: 'counts all rows the same',
  'no-center': 'compares means, so rows are centred',
  by: 'is about all groups at once',
  bootstrap: 'has components of means, and a bootstrap draws rows',
};

/** Refuses flags that do not go with --between. */
export function checkBetween(flags: Call['flags']): void {
  if (flags.between === undefined) return;
  const refused = Object.keys(REFUSED).find((name) => flags[name] !== undefined && flags[name] !== 0);
  if (refused) throw new UsageError(`--between ${REFUSED[refused]}: leave --${refused} out.`);
  if (flags.method !== undefined && flags.method !== 'pca')
    throw new UsageError(
      `--between is for columns of numbers, and --method is ${flags.method}. Leave one of them out.`,
    );
  if (typeof flags.components === 'string')
    throw new UsageError(
      `-k ${flags.components} is a criterion for rows, and --between has means. Give a number: -k 2.`,
    );
  if (flags.scale === 'median')
    throw new UsageError(
      '--between scales by what all rows and groups share: use --scale unit, pareto, range or none.',
    );
}

/** The group of every row of --between, as a fit of their means takes them. */
export async function betweenLabels(
  file: DataFile,
  flags: Call['flags'],
): Promise<{ readonly column: string; readonly labels: readonly string[] }> {
  const column = flags.between as string;
  const labels = await labelsOf(file, column);
  const groups = new Set(labels).size;
  if (groups === 1) throw new UsageError(`All rows have the same ${column}, so there are no groups to compare.`);
  const { k } = fitOptions(flags);
  if (typeof k === 'number' && k >= groups)
    throw new UsageError(
      `-k is ${k}, and ${count(groups)} groups differ in at most ${plural(groups - 1, 'direction')}: use -k ${groups - 1}, or leave it out.`,
    );
  return { column, labels };
}

/** The group of every row. */
async function labelsOf(file: DataFile, column: string): Promise<string[]> {
  const labels: string[] = [];
  const levels = new Set<string>();
  for await (const { rows, columns, rowNumber } of readCells(selectNamed(file.supplementaryTable, [column]))) {
    for (let i = 0; i < rows; i++) {
      const label = columns[0](i);
      if (typeof label !== 'string') throw withoutGroup(rowNumber(i), column);
      labels.push(label);
      levels.add(label);
    }
    if (levels.size > MOST_GROUPS)
      throw new UsageError(
        `--between ${column} has more than ${count(MOST_GROUPS)} different values: these are names of rows rather than of groups.`,
      );
  }
  return labels;
}

function withoutGroup(row: number, columnName: string): DataError {
  return new DataError('MISSING_VALUES', `Row ${row + 1} has no ${JSON.stringify(columnName)}.`, {
    row,
    columnName,
    reason: 'missing-group',
  });
}
