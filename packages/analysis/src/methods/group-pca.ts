import { type Data, DataError, type Model, OptionError, RowMatrix, type RowSource } from '@scree/core';
import { type Block, columnScales, mapBlocks, openSource, packedRows, scaledSquares } from '@scree/core/data';
import { axpy } from '@scree/core/linalg';
import { describeValue, keepAlive, ProgressTracker } from '@scree/core/pipeline';
import { checkFitQuestions, type FitQuestions, fitAndAsk } from '../fit-and-ask.js';
import { type Residuals, residualize } from './residualize.js';

/** One label per row. */
export type GroupLabels = ArrayLike<string | number>;

/** Rows are centred by their group or by all rows, and have no weights. */
export type GroupPcaOptions = Omit<FitQuestions, 'weights' | 'center' | 'columnTransform' | 'missing'>;

/** A model within or between groups. */
export interface GroupPca {
  readonly model: Model;
  readonly groups: readonly { readonly label: string; readonly n: number }[];
  /** Means of the groups, one row each, in the user's own units. */
  readonly means: RowMatrix<Float64Array>;
  /** Share of the total variance that is within, or between, the groups. The two add up to 1. */
  readonly share: number;
}

/**
 * PCA within groups: the mean of its group is subtracted from every row, and the mean of all rows added. The components are the
 * directions in which rows of the same group differ. With the same `ddof` the variances within and between add up to the total: S =
 * S_within + S_between. `scale: 'unit'` divides by the deviations of all rows, so that this holds for scaled columns too. Variances are
 * S/(n − ddof); a ddof of the number of groups gives the pooled covariance. As `wca` of R's ade4.
 */
export function withinGroups(data: Data, groups: GroupLabels, options: GroupPcaOptions = {}): Promise<GroupPca> {
  return keepAlive(async () => {
    const { residuals, labels, means, sizes, scale, within } = await readGroups(data, groups, options);
    const { model } = await fitAndAsk(shifted(residuals, labels), { ...options, scale });
    return { model, groups: sizes, means, share: within };
  });
}

/**
 * PCA of the groups' means, weighted by their numbers of rows: the directions in which groups differ, at most the number of groups less
 * one. `model.transform(rows)` places the rows among them. As `bca` of R's ade4.
 */
export function betweenGroups(data: Data, groups: GroupLabels, options: GroupPcaOptions = {}): Promise<GroupPca> {
  return keepAlive(async () => {
    const { residuals, means, sizes, scale, within } = await readGroups(data, groups, options);
    await residuals.close?.();
    const k = options.k ?? Math.min(10, sizes.length - 1, means.cols);
    const names = options.columnNames ?? residuals.columnNames;
    const { model } = await fitAndAsk(means, {
      ...options,
      ...(names ? { columnNames: names } : {}),
      k,
      scale,
      weights: sizes.map(({ n }) => n),
    });
    return { model, groups: sizes, means, share: 1 - within };
  });
}

interface Grouped {
  readonly residuals: Residuals;
  /** Group of each row. */
  readonly labels: readonly string[];
  readonly sizes: { readonly label: string; readonly n: number }[];
  readonly means: RowMatrix<Float64Array>;
  readonly scale: 'none' | Float64Array;
  /** Share of the total variance within the groups. */
  readonly within: number;
}

/** Regresses the columns on the labels. Fitted values are the groups' means. */
async function readGroups(data: Data, groups: GroupLabels, options: GroupPcaOptions): Promise<Grouped> {
  const {
    scale: wanted,
    ddof,
    threads,
    columnNames,
    columns: use,
    columnWeights,
  } = checkFitQuestions(refuseWeights(options)).settings;
  const labels = checkLabels(groups);
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const sizes = Array.from(counts, ([label, n]) => ({ label, n }));
  const { onProgress, signal } = options;
  const control = {
    ...(onProgress ? { onProgress } : {}),
    ...(signal ? { signal } : {}),
    ...(threads ? { threads } : {}),
  };
  const source = await openSource(data, new ProgressTracker(control), columnNames, use === 'numeric');
  const residuals = await residualize(source, { group: labels }, control);
  const { columns, regression } = residuals;
  const d = residuals.cols;
  const { scale } = columnScales(columns, wanted, columns.weight - ddof, true);
  const means = new Float64Array(sizes.length * d);
  let [total, between] = [0, 0];
  // Units of the fit: column weights multiply squares.
  const factor = scale.map((s, j) => Math.sqrt(columnWeights?.[j] ?? 1) / s);
  for (let j = 0; j < d; j++) total += scaledSquares(columns, j, true, factor[j]);
  sizes.forEach(({ n }, g) => {
    for (let j = 0; j < d; j++) {
      // The first level has no term.
      const mean = regression.intercept[j] + (g === 0 ? 0 : regression.slopes.data[(g - 1) * d + j]);
      means[g * d + j] = mean;
      between += n * ((mean - columns.mean[j]) * factor[j]) ** 2;
    }
  });
  const within = total > 0 ? Math.max(0, 1 - between / total) : 0;
  const table = new RowMatrix(sizes.length, d, means, residuals.columnNames);
  return { residuals, labels, sizes, means: table, scale: wanted === 'none' ? wanted : scale, within };
}

function refuseWeights(options: GroupPcaOptions): FitQuestions {
  for (const option of ['weights', 'center', 'columnTransform', 'missing']) {
    if (!(option in options)) continue;
    throw new OptionError('BAD_OPTION', `PCA within or between groups has no option ${describeValue(option)}.`, {
      option,
    });
  }
  return options;
}

function checkLabels(groups: GroupLabels): string[] {
  const labels = Array.from(groups, (label: unknown, row) => {
    if (label !== null && label !== undefined) return String(label);
    throw new DataError('MISSING_VALUES', `Row ${row + 1} has no group. Give it a label, or leave the row out.`, {
      row,
      reason: 'missing-group',
    });
  });
  if (new Set(labels).size > 1) return labels;
  throw new OptionError(
    'BAD_OPTION',
    `groups has ${new Set(labels).size} different labels. There must be at least 2 groups.`,
    {
      option: 'groups',
    },
  );
}

/** Residuals plus the mean of all rows. */
function shifted(residuals: Residuals, labels: readonly string[]): RowSource {
  const { columns, cols } = residuals;
  const add = (block: Block): Block => {
    const data = packedRows(block);
    for (let i = 0; i < block.rows; i++) axpy(1, columns.mean, 0, data, i * cols, cols);
    return { kind: 'dense', rows: block.rows, cols, stride: cols, data };
  };
  return mapBlocks(residuals, add, { rows: labels.length });
}
