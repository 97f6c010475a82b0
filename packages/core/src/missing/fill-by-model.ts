import type { ProgressTracker } from '../base/progress.js';
import { mapSource, type RowSource } from '../data/blocks/row-source.js';
import type { FillMethodName, FillOptions } from '../data/inputs/missing-option.js';
import { rowWeights } from '../data/statistics/weights.js';
import { enginesFor } from '../engines/remote.js';
import { DataError, describeColumn, describeValue, OptionError } from '../errors.js';
import { fit } from '../fit/fit.js';
import { fitAny } from '../fit/fit-opened.js';
import { MomentSums } from '../fit/moment-sums.js';
import { rereadable } from '../fit/reading.js';
import type { Model } from '../model/model.js';
import { checkOptions, type Settings } from '../options.js';
import type { Warning } from '../warning.js';
import { LOAD_METHOD } from './fill-methods.js';
import type { FilledFit } from './method.js';
import { type ObservedValues, observedValues } from './observed-values.js';

/** How missing values were filled in. */
export interface FillReport {
  readonly method: FillMethodName;
  /** Number of components that predicted the values. */
  readonly k: number;
  readonly iterations: number;
  readonly converged: boolean;
  /** The last relative change of the predictions. */
  readonly change: number;
  /** Missing values, as a share of all. */
  readonly share: number;
  readonly values: number;
  readonly rows: number;
  readonly rowsWithGaps: number;
  /** Every column with its number of missing values. */
  readonly columns: readonly { readonly name: string; readonly missing: number }[];
  /** The objective at every iteration; the log-likelihood of the scaled values for `em`. Empty if the method has none. */
  readonly objectives: readonly number[];
  /** Share of the observed sum of squares that 1, …, k components explain, for `nipals`. */
  readonly explained?: readonly number[];
}

/** Rows whose missing values were filled in. */
export interface FilledRows {
  readonly source: RowSource;
  /** Settings of the final fit. */
  readonly settings: Settings;
  readonly report: FillReport | undefined;
  readonly filled?: Pick<FilledFit, 'complete' | 'predictor'>;
}

/** Components by default, as in missMDA. */
const DEFAULT_K = 2;
const DEFAULT_TOLERANCE = 1e-6;
const DEFAULT_ITERATIONS = 1000;

/** Fits a model to the observed values of a source and fills in the others. The source is closed by the caller. */
export async function fillByModel(
  given: RowSource,
  settings: Settings,
  options: FillOptions,
  progress: ProgressTracker,
): Promise<FilledRows> {
  refuseSettings(settings, options);
  const source = await rereadable(given, progress);
  const weights = rowWeights(settings.weights, source.rows);
  const names = settings.columnNames ?? source.columnNames;
  const observed = await observedValues(source, weights, progress, options.method !== 'iterative');
  const done: Settings = { ...settings, missing: 'error' };
  const values = observed.missing.reduce((sum, count) => sum + count, 0);
  if (values === 0) return { source, settings: done, report: undefined };
  refuseEmptyColumns(observed, names);
  const { k, most } = componentsFor(options, settings, observed);
  const numbers = observed.rows * observed.cols;
  const engines = await enginesFor(source, { ...settings, weights: settings.weights ?? [] }, numbers);
  const inner = innerSettings(settings, k, names);
  const method = await LOAD_METHOD[options.method]();
  const filled = await method.run({
    ...{ source, settings: inner, weights, observed, names, k, progress },
    tolerance: options.tolerance ?? DEFAULT_TOLERANCE,
    iterations: options.iterations ?? DEFAULT_ITERATIONS,
    engine: engines[0],
    fit: (data, own) => modelOf(data, own, engines, progress),
  });
  const report: FillReport = {
    ...{ method: options.method, k, iterations: filled.iterations, converged: filled.converged, change: filled.change },
    ...{ share: values / numbers, values, rows: observed.rows, rowsWithGaps: observed.rowsWithGaps },
    columns: Array.from(observed.missing, (missing, j) => ({ name: names?.[j] ?? `column ${j + 1}`, missing })),
    objectives: filled.objectives,
    ...(filled.explained ? { explained: filled.explained } : {}),
  };
  const warnings = async (): Promise<readonly Warning[]> => [
    ...((await source.warnings?.()) ?? []),
    ...fillWarnings(report, method.title, observed, most),
  ];
  return {
    source: mapSource(filled.source, { warnings, ...(filled.moments ? { expected: filled.moments } : {}) }),
    settings: finalSettings(done, filled),
    report,
    filled,
  };
}

function refuseSettings({ columnTransform, scale }: Settings, options: FillOptions): void {
  if (columnTransform !== undefined && columnTransform !== 'none') {
    refuseWithFilling('columnTransform', columnTransform, options);
  }
  if (scale === 'median') refuseWithFilling('scale', scale, options);
}

/** Throws if values are filled in by a model and an option needs all values before. */
function refuseWithFilling(option: string, value: unknown, missing: FillOptions): never {
  throw new OptionError(
    'BAD_OPTION',
    `${option} is ${describeValue(value)}, which needs every value before missing: '${missing.method}' can predict one. Apply it to the data first, or use missing: 'drop'.`,
    { option, value },
  );
}

function refuseEmptyColumns({ missing, rows, weights }: ObservedValues, names: readonly string[] | undefined): void {
  const empty = missing.findIndex((count, j) => count === rows || weights[j] === 0);
  if (empty < 0) return;
  throw new DataError(
    'MISSING_VALUES',
    `Column ${describeColumn(empty, names)} has no value at all, so nothing can predict it. Leave it out.`,
    { column: empty, ...(names ? { columnName: names[empty] } : {}), reason: 'empty-column' },
  );
}

/** The number of components that predict, and the largest number that the observed values can determine. */
function componentsFor(
  options: FillOptions,
  { k: asked, center }: Settings,
  { rows, cols, missing }: ObservedValues,
): { k: number; most: number } {
  const highest = Math.max(1, Math.min(cols - 1, rows - (center ? 2 : 1)));
  const wanted = options.k ?? (typeof asked === 'number' && asked >= 1 ? asked : DEFAULT_K);
  const observed = rows * cols - missing.reduce((sum, count) => sum + count, 0);
  // k components, the mean and σ² have d + k(n + d − k − 1) degrees of freedom together with the scores.
  let most = 0;
  while (most < highest && observed > cols + (most + 1) * (rows + cols - most - 2)) most++;
  return { k: Math.min(wanted, highest), most: Math.max(1, most) };
}

/** Settings of the fits of an iteration: k + 1 components, by the cheapest solver. */
function innerSettings(settings: Settings, k: number, names: readonly string[] | undefined): Settings {
  const { center, scale, ddof, weights, columnWeights, threads, blocking, memory, seed, signal } = settings;
  const plain = checkOptions({ center, scale, ddof, threads, blocking, memory, seed, signal, k: { atMost: k + 1 } });
  return { ...plain, weights, columnWeights, columnNames: names };
}

async function modelOf(
  data: RowSource | MomentSums,
  settings: Settings,
  engines: Parameters<typeof fit>[2],
  progress: ProgressTracker,
): Promise<Model> {
  const models =
    data instanceof MomentSums ? fit(data, settings, engines, progress) : fitAny(data, settings, engines, progress);
  return (await models).model;
}

function finalSettings(settings: Settings, { settings: own }: FilledFit): Settings {
  if (!own) return settings;
  const { scale, scaling } = own;
  return {
    ...settings,
    ...(scale === undefined ? {} : { scale }),
    ...(scaling ? { scaling } : {}),
    columnWeights: own.columnWeights,
  };
}

/** Columns that a message names. */
const NAMED = 5;

function fillWarnings(report: FillReport, title: string, { emptyRows }: ObservedValues, most: number): Warning[] {
  const { method, k, values, rows, converged, iterations, change } = report;
  const columns = report.columns
    .filter(({ missing }) => missing > 0)
    .map(({ name, missing }) => ({ name, count: missing }));
  const some = columns.slice(0, NAMED).map(({ name, count }) => `${JSON.stringify(name)} (${count})`);
  if (columns.length > NAMED) some.push(`${columns.length - NAMED} more columns`);
  const components = k === 1 ? '1 component' : `${k} components`;
  const warnings: Warning[] = [
    {
      code: 'VALUES_FILLED',
      message: `${values} missing values were predicted by ${title} with ${components}: ${some.join(', ')}, of ${rows} rows.`,
      details: { columns, values, rows, with: method, k, iterations, converged, change },
    },
  ];
  if (!converged) {
    warnings.push({
      code: 'NOT_CONVERGED',
      message: `The prediction of missing values stopped after ${iterations} iterations at a relative change of ${change.toExponential(1)}. Allow more iterations, or use fewer components.`,
      details: { iterations, change },
    });
  }
  if (emptyRows.count > 0) {
    const which = emptyRows.first.map((row) => row + 1).join(', ');
    warnings.push({
      code: 'EMPTY_ROWS',
      message: `${emptyRows.count === 1 ? `Row ${which} has` : `${emptyRows.count} rows have`} no value at all${emptyRows.count === 1 ? '' : `, the first of them ${which}`}. The mean of every column was filled in there, which says nothing. Leave such rows out.`,
      details: { rows: emptyRows.first, count: emptyRows.count },
    });
  }
  if (k > most) {
    warnings.push({
      code: 'FILLED_WITH_MANY',
      message: `The observed values determine at most ${most === 1 ? '1 component' : `${most} components`}, and ${components} predicted the missing ones. Use k: ${most} or fewer for missing values.`,
      details: { k, most },
    });
  }
  return warnings;
}
