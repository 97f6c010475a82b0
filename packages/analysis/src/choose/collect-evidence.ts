import { DataError, type Engine, type Model, Moments, type RowSource } from '@scree/core';
import { type Block, checkBlockWidth, packTile, rowWeights } from '@scree/core/data';
import { fit, LARGEST_SQUARE, type ProgressTracker, type Settings } from '@scree/core/pipeline';
import { omit } from '../fields.js';
import { groupNumbers } from './computations/fold-errors.js';
import type { Evidence, EvidenceOptions, FoldMoments, Need } from './criteria/criterion.js';
import { anyNeeds, CRITERIA, type CriterionName } from './criteria/registry.js';

/** Collects what the criteria for the number of components need, from data, moments or a model. */

/** Most numbers of a table that is kept in memory for criteria that need its rows: 134 MB. */
export const KEPT_NUMBERS = 2 ** 24;
/** Most numbers of the scatters of all groups together: 512 MB. */
const FOLD_NUMBERS = 2 ** 26;
/** Copies of these scatters: as they were summed up, and in the units of the model. */
const FOLD_COPIES = 2;
/** Copies of rows that are fewer than their columns: the rows, their columns one after the other, and a permuted table. */
const WIDE_COPIES = 3;

/** Numbers of a table that may be kept, `copies` times: fewer than `most` if less memory is allowed. */
export function numbersThatFit(most: number, { memory = Number.POSITIVE_INFINITY }: Settings, copies: number): number {
  return Math.min(most, Math.floor(memory / 8 / copies));
}

/** Which criteria to compute, and how the fit sees the data. */
export interface EvidenceRequest {
  readonly settings: Settings;
  readonly names: readonly CriterionName[];
  readonly options: EvidenceOptions;
  readonly engines: readonly [Engine, ...Engine[]];
  readonly progress: ProgressTracker;
}

type Facts = Omit<Evidence, 'options' | 'engine' | 'progress'> & {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  /** Columns that vary. */
  readonly varying: readonly number[];
};

export function absentRows(sentence: string): Evidence['absent'] {
  return { rows: sentence, folds: sentence };
}

/** Reads the moments of each group of rows in one pass; or of all rows, if no criterion needs groups. */
export async function readFolds(
  source: RowSource,
  { settings, names, options, engines, progress }: EvidenceRequest,
): Promise<{ parts: Moments[]; moments: Moments }> {
  const [engine] = engines;
  const columnNames = settings.columnNames ?? source.columnNames;
  const grouped =
    anyNeeds(names, 'folds') &&
    settings.center &&
    settings.weights === undefined &&
    options.folds * source.cols ** 2 <= numbersThatFit(FOLD_NUMBERS, settings, FOLD_COPIES);
  if (!grouped) {
    const moments = await Moments.of(source, { ...settings, engine }, progress, columnNames);
    return { parts: [moments], moments };
  }
  const count = Math.min(options.folds, source.rows ?? options.folds);
  const parts = Array.from({ length: count }, () => new Moments(source.cols, columnNames));
  const next = groupNumbers(count, options.seed);
  let first = 0;
  progress.begin('covariance', source.rows);
  for await (const block of source.blocks()) {
    checkBlockWidth(block, source, first);
    const groups: number[][] = parts.map(() => []);
    for (let i = 0; i < block.rows; i++) groups[next()].push(i);
    for (const [g, rows] of groups.entries()) {
      if (rows.length > 0) await parts[g].addBlock(pickRows(block, rows), undefined, first, engine, progress);
    }
    first += block.rows;
  }
  progress.end();
  const moments = new Moments(source.cols, columnNames);
  for (const part of parts) moments.merge(part);
  return { parts: parts.filter(({ rows }) => rows > 0), moments };
}

/** The evidence in the moments of all rows, given in groups. */
export async function fromMoments(
  parts: readonly Moments[],
  { settings, names, engines, progress }: EvidenceRequest,
): Promise<Facts> {
  let whole = parts[0];
  if (parts.length > 1) {
    whole = new Moments(whole.cols, whole.columnNames);
    for (const part of parts) whole.merge(part);
  }
  const model = await spectrumModel(whole, settings, 'covariance', engines, progress);
  const { mean, scale } = model;
  const divisor = whole.weight - settings.ddof;
  const all = scaledScatter(whole, scale);
  const about = whole.columns.mean.map((value, j) => (settings.center ? 0 : value / scale[j]));
  const d = whole.cols;
  const variances = Float64Array.from(
    { length: d },
    (_, j) => (all[j * d + j] + whole.weight * about[j] ** 2) / divisor,
  );
  const varying = columnsThatVary(variances);
  const columnVariances = varying.map((j) => variances[j]);
  const p = varying.length;
  const covariance = anyNeeds(names, 'covariance') && settings.center ? new Float64Array(p * p) : undefined;
  if (covariance) {
    varying.forEach((i, row) => {
      varying.forEach((j, column) => {
        covariance[row * p + column] = all[i * d + j] / divisor;
      });
    });
  }
  const folds = parts.length > 1 ? parts.map((part) => foldOf(part, whole.columns.mean, scale, varying)) : undefined;
  return {
    ...evidenceInModel(model, columnVariances),
    columnVariances: Float64Array.from(columnVariances),
    ...(covariance ? { covariance } : {}),
    ...(folds ? { folds } : {}),
    absent: { folds: 'is computed from groups of rows, and their covariances would take too much memory.' },
    varying,
    mean,
    scale,
  };
}

function columnsThatVary(variances: Float64Array): number[] {
  return Array.from(variances.keys()).filter((j) => variances[j] > 0);
}

/** The scatter about the mean of scaled columns, both triangles. */
function scaledScatter({ cols: d, columns, scatter }: Moments, scale: Float64Array): Float64Array {
  const unit = columns.unit.map((value, j) => value / scale[j]);
  const out = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      out[i * d + j] = scatter[i * d + j] * unit[i] * unit[j];
      out[j * d + i] = out[i * d + j];
    }
  }
  return out;
}

/** A group of rows, scaled, about the mean of all rows. */
function foldOf(part: Moments, mean: Float64Array, scale: Float64Array, varying: readonly number[]): FoldMoments {
  const d = part.cols;
  const p = varying.length;
  const all = scaledScatter(part, scale);
  const scatter = new Float64Array(p * p);
  varying.forEach((i, row) => {
    varying.forEach((j, column) => {
      scatter[row * p + column] = all[i * d + j];
    });
  });
  return {
    rows: part.rows,
    mean: Float64Array.from(varying, (j) => (part.columns.mean[j] - mean[j]) / scale[j]),
    scatter,
  };
}

/** A model of one component that has the spectrum. */
async function spectrumModel(
  data: RowSource | Moments,
  settings: Settings,
  solver: 'covariance' | 'dual',
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
): Promise<Model> {
  const plain = omit(settings, 'learn', 'sketch');
  return (await fit(data, { ...plain, k: 1, solver, whiten: false }, engines, progress)).model;
}

/** The evidence in a model that has its spectrum. */
function evidenceInModel(
  { n, d, centered, totalWeight, ddof, spectrum }: Model,
  columnVariances: ArrayLike<number>,
): Pick<Facts, 'n' | 'd' | 'centered' | 'weighted' | 'correlation' | 'spectrum' | 'divisor'> {
  return {
    n,
    d,
    centered,
    weighted: totalWeight !== n,
    correlation: areEqual(columnVariances),
    spectrum: spectrum as Float64Array,
    divisor: totalWeight - ddof,
  };
}

function areEqual(variances: ArrayLike<number>): boolean {
  const values = Array.from(variances);
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  return values.every((value) => value > largest * (1 - 1e-9));
}

/** The rows for criteria that need them, if they fit into memory and the criteria do not take too long. */
export async function rowsFor(
  source: RowSource,
  facts: Facts,
  moments: Moments,
  { settings, names, options, progress }: EvidenceRequest,
): Promise<Pick<Evidence, 'columns' | 'absent'>> {
  const inNeed = names.filter((name) => CRITERIA[name].needs.includes('rows'));
  if (inNeed.length === 0 || !settings.center || settings.weights !== undefined) return { absent: {} };
  const n = moments.read || moments.rows;
  const d = facts.varying.length;
  const refuse = (sentence: string): { absent: Evidence['absent'] } => ({ absent: { rows: sentence } });
  if (n * d > numbersThatFit(KEPT_NUMBERS, settings, 1))
    return refuse(`needs the rows in memory, and ${n} × ${d} are too many. Parallel analysis needs only their number.`);
  if (!source.rereadable) return refuse('reads the rows twice, and this stream can be read only once.');
  const slow = inNeed.map((name) => CRITERIA[name].tooLong?.(n, d, options));
  if (slow[0] !== undefined && slow.every((reason) => reason !== undefined)) return refuse(slow[0]);
  return { columns: await scaledNumbers(source, n, facts, 'columns', progress), absent: {} };
}

/** One pass: (x − mean)/scale of the columns that vary, row by row or column by column. */
async function scaledNumbers(
  source: RowSource,
  n: number,
  { mean, scale, varying }: Pick<Facts, 'mean' | 'scale' | 'varying'>,
  order: 'rows' | 'columns',
  progress: ProgressTracker,
): Promise<Float64Array> {
  const d = varying.length;
  const scaler = { shift: mean, factor: scale.map((value) => 1 / value) };
  const numbers = new Float64Array(n * d);
  const [step, next] = order === 'rows' ? [d, 1] : [1, n];
  const one = new Float64Array(source.cols);
  let first = 0;
  progress.begin('reading rows', n);
  for await (const block of source.blocks()) {
    for (let i = 0; i < block.rows && first < n; i++, first++) {
      packTile(block, scaler, { from: i, to: i + 1, left: 0, right: source.cols }, one);
      for (let c = 0; c < d; c++) numbers[first * step + c * next] = one[varying[c]];
    }
    const pause = progress.step(block.rows);
    if (pause) await pause;
  }
  progress.end();
  return numbers;
}

/** The evidence for fewer rows than columns: the spectrum from the dual problem, the rest from the rows if they fit into memory. */
export async function fromWideRows(
  source: RowSource,
  { settings, names, engines, progress }: EvidenceRequest,
): Promise<Facts> {
  const { cols: d, rows: n = 0 } = source;
  if (Math.min(n || LARGEST_SQUARE + 1, d) > LARGEST_SQUARE) {
    throw new DataError(
      'TOO_LARGE',
      `All variances of ${n || 'unknown numbers of'} rows and ${d} columns need a matrix of more than ${LARGEST_SQUARE}². Choose k yourself, or from a sample of rows or columns.`,
      { value: Math.min(n, d), expected: LARGEST_SQUARE },
    );
  }
  rowWeights(settings.weights, source.rows);
  const model = await spectrumModel(source, settings, 'dual', engines, progress);
  const { mean, scale } = model;
  const every = { mean, scale, varying: Array.from({ length: d }, (_, j) => j) };
  if (n * d > numbersThatFit(KEPT_NUMBERS, settings, WIDE_COPIES) || settings.weights !== undefined) {
    const columnVariances = (model.columnVariances as Float64Array).filter((value) => value > 0);
    const reason =
      settings.weights === undefined
        ? `needs the rows in memory, and ${n} × ${d} are too many.`
        : 'counts rows, and these rows have weights.';
    const absent: Record<Need, string> = { rows: reason, folds: reason, columnVariances: reason, covariance: reason };
    return { ...evidenceInModel(model, columnVariances), columnVariances, absent, ...every };
  }
  const all = await scaledNumbers(source, n, every, 'rows', progress);
  const variances = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) variances[j] += all[i * d + j] ** 2 / (n - settings.ddof);
  const varying = columnsThatVary(variances);
  const columnVariances = varying.map((j) => variances[j]);
  const rows = varying.length === d ? all : all.filter((_, at) => variances[at % d] > 0);
  const needed = anyNeeds(names, 'rows') || anyNeeds(names, 'folds');
  return {
    ...evidenceInModel(model, columnVariances),
    columnVariances: Float64Array.from(columnVariances),
    ...(needed ? { rows } : {}),
    absent: { covariance: `needs more rows than columns: there are ${n} rows and ${d} columns.` },
    mean,
    scale,
    varying,
  };
}

/** The evidence in a fitted model: all variances, but no rows. A model stored by version 0.1.0 may lack the variances of columns. */
export function fromModel(model: Model): Omit<Evidence, 'options' | 'engine' | 'progress'> {
  if (!model.spectrum) {
    throw new DataError(
      'BAD_DATA',
      `This model knows only the first ${model.k} variances, since its solver (${model.plan.solver}) does not compute the others. Pass the data to chooseComponents.`,
    );
  }
  const { d, n, spectrum, totalWeight, ddof } = model;
  const known = model.columnVariances?.filter((value) => value > 0) ?? columnVariancesOf(model);
  const sentence = 'is computed from rows. Pass the data to chooseComponents, not the model.';
  return {
    n,
    d,
    centered: model.centered,
    weighted: totalWeight !== n,
    correlation: known !== undefined && areEqual(known),
    spectrum,
    divisor: totalWeight - ddof,
    ...(known ? { columnVariances: known } : {}),
    absent: {
      ...absentRows(sentence),
      covariance: 'is computed from all correlations. Pass the data to chooseComponents, not the model.',
      columnVariances:
        'compares with the variances of columns, which this model does not keep. Pass the data to chooseComponents.',
    },
  };
}

/** Variances of the scaled columns that vary, if the model has all components: Σᵢ λᵢvᵢⱼ². */
function columnVariancesOf({ k, d, spectrum, components, variances }: Model): Float64Array | undefined {
  if (spectrum?.length !== k) return undefined;
  const out = new Float64Array(d);
  for (let c = 0; c < k; c++) {
    for (let j = 0; j < d; j++) out[j] += variances[c] * components.data[c * d + j] ** 2;
  }
  return out.filter((value) => value > 0);
}

/** Some rows of a block, copied. */
function pickRows(block: Block, rows: readonly number[]): Block {
  if (rows.length === block.rows) return block;
  if (block.kind === 'dense') {
    const { cols, stride } = block;
    const data = block.data.slice(0, rows.length * cols);
    rows.forEach((row, to) => {
      data.set(block.data.subarray(row * stride, row * stride + cols) as never, to * cols);
    });
    return { ...block, rows: rows.length, stride: cols, data };
  }
  const indptr = new Int32Array(rows.length + 1);
  rows.forEach((row, to) => {
    indptr[to + 1] = indptr[to] + block.indptr[row + 1] - block.indptr[row];
  });
  const indices = new Int32Array(indptr[rows.length]);
  const data = block.data.slice(0, indptr[rows.length]);
  rows.forEach((row, to) => {
    const [from, end] = [block.indptr[row], block.indptr[row + 1]];
    indices.set(block.indices.subarray(from, end), indptr[to]);
    data.set(block.data.subarray(from, end) as never, indptr[to]);
  });
  return { ...block, rows: rows.length, indptr, indices, data };
}
