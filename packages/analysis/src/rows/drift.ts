import { DataError, type Model, type Row, type TableData } from '@scree/core';
import { decoded, openForModel, packedRows, refuseChanged, withJson } from '@scree/core/data';
import { dot, type Random, random } from '@scree/core/linalg';
import {
  type ControlOptions,
  checkControl,
  checkOption,
  deviationsOf,
  keepAlive,
  ProgressTracker,
} from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { withoutEncoding } from '../methods/with-encoding.js';

/** Options of `drift`. */
export interface DriftOptions extends ControlOptions {
  /**
   * Rows of the fit, or others that are known to be good, with which the new rows are compared by permutation: this is right for rows of any
   * distribution. Without them, rows of the fit are simulated from the model, as normal rows.
   */
  readonly reference?: TableData | undefined;
  /** Level of the tests. Default 0.95. */
  readonly level?: number | undefined;
  /** Permutations, or simulated tables. Default 499. */
  readonly permutations?: number | undefined;
  /** Splits the new rows, in their order, into so many windows of time. Default 1. */
  readonly windows?: number | undefined;
  /** One label per row, such as its day: a window per label, instead of `windows`. */
  readonly labels?: ArrayLike<string | number> | undefined;
  /** Default 0. */
  readonly seed?: number | undefined;
}

/** Whether something has changed. */
export interface DriftTest {
  /** What was measured: 0 if nothing has changed at all. */
  readonly statistic: number;
  /** The share of tables without drift whose statistic is as large. */
  readonly pValue: number;
  /** True if the p-value is below 1 − level, divided by three, because there are three tests (Bonferroni). */
  readonly changed: boolean;
}

/** What a column has done. */
export interface ColumnDrift {
  readonly column: number;
  readonly name: string;
  readonly meanBefore: number;
  readonly meanAfter: number;
  /** The shift of the mean in standard deviations of the fit; NaN if they are not known. */
  readonly shift: number;
  /** The standard deviation after, relative to that of the fit; NaN if it is not known. */
  readonly spread: number;
  /** Share of the column's squared distances from the mean of the fit that the components explain. */
  readonly explained: number;
}

/** The rows of one window compared with the rows of the fit. */
export interface DriftWindow {
  readonly label: string;
  readonly rows: number;
  /** Share of the squared distances from the mean of the fit that the components explain, of these rows and of the rows of the fit. */
  readonly explained: number;
  readonly explainedBefore: number;
  /** Has the mean moved: the squared distance of the mean in standard deviations of the model. */
  readonly mean: DriftTest;
  /** Has the covariance about the mean changed: of the scores, and of what is left out. */
  readonly covariance: DriftTest;
  /** Do the components explain less of the rows than of those of the fit: the difference of the shares about the rows' own mean. */
  readonly subspace: DriftTest;
}

/** What has changed between the rows of a fit and new rows. */
export interface Drift extends DriftWindow {
  readonly level: number;
  /** The rows of the fit: given, or simulated as normal rows. */
  readonly reference: 'rows' | 'simulated';
  readonly columns: readonly ColumnDrift[];
  /** Empty if there is a single window. */
  readonly windows: readonly DriftWindow[];
}

/** Rows of each table that are compared at most: more would add nothing but time. Wide tables are permuted with fewer. */
function mostRows(d: number): number {
  return Math.max(200, Math.min(4000, Math.floor(200_000 / d)));
}
/** Fewest rows that have a mean and a covariance. */
const FEWEST_ROWS = 8;

/** Rows as the model sees them, about the mean of the fit. */
interface Features {
  readonly rows: number;
  /** Index of each row in the data, because long tables are thinned out. */
  readonly places: Float64Array;
  readonly k: number;
  readonly d: number;
  /** Scores divided by their standard deviations: rows × k. */
  readonly scores: Float64Array;
  /** What the components leave of each column, divided by the mean deviation of the fit in those directions: rows × d. */
  readonly residuals: Float64Array;
  /** Squared distances from the mean, and from the reconstruction. */
  readonly squares: Float64Array;
  readonly q: Float64Array;
}

/**
 * Has something changed since the fit? Three tests, each of which can be wrong with probability (1 − level)/3 if nothing has: of the mean, of
 * the covariance about the mean, and of the subspace, whether the components explain less.
 *
 * The distribution of a statistic without drift comes from permutations: rows of the fit and new rows are divided anew, at random, into two
 * tables of the same sizes (Good 2005, Permutation, Parametric and Bootstrap Tests). For the last two tests, each table is centred at its own
 * mean first, so that a shift is not taken for another change.
 */
export function drift(fitted: Model, data: TableData | Row, options: DriftOptions = {}): Promise<Drift> {
  checkModel(fitted);
  const { level = 0.95, permutations = 499, windows = 1, labels, reference, seed = 0 } = options;
  const count = (must: string, least: number) => ({
    must,
    test: (v: unknown) => Number.isSafeInteger(v) && (v as number) >= least,
  });
  checkOption('level', level, {
    must: 'a number between 0 and 1, such as 0.95',
    test: (v) => typeof v === 'number' && v > 0 && v < 1,
  });
  checkOption('permutations', permutations, count('a whole number from 19 up', 19));
  checkOption('windows', windows, count('a whole number from 1 up', 1));
  return keepAlive(async () => {
    const model = withoutEncoding(fitted);
    const progress = new ProgressTracker(checkControl(options));
    const rng = random(seed + 1);
    const good =
      reference === undefined ? simulatedRows(model, rng) : (await readFeatures(fitted, reference, progress)).features;
    const before = reference === undefined || areOfFit(model, good) ? asNewRows(good, lossFactor(model)) : good;
    const read = await readFeatures(fitted, data, progress);
    const compare = async (label: string, features: Features): Promise<DriftWindow> => {
      progress.begin('drift', permutations);
      const done = await compareFeatures(before, features, { label, level, permutations, rng }, progress);
      progress.end();
      return done;
    };
    const whole = await compare('all rows', read.features);
    const parts = partsOf(read.features, windows, labels);
    const found: DriftWindow[] = [];
    for (const [label, part] of parts) if (part.rows >= FEWEST_ROWS) found.push(await compare(label, part));
    return withJson({
      ...whole,
      level,
      reference: reference === undefined ? ('simulated' as const) : ('rows' as const),
      columns: columnsOf(model, read.sums),
      windows: parts.length > 1 ? found : [],
    });
  });
}

/** Sums per column: Σx, Σx² of scaled values about the mean of the fit, and Σe². */
interface ColumnSums {
  rows: number;
  readonly sum: Float64Array;
  readonly square: Float64Array;
  readonly error: Float64Array;
}

/** Features of an even sample of the rows, and the sums of all rows. */
async function readFeatures(
  fitted: Model,
  data: TableData | Row,
  progress: ProgressTracker,
): Promise<{ features: Features; sums: ColumnSums }> {
  const model = withoutEncoding(fitted);
  const { d, k, mean, scale } = model;
  const components = model.components.data;
  const inverse = deviationsOf(model).map((deviation) => (deviation > 0 ? 1 / deviation : 0));
  const sums = { rows: 0, sum: new Float64Array(d), square: new Float64Array(d), error: new Float64Array(d) };
  const kept: KeptRow[] = [];
  const most = mostRows(d);
  const unit = residualUnit(model);
  let every = 1;
  const source = await openForModel(data, fitted, progress);
  try {
    if (source.cols !== d) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `These rows have ${source.cols} columns, but the model was fitted to ${d}.`,
        {
          value: source.cols,
          expected: d,
        },
      );
    }
    const b = new Float64Array(d);
    for await (const block of source.blocks()) {
      const dense = block.kind === 'dense' ? decoded(block) : undefined;
      const values = dense?.data ?? packedRows(block);
      const stride = dense?.stride ?? d;
      for (let i = 0; i < block.rows; i++) {
        const scores = new Float64Array(k);
        let [q, square] = [0, 0];
        for (let j = 0; j < d; j++) {
          b[j] = (values[i * stride + j] - mean[j]) / scale[j];
          if (b[j] - b[j] !== 0) {
            throw new DataError(
              'NOT_FINITE',
              `Row ${sums.rows + 1} has a missing or infinite value. Leave it out, or fill it in.`,
              {
                row: sums.rows,
                column: j,
              },
            );
          }
          sums.sum[j] += b[j];
          sums.square[j] += b[j] * b[j];
          square += b[j] * b[j];
        }
        for (let c = 0; c < k; c++) {
          const score = dot(components, c * d, b, 0, d);
          scores[c] = score * inverse[c];
          for (let j = 0; j < d; j++) b[j] -= score * components[c * d + j];
        }
        for (let j = 0; j < d; j++) {
          sums.error[j] += b[j] * b[j];
          q += b[j] * b[j];
        }
        if (sums.rows % every === 0)
          kept.push({ place: sums.rows, scores, residual: b.map((value) => value / unit), q, square });
        if (kept.length > 2 * most) {
          every *= 2;
          for (let at = 0; 2 * at < kept.length; at++) kept[at] = kept[2 * at];
          kept.length = Math.ceil(kept.length / 2);
        }
        sums.rows++;
      }
      await progress.yieldToEventLoop();
    }
    await refuseChanged(source);
  } finally {
    await source.close?.();
  }
  if (sums.rows < FEWEST_ROWS) {
    throw new DataError('TOO_FEW_ROWS', `There are ${sums.rows} rows, and a test of drift needs ${FEWEST_ROWS}.`, {
      value: sums.rows,
      expected: FEWEST_ROWS,
    });
  }
  return { features: featuresOf(kept, k, d), sums };
}

interface KeptRow {
  readonly place: number;
  readonly scores: Float64Array;
  readonly residual: Float64Array;
  readonly q: number;
  readonly square: number;
}

function featuresOf(kept: readonly KeptRow[], k: number, d: number): Features {
  const [scores, residuals] = [new Float64Array(kept.length * k), new Float64Array(kept.length * d)];
  kept.forEach((row, i) => {
    scores.set(row.scores, i * k);
    residuals.set(row.residual, i * d);
  });
  return {
    ...{ rows: kept.length, k, d, scores, residuals },
    places: Float64Array.from(kept, ({ place }) => place),
    q: Float64Array.from(kept, ({ q }) => q),
    squares: Float64Array.from(kept, ({ square }) => square),
  };
}

/** The mean deviation of the fit in the directions that are left out; 1 if there are none. */
function residualUnit({ noiseVariance }: Model): number {
  return noiseVariance > 0 ? Math.sqrt(noiseVariance) : 1;
}

/**
 * How much more of a new row is left out than of a row of the fit, on average (first order): the fit leaves (m − k)/m of the noise of its own
 * rows, and 1 + 1/n + k/m of that of new ones.
 */
function lossFactor({ k, totalWeight: n, centered }: Model): number {
  const m = centered ? n - 1 : n;
  return m > k ? ((centered ? 1 + 1 / n : 1) + k / m) * (m / (m - k)) : 1;
}

/** True if these are the rows of the fit, of which the components leave out less than of others. */
function areOfFit({ n, ddof, totalVariance }: Model, { rows, squares }: Features): boolean {
  const expected = (n - ddof) * totalVariance;
  return rows === n && Math.abs(squares.reduce((sum, square) => sum + square, 0) - expected) <= 1e-6 * expected;
}

/** The rows of the fit as new rows would be: with as much left out. */
function asNewRows(features: Features, factor: number): Features {
  const root = Math.sqrt(factor);
  return {
    ...features,
    residuals: features.residuals.map((value) => value * root),
    q: features.q.map((value) => value * factor),
    squares: features.squares.map((square, i) => square + (factor - 1) * features.q[i]),
  };
}

/** Normal rows as the model has them: scores of variance 1, and residuals with the variances that the columns have besides. */
function simulatedRows(model: Model, rng: Random): Features {
  const { k, d, n, totalVariance, variances, noiseVariance, columnVariances } = model;
  if (Number.isNaN(totalVariance)) {
    throw new DataError(
      'BAD_DATA',
      'This model does not know its variance: pass rows that are known to be good as the option reference.',
    );
  }
  const rows = Number.isNaN(n) ? mostRows(d) : Math.max(FEWEST_ROWS, Math.min(n, mostRows(d)));
  const components = model.components.data;
  const scores = Float64Array.from({ length: rows * k }, () => rng.normal());
  centre(scores, k, 0, rows);
  const own = Float64Array.from({ length: d }, (_, j) => {
    let rest = columnVariances ? columnVariances[j] : noiseVariance;
    for (let c = 0; columnVariances && c < k; c++) rest -= variances[c] * components[c * d + j] ** 2;
    return Math.sqrt(Math.max(0, rest));
  });
  const residuals = Float64Array.from({ length: rows * d }, (_, at) => own[at % d] * rng.normal());
  const unit = residualUnit(model);
  const left = Math.max(0, noiseVariance) * (d - k);
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < k; c++) {
      const score = dot(components, c * d, residuals, i * d, d);
      for (let j = 0; j < d; j++) residuals[i * d + j] -= score * components[c * d + j];
    }
  }
  centre(residuals, d, 0, rows);
  for (const value of residuals) sum += value * value;
  const factor = sum > 0 ? Math.sqrt((left * (rows - 1)) / sum) : 0;
  const q = new Float64Array(rows);
  const squares = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < d; j++) {
      q[i] += (factor * residuals[i * d + j]) ** 2;
      residuals[i * d + j] *= factor / unit;
    }
    squares[i] = q[i];
    for (let c = 0; c < k; c++) squares[i] += scores[i * k + c] ** 2 * variances[c];
  }
  return { rows, k, d, scores, residuals, q, squares, places: Float64Array.from({ length: rows }, (_, i) => i) };
}

function partsOf(
  features: Features,
  windows: number,
  labels: ArrayLike<string | number> | undefined,
): [string, Features][] {
  const groups = new Map<string, number[]>();
  for (let i = 0; i < features.rows; i++) {
    const at = labels ? String(labels[features.places[i]]) : String(Math.floor((i * windows) / features.rows) + 1);
    const known = groups.get(at) ?? [];
    known.push(i);
    groups.set(at, known);
  }
  return [...groups].map(([label, rows]) => [label, pick(features, rows)]);
}

function pick({ k, d, scores, residuals, q, squares, places }: Features, rows: readonly number[]): Features {
  const part = (values: Float64Array, width: number): Float64Array => {
    const picked = new Float64Array(rows.length * width);
    rows.forEach((row, i) => {
      picked.set(values.subarray(row * width, (row + 1) * width), i * width);
    });
    return picked;
  };
  return {
    ...{ rows: rows.length, k, d, scores: part(scores, k), residuals: part(residuals, d) },
    ...{ q: part(q, 1), squares: part(squares, 1), places: part(places, 1) },
  };
}

interface Comparison {
  readonly label: string;
  readonly level: number;
  readonly permutations: number;
  readonly rng: Random;
}

async function compareFeatures(
  before: Features,
  after: Features,
  { label, level, permutations, rng }: Comparison,
  progress: ProgressTracker,
): Promise<DriftWindow> {
  const { k, d } = after;
  const [n1, n2] = [before.rows, after.rows];
  const rows = n1 + n2;
  const both = (of: (features: Features) => Float64Array): Float64Array => {
    const values = new Float64Array(of(before).length + of(after).length);
    values.set(of(before));
    values.set(of(after), of(before).length);
    return values;
  };
  const scores = both((features) => features.scores);
  const residuals = both((features) => features.residuals);
  const centred = scores.slice();
  centre(centred, k, 0, n1);
  centre(centred, k, n1, rows);
  const rest = residuals.slice();
  centre(rest, d, 0, n1);
  centre(rest, d, n1, rows);
  const q = Float64Array.from({ length: rows }, (_, i) => dot(rest, i * d, rest, i * d, d));
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  const statistics = (): [number, number, number] => [
    meanStatistic(scores, k, order, n1) + meanStatistic(residuals, d, order, n1),
    covarianceStatistic(centred, q, k, order, n1),
    lossStatistic(q, order, n1),
  ];
  const own = statistics();
  const atLeast = [1, 1, 1];
  for (let p = 0; p < permutations; p++) {
    for (let i = rows - 1; i > 0; i--) {
      const j = Math.floor(rng.uniform() * (i + 1));
      const kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    statistics().forEach((value, t) => {
      if (value >= own[t]) atLeast[t]++;
    });
    const pause = progress.step(1);
    if (pause) await pause;
  }
  const test = (t: number): DriftTest => {
    const pValue = atLeast[t] / (permutations + 1);
    return { statistic: own[t], pValue, changed: pValue <= (1 - level) / 3 };
  };
  return {
    label,
    rows: after.rows,
    explained: explainedOf(after),
    explainedBefore: explainedOf(before),
    mean: test(0),
    covariance: test(1),
    subspace: test(2),
  };
}

function explainedOf({ q, squares }: Features): number {
  const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0);
  return 1 - sum(q) / sum(squares);
}

/** Subtracts the mean of rows from…to−1. */
function centre(scores: Float64Array, k: number, from: number, to: number): void {
  for (let c = 0; c < k; c++) {
    let mean = 0;
    for (let i = from; i < to; i++) mean += scores[i * k + c] / (to - from);
    for (let i = from; i < to; i++) scores[i * k + c] -= mean;
  }
}

/** ‖z̄₂ − z̄₁‖² of rows of `k` numbers. */
function meanStatistic(scores: Float64Array, k: number, order: Int32Array, n1: number): number {
  let sum = 0;
  for (let c = 0; c < k; c++) {
    let [a, b] = [0, 0];
    for (let i = 0; i < n1; i++) a += scores[order[i] * k + c];
    for (let i = n1; i < order.length; i++) b += scores[order[i] * k + c];
    sum += (b / (order.length - n1) - a / n1) ** 2;
  }
  return sum;
}

/** ‖S₂ − S₁‖² of the whitened scores, and the squared logarithm of the ratio of what the components leave out. */
function covarianceStatistic(scores: Float64Array, q: Float64Array, k: number, order: Int32Array, n1: number): number {
  const n2 = order.length - n1;
  let total = 0;
  for (let a = 0; a < k; a++) {
    for (let b = a; b < k; b++) {
      let [first, second] = [0, 0];
      for (let i = 0; i < n1; i++) first += scores[order[i] * k + a] * scores[order[i] * k + b];
      for (let i = n1; i < order.length; i++) second += scores[order[i] * k + a] * scores[order[i] * k + b];
      total += (a === b ? 1 : 2) * (second / n2 - first / n1) ** 2;
    }
  }
  const [before, after] = meansOf(q, order, n1);
  return total + (before > 0 && after > 0 ? Math.log(after / before) ** 2 : 0);
}

/** How much more the components leave out of the second table: the logarithm of the ratio of the means of Q. */
function lossStatistic(q: Float64Array, order: Int32Array, n1: number): number {
  const [before, after] = meansOf(q, order, n1);
  return before > 0 ? Math.log(after / before) : after;
}

function meansOf(values: Float64Array, order: Int32Array, n1: number): [number, number] {
  let [first, second] = [0, 0];
  for (let i = 0; i < n1; i++) first += values[order[i]];
  for (let i = n1; i < order.length; i++) second += values[order[i]];
  return [first / n1, second / (order.length - n1)];
}

function columnsOf(model: Model, { rows, sum, square, error }: ColumnSums): ColumnDrift[] {
  const { d, mean, scale, columnVariances, columnNames } = model;
  return Array.from({ length: d }, (_, j) => {
    const shift = sum[j] / rows;
    const variance = (square[j] - rows * shift * shift) / Math.max(1, rows - 1);
    const deviation = columnVariances ? Math.sqrt(columnVariances[j]) : Number.NaN;
    return {
      column: j,
      name: columnNames?.[j] ?? String(j),
      meanBefore: mean[j],
      meanAfter: mean[j] + scale[j] * shift,
      shift: shift / deviation,
      spread: Math.sqrt(Math.max(0, variance)) / deviation,
      explained: square[j] > 0 ? 1 - error[j] / square[j] : Number.NaN,
    };
  });
}
