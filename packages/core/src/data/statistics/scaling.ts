import { DataError, describeValue, OptionError } from '../../errors.js';
import { powerOfTwo } from '../../linalg/vector.js';
import { type ColumnStatistics, columnSquares, scaledSquares } from './statistics.js';

/**
 * The divisor of a column: none, its deviation, the square root of its deviation, its range, its median absolute deviation, or a
 * given number.
 */
export type Scale = 'none' | 'unit' | 'pareto' | 'range' | 'median' | ArrayLike<number>;

/** The rules by which scales are computed. `given`: the user gave numbers. */
export const SCALINGS = ['none', 'unit', 'pareto', 'range', 'median', 'given'] as const;
/** The name of a scaling rule. */
export type ScalingRule = (typeof SCALINGS)[number];

export interface Scaling {
  readonly rule: ScalingRule;
  readonly scale: Float64Array;
  /** Columns that vary too little to be scaled. Their scale is 1. */
  readonly constantColumns: readonly number[];
}

/**
 * The scale of each column: `unit` its deviation (with the model's ddof, so that scaled columns have variance 1),
 * `pareto` the square root of that, `range` max − min. Deviations are taken about the same centre as the model's
 * variances: the mean, or zero when data are not centred. A constant column keeps scale 1.
 *
 * A column of weight m counts m times in squared distances: it is multiplied by √m, so its scale is divided by that.
 */
export function columnScales(
  stats: ColumnStatistics,
  wanted: Scale,
  divisor: number,
  centred: boolean,
  columnWeights?: ArrayLike<number>,
): Scaling {
  const scaling = plainScales(stats, wanted, divisor, centred);
  const { scale } = scaling;
  if (columnWeights) for (let j = 0; j < scale.length; j++) scale[j] /= Math.sqrt(columnWeights[j]);
  return scaling;
}

function plainScales(stats: ColumnStatistics, wanted: Scale, divisor: number, centred: boolean): Scaling {
  const cols = stats.mean.length;
  const scale = new Float64Array(cols).fill(1);
  const constantColumns: number[] = [];
  const rule = typeof wanted === 'string' ? wanted : 'given';
  if (wanted === 'none') return { rule, scale, constantColumns };
  if (wanted === 'median') throw mediansNeedRows();
  for (let j = 0; j < cols; j++) {
    const size =
      typeof wanted !== 'string'
        ? wanted[j]
        : wanted === 'range'
          ? stats.max[j] - stats.min[j]
          : columnDeviation(stats, j, divisor, centred) ** (wanted === 'pareto' ? 0.5 : 1);
    // A deviation whose reciprocal is infinite cannot be used either.
    if (typeof wanted === 'string' && !Number.isFinite(1 / size)) constantColumns.push(j);
    else scale[j] = size;
  }
  return { rule, scale, constantColumns };
}

/** √(Σw(x − c)²/divisor) in the data's own units. */
export function columnDeviation(stats: ColumnStatistics, j: number, divisor: number, centred: boolean): number {
  const { sum, unit } = columnSquares(stats, j, centred);
  return Math.sqrt(sum / divisor) * unit;
}

function mediansNeedRows(): OptionError {
  return new OptionError(
    'BAD_SCALE',
    "scale: 'median' is computed from rows that are read several times, which is not possible here. Use pca with the rows, or scale: 'unit'.",
    { option: 'scale', value: 'median' },
  );
}

/** Checks scales that were given as numbers. Throws for 'median', which `pca` replaces by numbers before it calls this function. */
export function checkScale(scale: Scale, cols: number): void {
  if (scale === 'median') throw mediansNeedRows();
  if (typeof scale === 'string') return;
  if (scale.length !== cols) {
    throw new OptionError('BAD_SCALE', `scale has ${scale.length} numbers, but there are ${cols} columns.`, {
      option: 'scale',
      value: scale.length,
      expected: cols,
    });
  }
  for (let j = 0; j < cols; j++) {
    if (typeof scale[j] === 'number' && scale[j] > 0 && Number.isFinite(scale[j]) && Number.isFinite(1 / scale[j]))
      continue;
    throw new OptionError(
      'BAD_SCALE',
      `scale[${j}] is ${describeValue(scale[j])}. Columns are divided by their scale, so it must be a positive number.`,
      { option: 'scale', column: j, value: scale[j] },
    );
  }
}

/** Largest column weight, and inverse of the smallest. Scales stay far from overflow. */
const HEAVIEST = 1e20;

/** Throws unless there is one positive weight per column. */
export function checkColumnWeights(weights: ArrayLike<number>, cols: number): void {
  if (weights.length !== cols) {
    throw new OptionError('BAD_OPTION', `There are ${weights.length} column weights for ${cols} columns.`, {
      option: 'columnWeights',
      value: weights.length,
      expected: cols,
    });
  }
  for (let j = 0; j < cols; j++) {
    const weight: unknown = weights[j];
    if (typeof weight === 'number' && weight >= 1 / HEAVIEST && weight <= HEAVIEST) continue;
    throw new OptionError(
      'BAD_OPTION',
      `columnWeights[${j}] is ${describeValue(weight)}. Weights must be numbers from ${1 / HEAVIEST} to ${HEAVIEST}; leave out a column that should not count.`,
      { option: 'columnWeights', column: j, value: weight },
    );
  }
}

/**
 * The scaler of a fit. Its factors include a common power of two `unit`, chosen so that the scaled data are of size 1.
 * Variances of the scaled data are exactly unit² times smaller than the user's.
 */
export interface FitScaler {
  readonly shift: Float64Array;
  readonly factor: Float64Array;
  readonly rowSquare?: number;
  readonly unit: number;
  /** trace(S) of the scaled data: the sum of the variances of the scaled columns times the divisor, in units of unit². */
  readonly scatterTrace: number;
}

export function chooseScaler(stats: ColumnStatistics, scale: Float64Array, centred: boolean): FitScaler {
  let largest = 0;
  for (let j = 0; j < scale.length; j++) {
    const size = columnDeviation(stats, j, 1, centred) / scale[j];
    if (!Number.isFinite(size)) {
      throw new DataError(
        'OUT_OF_RANGE',
        `Column ${j + 1} spans ${stats.min[j]} to ${stats.max[j]}: its variance is beyond float64. Divide it by a constant first.`,
        { column: j, value: stats.max[j] - stats.min[j] },
      );
    }
    largest = Math.max(largest, size);
  }
  const unit = powerOfTwo(largest);
  const factor = new Float64Array(scale.length);
  let scatterTrace = 0;
  for (let j = 0; j < scale.length; j++) {
    factor[j] = 1 / scale[j] / unit;
    scatterTrace += scaledSquares(stats, j, centred, factor[j]);
  }
  const shift = centred ? stats.mean.slice() : new Float64Array(scale.length);
  return { shift, factor, unit, scatterTrace, rowSquare: scatterTrace / stats.weight };
}

/** Scales S, and moves it to zero if data are not centred. Adding the means back cancels nothing. */
export function scaleScatter(
  scatter: Float64Array,
  { cols: d, columns }: { readonly cols: number; readonly columns: Readonly<ColumnStatistics> },
  { factor }: FitScaler,
  centred: boolean,
): void {
  const scale = columns.unit.map((unit, j) => unit * factor[j]);
  const offset = columns.mean.map((mean, j) => (centred ? 0 : mean * factor[j]));
  for (let i = 0; i < d; i++) {
    scaleRow(scatter.subarray(i * d, (i + 1) * d), i, scale[i], scale, columns.weight * offset[i], offset);
  }
}

/** xⱼ ← xⱼ·own·scaleⱼ + moved·offsetⱼ for j ≥ `first`. */
function scaleRow(
  x: Float64Array,
  first: number,
  own: number,
  scale: Float64Array,
  moved: number,
  offset: Float64Array,
): void {
  for (let j = first; j < x.length; j++) x[j] = x[j] * own * scale[j] + moved * offset[j];
}
