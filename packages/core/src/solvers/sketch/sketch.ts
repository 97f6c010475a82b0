import { LARGEST_SQUARE } from '../../base/limits.js';
import type { ProgressTracker } from '../../base/progress.js';
import { type Block, packTile, type Scaler } from '../../data/blocks/block.js';
import { fitsFloat32 } from '../../data/blocks/matrix.js';
import { chooseScaler, columnScales, type FitScaler, type Scale } from '../../data/statistics/scaling.js';
import {
  type ColumnStatistics,
  copyStatistics,
  emptyStatistics,
  meanBound,
  meanDifference,
  mergeStatistics,
  wholeMeanBound,
} from '../../data/statistics/statistics.js';
import type { Engine, RowsAt } from '../../engines/engine.js';
import { VectorBlock } from '../../engines/vector-block.js';
import { DataError, OptionError } from '../../errors.js';
import { orthonormalityDefect } from '../../linalg/orthonormality.js';
import { transpose } from '../../linalg/transpose.js';
import { dot, powerOfTwo, scale as rescale } from '../../linalg/vector.js';
import type { SketchRule } from './sketch-options.js';

export interface SketchSettings {
  readonly cols: number;
  /** ℓ: number of rows of the sketch. */
  readonly size: number;
  readonly rule: SketchRule;
  /** The scaling of the model. The sketch stores columns in similar units. */
  readonly scale: Scale;
  readonly columnWeights?: ArrayLike<number> | undefined;
  readonly centred: boolean;
}

/** A sketch scaled for a problem: C (count × d) with 0 ⪯ S − CᵀC ⪯ lost·I, but for ±rounding. */
export interface ScaledSketch {
  readonly rows: Float64Array;
  readonly count: number;
  readonly lost: number;
  readonly rounding: number;
}

/** The complete state of a sketch. */
export interface SketchState {
  readonly options: SketchSettings;
  readonly columns: Readonly<ColumnStatistics>;
  readonly divisor: Float64Array;
  /** The rows of the sketch, row-major. */
  readonly stack: Float64Array;
  readonly unit: number;
  readonly lost: number;
  readonly rounding: number;
  readonly float32: boolean;
  readonly sparse: boolean;
  readonly merges: number;
}

/** Smallest number of rows between two compressions. With fewer rows, the overhead would exceed the work. */
const FEWEST_ROWS = 48;
/** Further rows of the stack per row of the sketch. (s² + 2sℓ)/(s − ℓ), the operations per number, is smallest at s = 2.7ℓ. */
const STACK_SHARE = 2;
/** The number of rows of the stack of a sketch of `size` rows. */
export function capacityOf(size: number): number {
  return size + Math.max(FEWEST_ROWS, STACK_SHARE * size);
}
/** The unit of the stack is replaced when the data outgrow it by this factor. Its square is still far from overflow. */
const MOST_GROWTH = 2 ** 100;
/** Unit roundoff of float64. */
const UNIT_ROUNDOFF = 2 ** -53;

/**
 * A sketch of rows: ℓ rows R (ℓ × d) with RᵀR ≈ S. S = Σw(x − x̄)(x − x̄)ᵀ is the scatter of all rows that were added. It takes one pass,
 * and its memory does not grow with the number of rows. Sketches can be merged.
 *
 * The stack A (s × d) consists of R, of rows minus the mean of their block, and of one row √(w₁w₂/w)·δ per block for the distance
 * δ between means (Chan, Golub & LeVeque 1983; Ross et al. 2008). When the stack is full, R becomes UᵀA with the ℓ leading
 * eigenvectors U of AAᵀ:
 *
 * AᵀA − RᵀR = Aᵀ(I − UUᵀ)A, whose eigenvalues lie between 0 and the first eigenvalue that was left out.
 *
 * So RᵀR ⪯ S, and `lost`, the sum of these eigenvalues over all compressions, bounds ‖S − RᵀR‖. This is block-incremental SVD.
 * Frequent Directions (Liberty 2013; Ghashami, Liberty, Phillips & Woodruff 2016) also subtracts the eigenvalue δ that was left
 * out from those that remain: σᵢ² − δ. Every compression then reduces the trace by (ℓ + 1)·δ, and `lost` is at most Σ_{i>j} λᵢ/(ℓ
 * + 1 − j) for every j ≤ ℓ, for any data in any order.
 *
 * Cost: (s² + 2sℓ)·d flops and an eigenproblem of size s per s − ℓ rows, s = 3ℓ. Columns of R are multiplied by gⱼ, powers of
 * two.
 */
export class Sketch {
  readonly #options: SketchSettings;
  readonly #capacity: number;
  #columns: ColumnStatistics;
  /** [R; rows since the last compression]. The first `#filled` rows are in use. */
  readonly #stack: Float64Array;
  /** The part of 1/g that differs between columns. */
  readonly #divisor: Float64Array;
  #products: Float64Array | undefined;
  #next: Float64Array | undefined;
  #filled = 0;
  /** The inverse of the common part of g; 0 while all rows are equal. */
  #unit = 0;
  #lost = 0;
  #rounding = 0;
  #float32 = true;
  #sparse = false;
  #merges = 0;

  constructor(options: SketchSettings) {
    const { cols } = options;
    const size = Math.min(options.size, cols);
    const capacity = capacityOf(size);
    if (capacity > LARGEST_SQUARE) {
      throw new OptionError(
        'TOO_LARGE',
        `A sketch of ${size} rows needs a ${capacity}×${capacity} matrix; ${LARGEST_SQUARE} is the most. Use a smaller size, or a smaller k.`,
        { option: 'size', value: size, expected: Math.floor(LARGEST_SQUARE / (1 + STACK_SHARE)) },
      );
    }
    this.#options = { ...options, size };
    this.#capacity = capacity;
    this.#columns = emptyStatistics(cols);
    this.#stack = new Float64Array(capacity * cols);
    this.#divisor = new Float64Array(cols).fill(1);
  }

  get cols(): number {
    return this.#options.cols;
  }

  /** min(ℓ, d). */
  get size(): number {
    return this.#options.size;
  }

  get rule(): SketchRule {
    return this.#options.rule;
  }

  get columns(): Readonly<ColumnStatistics> {
    return this.#columns;
  }

  get dtype(): 'float32' | 'float64' {
    return this.#float32 && this.#merges > 0 ? 'float32' : 'float64';
  }

  get sparse(): boolean {
    return this.#sparse;
  }

  /** Number of blocks that were merged. */
  get merges(): number {
    return this.#merges;
  }

  /** A deep copy. */
  copy(): Sketch {
    return Sketch.restore(this.state());
  }

  state(): SketchState {
    return {
      options: this.#options,
      columns: this.#columns,
      divisor: this.#divisor,
      stack: this.#stack.subarray(0, this.#filled * this.cols),
      unit: this.#unit,
      lost: this.#lost,
      rounding: this.#rounding,
      float32: this.#float32,
      sparse: this.#sparse,
      merges: this.#merges,
    };
  }

  /** Makes a sketch from a state. Numbers are copied. */
  static restore({ options, columns, divisor, stack, ...state }: SketchState): Sketch {
    const sketch = new Sketch(options);
    sketch.#columns = copyStatistics(columns);
    sketch.#stack.set(stack);
    sketch.#divisor.set(divisor);
    sketch.#filled = stack.length / options.cols;
    sketch.#unit = state.unit;
    sketch.#lost = state.lost;
    sketch.#rounding = state.rounding;
    sketch.#float32 = state.float32;
    sketch.#sparse = state.sparse;
    sketch.#merges = state.merges;
    return sketch;
  }

  /** Adds a block of rows. If it throws, the sketch is unusable: add to a copy to be able to continue. */
  async add(block: Block, at: RowsAt, engine: Engine, progress: ProgressTracker): Promise<void> {
    const loaded = await engine.load(block);
    let stats: ColumnStatistics;
    try {
      stats = await loaded.summarise(at, undefined, () => progress.yieldToEventLoop());
    } finally {
      loaded.release();
    }
    this.#float32 &&= fitsFloat32(block.data);
    if (stats.rows > 0) await this.#mergeColumns(stats, block.kind === 'sparse', 1, engine, progress);
    // If all rows are equal, or there is only one, the row of the means' distance is all that they add.
    if (stats.spread.some((spread) => spread > 0)) await this.#addRows(block, stats.mean, at.weights, engine, progress);
    else await progress.step(block.rows);
  }

  /** Adds the rows of another sketch. The error bounds of both add up. */
  async merge(other: Sketch, engine: Engine, progress: ProgressTracker): Promise<void> {
    const { cols: d } = this;
    if (other.#columns.rows === 0) return;
    const constant = other.#columns.spread.map((spread) => (spread > 0 ? 0 : 1));
    this.#float32 &&= other.#float32;
    await this.#mergeColumns(other.#columns, other.#sparse, other.#merges, engine, progress);
    if (other.#unit === 0) return;
    const theirs = other.#factor();
    const ratio = this.#factor().map((factor, j) => (constant[j] ? 0 : factor / theirs[j]));
    const most = largest(ratio) ** 2;
    this.#lost += other.#lost * most;
    this.#rounding += other.#rounding * most;
    for (let i = 0; i < other.#filled; i++) {
      await this.#addRow(engine, progress, (j) => other.#stack[i * d + j] * ratio[j]);
    }
  }

  /**
   * Scales the sketch: columns are multiplied by f/g. If data are not centred, a further row √w·x̄ moves them to zero. Rows of
   * zeros are appended until there are `least` rows.
   */
  scaled({ factor, scatterTrace }: FitScaler, centred: boolean, least: number): ScaledSketch {
    const { cols: d } = this;
    const { mean, weight, spread } = this.#columns;
    const mine = this.#factor();
    const ratio = factor.map((f, j) => (spread[j] > 0 ? f / mine[j] : 0));
    const count = Math.max(least, this.#filled + (centred ? 0 : 1));
    const rows = new Float64Array(count * d);
    for (let i = 0; i < this.#filled; i++) {
      for (let j = 0; j < d; j++) rows[i * d + j] = this.#stack[i * d + j] * ratio[j];
    }
    if (!centred) for (let j = 0; j < d; j++) rows[this.#filled * d + j] = Math.sqrt(weight) * mean[j] * factor[j];
    let kept = 0;
    for (let i = 0; i < count; i++) kept += dot(rows, i * d, rows, i * d, d);
    const most = largest(ratio) ** 2;
    // The norm of a positive semidefinite matrix is at most its trace.
    return {
      rows,
      count,
      lost: Math.min(this.#lost * most, Math.max(0, scatterTrace - kept)),
      rounding: this.#rounding * most,
    };
  }

  /** g: the factor of each column of the stack. */
  #factor(): Float64Array {
    return this.#divisor.map((divisor) => 1 / divisor / this.#unit);
  }

  /** Merges the statistics of more rows, chooses units for both, and adds the row of the distance between the means. */
  async #mergeColumns(
    more: Readonly<ColumnStatistics>,
    sparse: boolean,
    merges: number,
    engine: Engine,
    progress: ProgressTracker,
  ): Promise<void> {
    const { cols: d } = this;
    const columns = this.#columns;
    const coupling = Math.sqrt((columns.weight * more.weight) / (columns.weight + more.weight));
    const constant = columns.spread.map((spread) => (spread > 0 ? 0 : 1));
    const first = columns.rows === 0;
    const delta = columns.mean.map((_, j) => (first ? 0 : meanDifference(columns, more, j)));
    const both = (bound: typeof meanBound) => (_: number, j: number) =>
      bound(more, j, sparse, merges) + (first ? 0 : bound(columns, j, this.#sparse, this.#merges));
    const [blur, apart] = [delta.map(both(meanBound)), delta.map(both(wholeMeanBound))];
    mergeStatistics(columns, more);
    this.#sparse ||= sparse;
    this.#merges += merges;
    this.#chooseUnits(constant);
    if (this.#unit === 0) return;
    const factor = this.#factor();
    // An error η of the means makes Σw(x − m)(x − m)ᵀ too large by Σw·ηηᵀ, and changes their distance to first order.
    let [length, error, distanceError] = [0, 0, 0];
    for (let j = 0; j < d; j++) {
      length += (coupling * delta[j] * factor[j]) ** 2;
      error += (blur[j] * factor[j]) ** 2;
      distanceError += (apart[j] * factor[j]) ** 2;
    }
    this.#rounding += (more.weight + coupling ** 2) * error + 2 * coupling * Math.sqrt(length * distanceError);
    if (length === 0) return;
    await this.#addRow(engine, progress, (j) => coupling * delta[j] * factor[j]);
  }

  /** Chooses a unit for columns that begin to vary. If the data outgrow the common unit, a larger one replaces it. */
  #chooseUnits(constant: Float64Array): void {
    const { scale: wanted, columnWeights, centred } = this.#options;
    const { scale } = columnScales(this.#columns, wanted, this.#columns.weight, centred, columnWeights);
    for (let j = 0; j < scale.length; j++) if (constant[j]) this.#divisor[j] = powerOfTwo(scale[j]);
    const { unit, scatterTrace } = chooseScaler(this.#columns, this.#divisor, true);
    if (scatterTrace === 0) return;
    if (this.#unit > 0 && unit / this.#unit > MOST_GROWTH) {
      const ratio = this.#unit / unit;
      rescale(ratio, this.#stack, 0, this.#filled * this.cols);
      this.#lost *= ratio * ratio;
      this.#rounding *= ratio * ratio;
      this.#unit = unit;
    }
    this.#unit ||= unit;
  }

  /** Writes the rows of a block, minus `mean` and times √w, into the stack. Compresses the stack when it is full. */
  async #addRows(
    block: Block,
    mean: Float64Array,
    weights: Float64Array | undefined,
    engine: Engine,
    progress: ProgressTracker,
  ): Promise<void> {
    const { cols: d } = this;
    const rootWeights = weights?.map(Math.sqrt);
    const scaler: Scaler = { shift: mean, factor: this.#factor(), ...(rootWeights ? { rootWeights } : {}) };
    for (let from = 0; from < block.rows; ) {
      if (this.#filled === this.#capacity) await this.#compress(engine, progress);
      // Rows with weights are added one by one, because rows of weight 0 are skipped: they may have any values.
      const to = Math.min(block.rows, from + (weights ? 1 : this.#capacity - this.#filled));
      if (weights?.[from] !== 0) {
        packTile(block, scaler, { from, to, left: 0, right: d }, this.#stack.subarray(this.#filled * d));
        this.#filled += to - from;
      }
      const pause = progress.step(to - from);
      if (pause) await pause;
      from = to;
    }
  }

  /** Adds one row to the stack. */
  async #addRow(engine: Engine, progress: ProgressTracker, entry: (j: number) => number): Promise<void> {
    if (this.#filled === this.#capacity) await this.#compress(engine, progress);
    const start = this.#filled++ * this.cols;
    for (let j = 0; j < this.cols; j++) this.#stack[start + j] = entry(j);
  }

  /** R = UᵀA, shrunk by Frequent Directions. */
  async #compress(engine: Engine, progress: ProgressTracker): Promise<void> {
    const { cols: d, size } = this;
    const s = this.#capacity;
    this.#products ??= new Float64Array(s * s);
    this.#next ??= new Float64Array(size * d);
    const [products, next] = [this.#products, this.#next];
    await VectorBlock.use(this.#stack, s, d, { engine, progress }, async (block) => {
      await block.products(products);
      let trace = 0;
      for (let i = 0; i < s; i++) trace += products[i * s + i];
      if (!Number.isFinite(trace)) throw outOfRange();
      const { values, vectors } = await engine.symmetricEigen(products, s, size, () => progress.yieldToEventLoop());
      // A sketch of d rows loses nothing: the remaining eigenvalues are rounding errors.
      const lost = size < d ? Math.max(0, values[size]) : 0;
      this.#lost += lost;
      this.#rounding += trace * compressionError(engine, s, d, size, orthonormalityDefect(vectors, size, s));
      if (this.#options.rule === 'frequent-directions' && lost > 0) {
        for (let r = 0; r < size; r++) {
          rescale(Math.sqrt(Math.max(0, 1 - lost / values[r])), vectors, r * s, s);
        }
      }
      next.fill(0);
      await block.combine(transpose(vectors, size, s), size, next);
    });
    this.#stack.set(next);
    this.#filled = size;
  }
}

/**
 * Upper bound on the rounding error of RᵀR in one compression, relative to the trace. It includes the products AAᵀ, their
 * eigenproblem, vectors that are orthonormal only to `defect`, and the product UᵀA, whose error is at most (s + 16)·u·√ℓ·‖A‖.
 */
function compressionError(engine: Engine, s: number, d: number, size: number, defect: number): number {
  const eigen = 16 * s * Number.EPSILON;
  return 2 * engine.roundoff(s, d, false) + eigen + size * defect + 2 * Math.sqrt(size) * (s + 16) * UNIT_ROUNDOFF;
}

function largest(values: Float64Array): number {
  return values.reduce((max, value) => Math.max(max, value), 0);
}

function outOfRange(): DataError {
  return new DataError(
    'OUT_OF_RANGE',
    'The variance of these rows is beyond float64. Divide the data by a constant first.',
  );
}
