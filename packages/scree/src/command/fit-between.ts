import {
  betweenGroups,
  type ColumnContribution,
  type GroupPca,
  type SupplementaryOptions,
  supplementary,
} from '@scree/analysis';
import { count, listed, percent, several } from '@scree/analysis/describe';
import { DataError, Model, type RowSource } from '@scree/core';
import type { ScalingRule } from '@scree/core/data';
import { DEFAULT_MEMORY } from '@scree/files';
import { readColumnWeights } from './column-weights.js';
import type { Call } from './command.js';
import type { PreparedFile } from './derived-file.js';
import { fitOptions } from './fit-options.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** PCA between groups: what is known besides the model of their means. */
export interface Between extends Pick<GroupPca, 'groups' | 'means' | 'share'> {
  readonly column: string;
}

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

/** Fits the means of the groups of --between, each as heavy as its group has rows. The rows stay those of the file. */
export async function fitBetween(
  file: PreparedFile,
  { flags, signal }: Pick<Call, 'flags' | 'signal'>,
  terminal: Terminal,
) {
  const column = flags.between as string;
  const labels = await labelsOf(file, column);
  const groups = new Set(labels).size;
  if (groups === 1) throw new UsageError(`All rows have the same ${column}, so there are no groups to compare.`);
  const { center: _, ...options } = fitOptions(flags);
  if (typeof options.k === 'number' && options.k >= groups)
    throw new UsageError(
      `-k is ${options.k}, and ${count(groups)} groups differ in at most ${several(groups - 1, 'direction')}: use -k ${groups - 1}, or leave it out.`,
    );
  const { source } = file;
  const weightFile = flags['column-weights'] as string | undefined;
  const start = performance.now();
  const { model: fitted, ...between } = await betweenGroups(source, labels, {
    ...options,
    ...(weightFile === undefined
      ? {}
      : { columnWeights: await readColumnWeights(weightFile, source.columnNames ?? file.columns) }),
    memory: (flags.memory as number | undefined) ?? DEFAULT_MEMORY,
    onProgress: terminal.onProgress,
    signal,
  });
  const seconds = (performance.now() - start) / 1000;
  // The means were divided by what all rows have: the rule is that of the rows.
  const model = options.scale === undefined ? fitted : new Model({ ...fitted, scaling: options.scale as ScalingRule });
  terminal.clear();
  return {
    model,
    coding: file.coding,
    seconds,
    first: () => model,
    source,
    weights: undefined,
    notComputed: {
      choice: `The criteria are for rows, and these components are of means. ${count(groups)} groups differ in at most ${several(groups - 1, 'direction')}.`,
      stability: 'A bootstrap draws rows, and these components are of means.',
    },
    between: { column, ...between },
  };
}

/** The group of every row. */
async function labelsOf(file: PreparedFile, column: string): Promise<string[]> {
  const at = file.groups.indexOf(column);
  const labels: string[] = [];
  const levels = new Set<string>();
  for await (const { groups, places } of file.withSupplementary()) {
    groups[at].forEach((label, i) => {
      if (label === null)
        throw new DataError('MISSING_VALUES', `Row ${places[i] + 1} has no ${JSON.stringify(column)}.`, {
          row: places[i],
          columnName: column,
          reason: 'missing-group',
        });
      labels.push(label);
      levels.add(label);
    });
    if (levels.size > MOST_GROUPS)
      throw new UsageError(
        `--between ${column} has more than ${count(MOST_GROUPS)} different values: these are names of rows rather than of groups.`,
      );
  }
  return labels;
}

/** Groups in a sentence; more are counted. */
const MOST_NAMES = 8;

export function describeBetween({ column, groups, share }: Between): string {
  const names = groups.slice(0, MOST_NAMES).map(({ label, n }) => `${label} (${count(n)})`);
  const more = groups.length - names.length;
  return `Between groups: the means of ${count(groups.length)} groups of ${column} were analysed, each as heavy as its group has rows: ${listed([...names, ...(more > 0 ? [`${count(more)} more`] : [])])}. ${percent(share)} of the variance of the columns is between the groups; shares of components are shares of that. The groups were used to find the components, so with many columns and few rows groups lie apart even in noise.`;
}

export function describeKept({ k, varianceRatios }: Model): string {
  const share = varianceRatios.reduce((sum, ratio) => sum + ratio, 0);
  return `${several(k, 'component keeps', 'components keep')} ${percent(share)} of the variance between the groups.`;
}

/** The same for --json: the mean of every group in the columns' own units, or in those of coded columns. */
export function betweenJson({ column, groups, means, share }: Between): object {
  const meanOf = (g: number): number[] => Array.from(means.data.subarray(g * means.cols, (g + 1) * means.cols));
  return { column, share, groups: groups.map((group, g) => ({ ...group, mean: meanOf(g) })) };
}

/** The columns with their correlations over all rows: those over a few means are large even by chance. */
export async function correlateWithRows(
  columns: readonly ColumnContribution[],
  { model, source }: { readonly model: Model; readonly source: RowSource },
  control: Pick<SupplementaryOptions, 'signal' | 'onProgress'>,
): Promise<ColumnContribution[]> {
  const { columns: overRows } = await supplementary(model, source, { columns: source, ...control });
  return columns.map((column, j) => ({ ...column, correlation: overRows[j].correlation }));
}
