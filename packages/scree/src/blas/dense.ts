import type { Scaler } from '@scree/core/data';
import { type ColumnStatistics, identityScaler } from '@scree/core/data';
import {
  type DualScaler,
  type DualTarget,
  dualByMultiply,
  type LoadedBlock,
  type OnStep,
  type PrecomputedDual,
  type RowsAt,
  summariseTwoPass,
  writePrecomputedDual,
} from '@scree/core/engine';
import type { MatrixProducts, Numbers } from './functions.js';
import { LaneSums } from './lane-sums.js';
import { type FloatBlock, Packer } from './pack.js';
import { pipeline } from './pipeline.js';
import { blasSummarise } from './summarise.js';
import { blasSummariseWithDual } from './summarise-with-dual.js';
import { columnsPerTile, parts, rowsPerTile, tilesInMemory } from './tiles.js';

/** Rows are read in place if the square of the shift is at most this share of the mean square of the shifted rows. */
const SHIFT_SHARE = 0.5;
/** Maximum (and, inverted, minimum) factor of columns that are read in place, so that their products stay in range. */
const LARGEST_FACTOR = 2 ** 300;
/** Rows per call for products with few vectors that read rows in place. They stay in the cache for the second product. */
const IN_PLACE_ROWS = 256;

/**
 * The passes over dense rows as matrix products of BLAS. The engine packs (scales) one tile of rows while BLAS multiplies others. If the
 * scaler changes nothing, BLAS reads the data in place.
 */
export class BlasDense implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: FloatBlock;
  readonly #blas: MatrixProducts;
  #precomputed: PrecomputedDual | undefined;

  constructor(block: FloatBlock, blas: MatrixProducts) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#blas = blas;
  }

  async summarise(
    at: RowsAt,
    scatter: Float64Array | undefined,
    onStep: OnStep,
    dualScaler?: DualScaler,
  ): Promise<ColumnStatistics> {
    const both = dualScaler && (await blasSummariseWithDual(this.#block, this.#blas, at, dualScaler, onStep));
    this.#precomputed = both?.dual;
    if (both) return both.stats;
    const once = await blasSummarise(this.#block, this.#blas, at, scatter, onStep);
    if (once) return once;
    // The first attempt has already reported these rows as progress.
    return summariseTwoPass(this.#block, this, at, scatter?.fill(0), () => onStep(0), this.#blas.bytes === 4);
  }

  async gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    const d = this.cols;
    const { blas, sums } = this.#sums({ products: scatter, size: d, row: 0, column: 0 }, d, d, true);
    await this.#tiles(blas, scaler, [sums], onStep, (tile, stride, _, rows, lane) => {
      const { into, beta, size } = sums.next(lane);
      return blas.syrk(true, d, rows, tile, stride, beta, into, size);
    });
  }

  async dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    if (!(other instanceof BlasDense)) return dualByMultiply(this.#block, scaler, other, otherScaler, into, onStep);
    const [n, m, d] = [this.rows, other.rows, this.cols];
    const same = other === this;
    if (same && this.#precomputed && writePrecomputedDual(this.#precomputed, scaler, into)) return onStep(n);
    for (let i = 0; i < n; i++) {
      const start = (into.row + i) * into.size + into.column;
      into.products.fill(0, start + (same ? i : 0), start + m);
    }
    const { blas, sums } = this.#sums(into, n, m, same);
    const width = columnsPerTile(Math.max(n, m), d, blas.bytes, blas.lanes);
    const left = this.#reader(blas, scaler, n, width);
    const right = same ? left : other.#reader(blas, otherScaler, m, width);
    try {
      const tiles = parts(d, width, (from, k, index) => {
        const a = left.read(index, 0, n, from, k);
        return { a, b: same ? a : right.read(index, 0, m, from, k), k };
      });
      await pipeline(
        tiles,
        blas.lanes,
        ({ a, b, k }, lane) => {
          const { into: c, beta, size } = sums.next(lane);
          if (same) return blas.syrk(false, n, k, a.numbers, a.stride, beta, c, size);
          return blas.gemm(false, true, n, m, k, a.numbers, a.stride, b.numbers, b.stride, beta, c, size);
        },
        [sums],
        () => onStep(0),
      );
    } finally {
      left.release();
      if (!same) right.release();
    }
    await onStep(n);
  }

  async multiply(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    scores: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const d = this.cols;
    const blas = this.#blas;
    const v = this.#own(vectors, k * d);
    await this.#tiles(blas, scaler, [], onStep, async (tile, stride, from, rows) => {
      const target = scores.subarray(from * k, (from + rows) * k);
      const y = blas.bytes === 4 ? blas.make(rows * k) : target;
      await blas.gemm(false, true, rows, k, d, tile, stride, v, d, 0, y, k);
      if (y !== target) target.set(y);
    });
  }

  async multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const { rows: n, cols: d } = this;
    if (d > n) return this.#collectColumns(scaler, scores, k, out, onStep);
    const target = { products: out, size: d, row: 0, column: 0 };
    const { blas, sums } = this.#sums(target, k, d, false);
    await this.#tiles(blas, scaler, [sums], onStep, (tile, stride, from, rows, lane) => {
      const y = this.#own(scores.subarray(from * k, (from + rows) * k), rows * k);
      const { into, beta, size } = sums.next(lane);
      return blas.gemm(true, false, k, d, rows, y, k, tile, stride, beta, into, size);
    });
  }

  /** Z += YᵀB for wide data. Reads all rows of some columns at a time, so that each column is summed in one step. */
  async #collectColumns(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const { rows: n, cols: d } = this;
    const blas = this.#blas;
    const y = this.#own(scores, n * k);
    const width = columnsPerTile(n, d, blas.bytes, blas.lanes);
    const reader = this.#reader(blas, scaler, n, width);
    try {
      await pipeline(
        parts(d, width, (left, cols, index) => ({ left, cols, ...reader.read(index, 0, n, left, cols) })),
        blas.lanes,
        async ({ left, cols, numbers, stride }) => {
          const sums = new LaneSums(blas, 1, { products: out, size: d, row: 0, column: left }, k, cols, false);
          const { into, beta, size } = sums.next(0);
          await blas.gemm(true, false, k, cols, n, y, k, numbers, stride, beta, into, size);
          sums.settle(0);
        },
        [],
        () => onStep(0),
      );
    } finally {
      reader.release();
    }
    await onStep(n);
  }

  /**
   * Z += Y(X − 1sᵀ)F with Y = VF(X − 1sᵀ)ᵀ. If the data are near the origin, BLAS reads X in place, and the shift is applied to the
   * products: Y = VFXᵀ − (VFs)1ᵀ, Z += (YX − (Y1)sᵀ)F.
   */
  async normal(scaler: Scaler, vectors: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    const d = this.cols;
    const inPlace = this.#nearOrigin(scaler) ? new InPlaceScaler(scaler, vectors, k, out) : undefined;
    const v = this.#own(inPlace?.vectors ?? vectors, k * d);
    const target = { products: inPlace?.products ?? out, size: d, row: 0, column: 0 };
    const { blas, sums } = this.#sums(target, k, d, false);
    const height = Math.min(this.#height(blas), inPlace ? IN_PLACE_ROWS : this.rows);
    const scores = Array.from({ length: blas.lanes }, () => blas.make(height * k));
    const visit: Visit = async (tile, stride, _, rows, lane) => {
      const y = scores[lane];
      // Scores are k × rows, the fastest layout for few vectors.
      await blas.gemm(false, true, k, rows, d, v, d, tile, stride, 0, y, rows);
      inPlace?.centreScores(y as Float64Array, rows);
      const { into, beta, size } = sums.next(lane);
      await blas.gemm(false, false, k, d, rows, y, rows, tile, stride, beta, into, size);
    };
    await this.#tiles(
      blas,
      inPlace ? identityScaler(d) : scaler,
      [sums],
      onStep,
      visit,
      height,
      inPlace ? blas.lanes : 0,
    );
    inPlace?.finish();
  }

  release(): void {
    this.#precomputed = undefined;
  }

  /** Converts numbers to the precision of the products. */
  #own(numbers: Float64Array, length: number): Numbers {
    return this.#blas.bytes === 8 ? numbers.subarray(0, length) : Float32Array.from(numbers.subarray(0, length));
  }

  /** Returns sums of this size and the products that fill them: with all lanes if memory allows, otherwise with one call on all threads. */
  #sums(target: DualTarget, rows: number, cols: number, upper: boolean): { blas: MatrixProducts; sums: LaneSums } {
    const lanes = this.#blas.lanes;
    const blas = LaneSums.lanes(lanes, rows, cols) < lanes ? this.#blas.singleLane : this.#blas;
    return { blas, sums: new LaneSums(blas, blas.lanes, target, rows, cols, upper) };
  }

  /** Returns true if the shift is short relative to the rows, so that applying it to the products loses few digits: see `roundoff`. */
  #nearOrigin({ shift, factor, rootWeights, rowSquare = 0 }: Scaler): boolean {
    if (rootWeights || this.#blas.bytes !== 8 || this.#block.data.BYTES_PER_ELEMENT !== 8) return false;
    let square = 0;
    for (let j = 0; j < this.cols; j++) {
      if (!(factor[j] < LARGEST_FACTOR && factor[j] > 1 / LARGEST_FACTOR)) return false;
      square += (shift[j] * factor[j]) ** 2;
    }
    return square <= SHIFT_SHARE * rowSquare;
  }

  #height(blas: MatrixProducts): number {
    return rowsPerTile(this.rows, this.cols, blas.bytes, blas.lanes);
  }

  /** Runs tiles of whole rows through BLAS. */
  async #tiles(
    blas: MatrixProducts,
    scaler: Scaler,
    sums: readonly LaneSums[],
    onStep: OnStep,
    visit: Visit,
    height = this.#height(blas),
    ahead = 0,
  ): Promise<void> {
    const reader = this.#reader(blas, scaler, height, this.cols);
    try {
      await pipeline(
        parts(this.rows, height, (from, rows, index) => ({
          ...{ from, rows },
          ...reader.read(index, from, rows, 0, this.cols),
        })),
        blas.lanes,
        ({ numbers, stride, from, rows }, lane) => visit(numbers, stride, from, rows, lane),
        sums,
        ({ rows }) => onStep(rows),
        ahead,
      );
    } finally {
      reader.release();
    }
  }

  /** Returns a reader of tiles of B, up to `rows` × `width`. It packs tiles, or returns views of the data if the scaler changes nothing. */
  #reader(blas: MatrixProducts, scaler: Scaler, rows: number, width: number): Reader {
    const { data, stride } = this.#block;
    if (data.BYTES_PER_ELEMENT === blas.bytes && isPlain(scaler)) {
      return {
        read: (_, from, count, left) => ({
          numbers: data.subarray(from * stride + left, (from + count) * stride),
          stride,
        }),
        release: () => {},
      };
    }
    const packer = new Packer(this.#block, tilesInMemory(blas.lanes), rows, width, blas.bytes === 4);
    return {
      read: (which, from, count, left, cols) => {
        packer.through(scaler, left, cols);
        return { numbers: packer.pack(which, from, count, scaler.rootWeights, left), stride: cols };
      },
      release: () => packer.release(),
    };
  }
}

type Visit = (tile: Numbers, stride: number, from: number, rows: number, lane: number) => Promise<void>;

interface Tile {
  readonly numbers: Numbers;
  readonly stride: number;
}

interface Reader {
  read(which: number, from: number, rows: number, left: number, cols: number): Tile;
  release(): void;
}

function isPlain({ shift, factor, rootWeights }: Scaler): boolean {
  if (rootWeights) return false;
  for (let j = 0; j < shift.length; j++) if (shift[j] !== 0 || factor[j] !== 1) return false;
  return true;
}

/** Applies the scaler of a `normal` pass that reads rows in place to the vectors and products. */
class InPlaceScaler {
  /** VF. */
  readonly vectors: Float64Array;
  /** Becomes YX. */
  readonly products: Float64Array;
  readonly #scaler: Scaler;
  readonly #out: Float64Array;
  /** VFs and Y1. */
  readonly #offsets: Float64Array;
  readonly #sums: Float64Array;

  constructor(scaler: Scaler, vectors: Float64Array, k: number, out: Float64Array) {
    const d = scaler.shift.length;
    const { shift, factor } = scaler;
    const scaled = new Float64Array(k * d);
    this.#scaler = scaler;
    this.#out = out;
    this.vectors = scaled;
    this.products = new Float64Array(k * d);
    this.#sums = new Float64Array(k);
    this.#offsets = Float64Array.from({ length: k }, (_, i) => {
      let offset = 0;
      for (let j = 0, at = i * d; j < d; j++, at++) {
        const value = vectors[at] * factor[j];
        scaled[at] = value;
        offset += value * shift[j];
      }
      return offset;
    });
  }

  /** Applies the shift to the scores of some rows, and adds the scores to their sums. */
  centreScores(scores: Float64Array, rows: number): void {
    this.#offsets.forEach((offset, i) => {
      let sum = 0;
      for (let at = i * rows, end = at + rows; at < end; at++) {
        const score = scores[at] - offset;
        scores[at] = score;
        sum += score;
      }
      this.#sums[i] += sum;
    });
  }

  /** Z += (YX − (Y1)sᵀ)F. */
  finish(): void {
    const { shift, factor } = this.#scaler;
    const [d, out, products] = [shift.length, this.#out, this.products];
    this.#sums.forEach((sum, i) => {
      for (let j = 0, at = i * d; j < d; j++, at++) out[at] += (products[at] - sum * shift[j]) * factor[j];
    });
  }
}
