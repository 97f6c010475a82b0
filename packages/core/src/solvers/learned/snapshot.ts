import type { Matrix } from '../../data/blocks/matrix.js';
import { describeValue, OptionError } from '../../errors.js';
import { rowProducts } from '../../linalg/row-products.js';
import { dot } from '../../linalg/vector.js';
import type { Epoch } from './epoch.js';
import type { EpochState } from './rule.js';

/** The scaled rows, and the size of their unit in the units of the data. */
interface ScaledRows {
  readonly n: number;
  readonly d: number;
  readonly k: number;
  readonly rows: Float64Array;
  readonly unit: number;
}

/**
 * The forces on one point by every other point. A coefficient above 0 pushes the point away from the other one, and a coefficient
 * below 0 pulls it.
 */
export interface PointForces {
  /** Dˣᵢⱼ, from distances in the data. */
  readonly data: Float64Array;
  /** Dʸᵢⱼ, from distances in the embedding. It enters with the opposite sign. */
  readonly embedding: Float64Array;
  /**
   * Σ(Dˣ − Dʸ)(yᵢ − yⱼ) over the points that pull, and over those that push, in the data's units. A plain step is η/2 times their
   * sum.
   */
  readonly attraction: Float64Array;
  readonly repulsion: Float64Array;
}

/** The state of one epoch of `descend`. Its arrays are copies. Scores and forces are computed on demand. */
export class Snapshot implements Epoch {
  readonly epoch: number;
  readonly loss: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly step: number;
  readonly batch?: number;
  readonly defect: number;
  readonly angle?: number;
  readonly residual?: number;
  readonly converged: boolean;
  /** k × d: the weights W, or YᵀB for points. These rows span the current subspace. */
  readonly rows: Matrix<Float64Array>;
  readonly #points: Float64Array | undefined;
  readonly #longest: number;
  readonly #scaled: ScaledRows;

  constructor(epoch: Epoch, state: EpochState, converged: boolean, scaler: ScaledRows) {
    this.epoch = epoch.epoch;
    this.loss = epoch.loss;
    this.terms = epoch.terms;
    this.step = epoch.step;
    if (epoch.batch !== undefined) this.batch = epoch.batch;
    this.defect = epoch.defect;
    if (epoch.angle !== undefined) this.angle = epoch.angle;
    if (epoch.residual !== undefined) this.residual = epoch.residual;
    this.converged = converged;
    this.rows = { rows: scaler.k, cols: scaler.d, data: state.rows.slice() };
    this.#points = state.points?.slice();
    this.#longest = state.unit ?? 1;
    this.#scaled = scaler;
  }

  /** The coordinates of each row (n × k), in the data's units: the points, or the codes Wx. */
  scores(): Matrix<Float64Array> {
    const { n, d, k, rows, unit } = this.#scaled;
    const data = this.#points?.slice() ?? rowProducts(rows, n, this.rows.data, k, d);
    for (let at = 0; at < data.length; at++) data[at] *= unit * this.#longest;
    return { rows: n, cols: k, data };
  }

  /** The forces of all points on point i, for rules that move points. */
  forces(i: number): PointForces {
    const { n, d, k, rows, unit } = this.#scaled;
    const y = this.#points;
    if (!y) throw new OptionError('BAD_OPTION', "forces() is for the rules 'pairwise' and 'factored' only.");
    if (!Number.isSafeInteger(i) || i < 0 || i >= n) {
      throw new OptionError(
        'BAD_OPTION',
        `There is no point ${describeValue(i)}; they are counted from 0 to ${n - 1}.`,
        {
          value: i,
        },
      );
    }
    const top = this.#longest ** 2;
    // Double centring of squared distances leaves −2⟨xᵢ, xⱼ⟩ of centred points.
    const data = Float64Array.from({ length: n }, (_, j) => (-2 * dot(rows, i * d, rows, j * d, d)) / top);
    const embedding = Float64Array.from({ length: n }, (_, j) => -2 * dot(y, i * k, y, j * k, k));
    const attraction = new Float64Array(k);
    const repulsion = new Float64Array(k);
    for (let j = 0; j < n; j++) {
      const coefficient = data[j] - embedding[j];
      const side = coefficient < 0 ? attraction : repulsion;
      const factor = coefficient * unit * this.#longest;
      for (let c = 0; c < k; c++) side[c] += factor * (y[i * k + c] - y[j * k + c]);
    }
    return { data, embedding, attraction, repulsion };
  }
}
