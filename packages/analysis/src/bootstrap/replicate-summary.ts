import type { Interval, Stability } from '@scree/core';
import { combineRows } from '@scree/core/linalg';
import type { Alignment, MatrixLimits } from '@scree/core/pipeline';
import { compareAxes, rotationOnto, signedLoadings } from './align.js';
import {
  andersonInterval,
  angleSpread,
  correctionFor,
  LOGARITHM,
  LOGIT,
  percentiles,
  possibleShares,
  standardErrors,
  varianceInterval,
} from './intervals.js';
import type { Replicate } from './replicate.js';

/** Largest correlation in Fisher's z. Closer to ±1, rounding would become large numbers. */
const PERFECT = 1 - 1e-6;

/**
 * Variances below this share of the first count as 0: a hundred times the rounding of sums over rows for columns that depend on others.
 * A variance of 1e-12 of the first can be real, if an identifier is among the measurements.
 */
export const NO_VARIANCE = 1e-13;

/** Sums up replicates one by one: keeps numbers per component, and sums of squares per loading. */
export class ReplicateSummary {
  readonly #sample: Replicate;
  readonly #k: number;
  readonly #d: number;
  readonly #alignment: Alignment;
  readonly #loadings: Float64Array;
  /** Fisher's z of the correlations of columns with components. */
  readonly #z: Float64Array;
  readonly #values: Float64Array[];
  readonly #along: Float64Array[];
  readonly #ratios: Float64Array[];
  readonly #alongRatios: Float64Array[];
  readonly #angles: Float64Array[];
  readonly #subspaceAngles: Float64Array[];
  readonly #swaps: Float64Array;
  readonly #loadingSquares: Float64Array;
  readonly #zSquares: Float64Array;
  #count = 0;

  constructor(sample: Replicate, replicates: number, alignment: Alignment) {
    this.#sample = sample;
    this.#k = sample.values.length;
    this.#d = sample.mean.length;
    this.#alignment = alignment;
    const perComponent = (): Float64Array[] => Array.from({ length: this.#k }, () => new Float64Array(replicates));
    this.#loadings = sample.vectors.map((entry, at) => Math.sqrt(sample.values[Math.floor(at / this.#d)]) * entry);
    this.#z = this.#loadings.map((loading, at) => fisherZ(loading, sample.deviations[at % this.#d]));
    [this.#values, this.#along, this.#ratios] = [perComponent(), perComponent(), perComponent()];
    [this.#alongRatios, this.#angles, this.#subspaceAngles] = [perComponent(), perComponent(), perComponent()];
    this.#swaps = new Float64Array(this.#k - 1);
    this.#loadingSquares = new Float64Array(this.#k * this.#d);
    this.#zSquares = new Float64Array(this.#k * this.#d);
  }

  /** Adds a replicate, and returns its components aligned with the sample's. */
  add(replicate: Replicate): Float64Array {
    const [k, d, b] = [this.#k, this.#d, this.#count++];
    const { total, vectors, deviations } = replicate;
    const values = varying(replicate.values);
    const along = varying(replicate.along, replicate.values[0]);
    const rank = values.filter((value) => value > 0).length;
    const { cosines, angles, subspaceAngles, swaps } = compareAxes(vectors, this.#sample.vectors, k, d, rank);
    for (let i = 0; i < k; i++) {
      this.#values[i][b] = values[i];
      this.#along[i][b] = along[i];
      this.#ratios[i][b] = total > 0 ? Math.min(1, values[i] / total) : 0;
      this.#alongRatios[i][b] = total > 0 ? Math.min(1, along[i] / total) : 0;
      this.#angles[i][b] = angles[i];
      this.#subspaceAngles[i][b] = subspaceAngles[i];
      if (i + 1 < k && swaps[i]) this.#swaps[i]++;
    }
    let loadings = signedLoadings(values, vectors, cosines);
    const rotates = this.#alignment === 'procrustes';
    if (rotates) loadings = combineRows(rotationOnto(loadings, this.#loadings, k, d), k, loadings, k, d);
    for (let at = 0; at < k * d; at++) {
      this.#loadingSquares[at] += (loadings[at] - this.#loadings[at]) ** 2;
      this.#zSquares[at] += (fisherZ(loadings[at], deviations[at % d]) - this.#z[at]) ** 2;
    }
    if (rotates) return combineRows(rotationOnto(vectors, this.#sample.vectors, k, d), k, vectors, k, d);
    return vectors.map((entry, at) => (cosines[Math.floor(at / d) * (k + 1)] < 0 ? -entry : entry));
  }

  /**
   * The numbers of a `Stability`. `unit` is the size of one unit of the replicates, `units` the number of drawn rows or groups, `rows`
   * the number of rows. With `unitScaled` loadings are correlations. With `fixedTotal` the scaling gives the columns the same variance
   * in every sample, so a variance is a share of a known total.
   */
  result(
    unit: number,
    units: number,
    rows: number,
    { unitScaled, fixedTotal }: { readonly unitScaled: boolean; readonly fixedTotal: boolean },
  ): Summarised {
    const [k, d] = [this.#k, this.#d];
    const { total, deviations } = this.#sample;
    const values = varying(this.#sample.values);
    const reach = standardErrors(units);
    const square = unit * unit;
    const found = Array.from(values, (value, i) =>
      varianceInterval(value, this.#values[i], this.#along[i], reach, LOGARITHM, correctionFor(values, i, units)),
    );
    const shares = Array.from(values, (value, i) => {
      const share = total > 0 ? Math.min(1, value / total) : 0;
      const [own, along, possible] = [this.#ratios[i], this.#alongRatios[i], possibleShares(i, d)];
      return varianceInterval(share, own, along, reach, LOGIT, correctionFor(values, i, units), possible).interval;
    });
    const whole = total * square;
    const variances = fixedTotal
      ? shares.map(([low, high]) => [low * whole, high * whole] as const)
      : found.map(({ interval: [low, high] }) => [low * square, high * square] as const);
    const correlations = this.#limits((at) => {
      const z = this.#z[at];
      const error = reach * Math.sqrt(this.#zSquares[at] / this.#count);
      const own = deviations[at % d] > 0 ? this.#loadings[at] / deviations[at % d] : 0;
      return [Math.min(own, Math.tanh(z - error)), Math.max(own, Math.tanh(z + error))];
    });
    // If λ is too small by a factor, the loadings √λ·v are too small by its root.
    const loadings = unitScaled
      ? correlations
      : this.#limits((at) => {
          const corrected = unit * Math.exp(-found[Math.floor(at / d)].bias);
          const error = reach * Math.sqrt(this.#loadingSquares[at] / this.#count);
          return [corrected * (this.#loadings[at] - error), corrected * (this.#loadings[at] + error)];
        });
    return {
      variances,
      ratios: shares,
      angles: this.#angles.map(angleSpread),
      subspaceAngles: this.#subspaceAngles.map(angleSpread),
      swaps: Array.from(this.#swaps, (swapped) => swapped / this.#count),
      loadings,
      correlations,
      percentiles: {
        variances: Array.from({ length: k }, (_, i) => {
          const [low, high] = percentiles(this.#values[i]);
          return [low * square, high * square] as const;
        }),
      },
      asymptotic: { variances: Array.from(values, (value) => andersonInterval(value * square, rows)) },
    };
  }

  #limits(limit: (at: number) => Interval): MatrixLimits {
    const [low, high]: [number[], number[]] = [[], []];
    for (let at = 0; at < this.#k * this.#d; at++) {
      const [from, to] = limit(at);
      low.push(from);
      high.push(to);
    }
    return { low, high };
  }
}

/** The results of replicates, without how they were drawn. */
type Summarised = Pick<
  Stability,
  | 'variances'
  | 'ratios'
  | 'angles'
  | 'subspaceAngles'
  | 'swaps'
  | 'loadings'
  | 'correlations'
  | 'percentiles'
  | 'asymptotic'
>;

/** Replaces variances that are rounding by 0. */
function varying(values: Float64Array, largest = values[0]): Float64Array {
  return values.map((value) => (value > NO_VARIANCE * largest ? value : 0));
}

/** atanh of the correlation of a column with a component; 0 for a constant column. */
function fisherZ(loading: number, deviation: number): number {
  if (deviation === 0) return 0;
  return Math.atanh(Math.max(-PERFECT, Math.min(PERFECT, loading / deviation)));
}
