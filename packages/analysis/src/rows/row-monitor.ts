import type { Model } from '@scree/core';
import { dot } from '@scree/core/linalg';
import { ConditionalMeans, deviationsOf } from '@scree/core/pipeline';

/** The statistics of one row. */
export interface RowStatistics {
  /** Hotelling's T²: Σ zᵢ²/λᵢ over the components with variance. */
  readonly t2: number;
  /** The squared distance from the reconstruction, in scaled units. */
  readonly q: number;
}

/**
 * T² and Q of one row after the other, and the contribution of every column to them. With b = (x − mean)/scale and z = Vb:
 *
 *   u = Vᵀ(z/√λ), T² = Σⱼ uⱼ²   (complete decomposition: Alcala & Qin 2009, Reconstruction-based contribution);
 *   e = b − Vᵀz,  Q  = Σⱼ eⱼ².
 *
 * Contributions are squares, so they are never negative, and they add up to T² and Q. A row costs O(dk). Arrays are memory of the
 * monitor: they hold the last row.
 */
export class RowMonitor {
  readonly d: number;
  /** The scaled row b. */
  readonly row: Float64Array;
  /** e of the last row. */
  readonly residual: Float64Array;
  /** u of the last row, after `share`. */
  readonly shares: Float64Array;
  readonly #components: Float64Array;
  readonly #mean: Float64Array;
  readonly #scale: Float64Array;
  readonly #inverse: Float64Array;
  readonly #scores: Float64Array;
  readonly #model: Model;
  #means: ConditionalMeans | undefined;

  constructor(model: Model) {
    const { d, k } = model;
    this.d = d;
    this.#model = model;
    this.row = new Float64Array(d);
    this.residual = new Float64Array(d);
    this.shares = new Float64Array(d);
    this.#components = model.components.data.slice();
    this.#mean = model.mean.slice();
    this.#scale = model.scale.slice();
    this.#inverse = deviationsOf(model).map((deviation) => (deviation > 0 ? 1 / deviation : 0));
    this.#scores = new Float64Array(k);
  }

  /**
   * T² and Q of a row in the user's units. A missing value (NaN) is replaced by what the other values of the row predict, so that a gap
   * alone makes no row unusual.
   */
  measure(values: ArrayLike<number>, start = 0): RowStatistics {
    const { d, row, residual } = this;
    const k = this.#scores.length;
    let missing = false;
    for (let j = 0; j < d; j++) {
      const b = (values[start + j] - this.#mean[j]) / this.#scale[j];
      missing ||= Number.isNaN(b);
      row[j] = b;
    }
    if (missing) this.#fill();
    residual.set(row);
    let t2 = 0;
    for (let c = 0; c < k; c++) {
      const score = dot(this.#components, c * d, row, 0, d);
      const ratio = score * this.#inverse[c];
      this.#scores[c] = ratio;
      t2 += ratio * ratio;
      const at = c * d;
      for (let j = 0; j < d; j++) residual[j] -= score * this.#components[at + j];
    }
    let q = 0;
    for (let j = 0; j < d; j++) q += residual[j] * residual[j];
    return { t2, q };
  }

  /** Computes `shares` of the last row: their squares are the contributions to T². */
  share(): void {
    const { d, shares } = this;
    shares.fill(0);
    for (let c = 0; c < this.#scores.length; c++) {
      const at = c * d;
      for (let j = 0; j < d; j++) shares[j] += this.#scores[c] * this.#components[at + j];
    }
  }

  /** How much of a column the components hold: Σ v². */
  communality(j: number): number {
    let sum = 0;
    for (let at = j; at < this.#components.length; at += this.d) sum += this.#components[at] ** 2;
    return sum;
  }

  #fill(): void {
    const gaps: number[] = [];
    for (let j = 0; j < this.d; j++) if (Number.isNaN(this.row[j])) gaps.push(j);
    this.#means ??= ConditionalMeans.of(this.#model);
    this.#means.fill(this.row, 0, gaps);
  }
}
