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
  /** ℓ: rows that are kept. */
  readonly size: number;
  readonly rule: SketchRule;
  /** The scaling of the final model: the sketch keeps columns in units near it. */
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

/** All that a sketch is. */
export interface SketchState {
  readonly options: SketchSettings;
  readonly columns: Readonly<ColumnStatistics>;
  readonly divisor: Float64Array;
  /** The rows that are kept, one after the other. */
  readonly stack: Float64Array;
  readonly unit: number;
  readonly lost: number;
  readonly rounding: number;
  readonly float32: boolean;
  readonly sparse: boolean;
  readonly merges: number;
}

/** Fewest rows between two compressions: with fewer, the overhead would cost more than the work. */
const FEWEST_ROWS = 48;
/** Rows of the stack per row of the sketch: (s² + 2sℓ)/(s − ℓ) operations per number are fewest at s = 2.7ℓ. */
const STACK_SHARE = 2;
/** Rows of the stack for a sketch of so many. */
export function capacityOf(size: number): number {
  return size + Math.max(FEWEST_ROWS, STACK_SHARE * size);
}
/** How far the data may outgrow the unit that they are kept in before it changes: squares of it are still far from overflow. */
const REACH = 2 ** 100;
/** Unit roundoff of float64. */
const U = 2 ** -53;

/**
 * A few rows R (ℓ × d) with RᵀR ≈ S, S = Σw(x − x̄)(x − x̄)ᵀ the scatter of all rows that were added: constant memory, one reading,
 * any number of rows. Mergeable.
 *
 * Rows about their block's mean, and one row √(w₁w₂/w)·δ per block for the distance δ of the means (Chan, Golub & LeVeque 1983; Ross
 * et al. 2008), are written below R. When the stack A (s × d) is full, R becomes UᵀA with U the ℓ leading eigenvectors of AAᵀ:
 *
 *   AᵀA − RᵀR = Aᵀ(I − UUᵀ)A, between 0 and the first eigenvalue that was left out.
 *
 * So R never overestimates, and `lost`, those eigenvalues summed over all compressions, bounds ‖S − RᵀR‖. That is
 * block-incremental SVD. Frequent Directions (Liberty 2013; Ghashami, Liberty, Phillips & Woodruff 2016) also takes the
 * eigenvalue δ that was left out from those that stay, σᵢ² − δ. Every compression then costs the trace (ℓ + 1)·δ, and
 * `lost` is at most Σ_{i>j} λᵢ/(ℓ + 1 − j) for every j ≤ ℓ, whatever the data and their order.
 *
 * (s² + 2sℓ)·d flops and an eigenproblem of size s for every s − ℓ rows; s = 3ℓ. R is in columns' units gⱼ, powers of two.
 */
export class Sketch {
  readonly #options: SketchSettings;
  readonly #capacity: number;
  #columns: ColumnStatistics;
  /** [R; rows that came since], the first `#filled` rows of it. */
  readonly #stack: Float64Array;
  /** The column's part of 1/g. */
  readonly #divisor: Float64Array;
  #products: Float64Array | undefined;
  #next: Float64Array | undefined;
  #filled = 0;
  /** The common part of g; 0 while all rows are the same. */
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

  /** ℓ, or d where that is less. */
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

  /** Blocks that were merged into it. */
  get merges(): number {
    return this.#merges;
  }

  /** A copy: adding to one does not change the other. */
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

  /** The sketch that had this state. Numbers are copied. */
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

  /** Adds a block of rows. After an error the sketch cannot be used any more: to be able to continue, add to a copy. */
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
    // Rows that are all the same, or only one row, equal their mean, which has been added already.
    if (stats.spread.some((spread) => spread > 0)) await this.#addRows(block, stats.mean, at.weights, engine, progress);
    else await progress.step(block.rows);
  }

  /** Adds the rows that another sketch has seen. The bounds of both add up. */
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
   * Scales the sketch: columns times f/g; about zero, where data are not centred, by one more row √w·x̄. Rows of zeros
   * make them `least` in number.
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
    // The norm of a matrix without negative eigenvalues is at most its trace.
    return {
      rows,
      count,
      lost: Math.min(this.#lost * most, Math.max(0, scatterTrace - kept)),
      rounding: this.#rounding * most,
    };
  }

  /** g: the factor of a column's numbers in the stack. */
  #factor(): Float64Array {
    return this.#divisor.map((divisor) => 1 / divisor / this.#unit);
  }

  /** Merges the statistics of more rows, chooses the units for both, and adds the row of the means' distance. */
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
    // Means that are off by η make Σw(x − m)(x − m)ᵀ too large by Σw·ηηᵀ, and their distance wrong to first order.
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

  /** Columns that begin to vary get a unit; where the data outgrow the common unit, a larger one replaces it. */
  #chooseUnits(constant: Float64Array): void {
    const { scale: wanted, columnWeights, centred } = this.#options;
    const { scale } = columnScales(this.#columns, wanted, this.#columns.weight, centred, columnWeights);
    for (let j = 0; j < scale.length; j++) if (constant[j]) this.#divisor[j] = powerOfTwo(scale[j]);
    const { unit, scatterTrace } = chooseScaler(this.#columns, this.#divisor, true);
    if (scatterTrace === 0) return;
    if (this.#unit > 0 && unit / this.#unit > REACH) {
      const ratio = this.#unit / unit;
      rescale(ratio, this.#stack, 0, this.#filled * this.cols);
      this.#lost *= ratio * ratio;
      this.#rounding *= ratio * ratio;
      this.#unit = unit;
    }
    this.#unit ||= unit;
  }

  /** Writes the block's rows about `mean` into the stack, √w times each, and compresses whenever it is full. */
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
      // Rows with weights go in one by one: those of weight 0 may hold anything, and are left out.
      const to = Math.min(block.rows, from + (weights ? 1 : this.#capacity - this.#filled));
      if (weights?.[from] !== 0) {
        packTile(block, scaler, from, to, 0, d, this.#stack.subarray(this.#filled * d));
        this.#filled += to - from;
      }
      const pause = progress.step(to - from);
      if (pause) await pause;
      from = to;
    }
  }

  /** One more row of the stack, by its entries. */
  async #addRow(engine: Engine, progress: ProgressTracker, entry: (j: number) => number): Promise<void> {
    if (this.#filled === this.#capacity) await this.#compress(engine, progress);
    const start = this.#filled++ * this.cols;
    for (let j = 0; j < this.cols; j++) this.#stack[start + j] = entry(j);
  }

  /** R = UᵀA, shrunk where the rule is to shrink. */
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
      // In d dimensions d rows lose nothing: what is left out then is rounding.
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
 * How far rounding can have taken RᵀR from Aᵀ UUᵀ A in one compression, relative to the trace: the products AAᵀ and their
 * eigenproblem, vectors that are orthonormal only to `defect`, and the product UᵀA, off by (s + 16)·u·√ℓ·‖A‖ at most.
 */
function compressionError(engine: Engine, s: number, d: number, size: number, defect: number): number {
  const eigen = 16 * s * Number.EPSILON;
  return 2 * engine.roundoff(s, d, false) + eigen + size * defect + 2 * Math.sqrt(size) * (s + 16) * U;
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
