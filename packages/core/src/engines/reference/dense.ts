import { runTask, type Task } from '../../base/progress.js';
import { type DenseBlock, packTile, type Scaler } from '../../data/blocks/block.js';
import { decoded } from '../../data/blocks/float16.js';
import type { ColumnStatistics } from '../../data/statistics/statistics.js';
import { axpy, dot } from '../../linalg/vector.js';
import { dualByMultiply } from '../dual-by-multiply.js';
import type { DualTarget, LoadedBlock, OnStep, RowsAt } from '../engine.js';
import { summariseTwoPass } from '../summarise-two-pass.js';
import { REFERENCE_TILE_ROWS } from './tile.js';

/** The five passes over dense rows. Each packs a tile of B (shifted, scaled, weighted) and multiplies it. */
export class DenseReference implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: DenseBlock;

  constructor(block: DenseBlock) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = decoded(block);
  }

  summarise(at: RowsAt, scatter: Float64Array | undefined, onStep: OnStep): Promise<ColumnStatistics> {
    return summariseTwoPass(this.#block, this, at, scatter, onStep);
  }

  gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    return runTask(this.gramTask(scaler, scatter), onStep);
  }

  dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    if (!(other instanceof DenseReference)) {
      return dualByMultiply(this.#block, scaler, other, otherScaler, into, onStep);
    }
    return runTask(this.#dualTask(scaler, other, otherScaler, into), onStep);
  }

  multiply(scaler: Scaler, vectors: Float64Array, k: number, scores: Float64Array, onStep: OnStep): Promise<void> {
    const task = this.#tiles(scaler, (tile, from, rows) => {
      project(tile, rows, this.cols, vectors, k, scores, from * k);
    });
    return runTask(task, onStep);
  }

  multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    return runTask(this.multiplyTransposedTask(scaler, scores, k, out), onStep);
  }

  normal(scaler: Scaler, vectors: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    return runTask(this.normalTask(scaler, vectors, k, out), onStep);
  }

  release(): void {}

  /** `gram` as a task, for synchronous fits. The methods below do the same for other passes. */
  gramTask(scaler: Scaler, scatter: Float64Array): Task<void> {
    const d = this.cols;
    const sums = this.rows > REFERENCE_TILE_ROWS ? new Float64Array(d * d) : scatter;
    return this.#tiles(scaler, (tile, _, rows) => {
      addGram(tile, rows, d, sums);
      if (sums === scatter) return;
      for (let i = 0; i < scatter.length; i++) scatter[i] += sums[i];
      sums.fill(0);
    });
  }

  multiplyTransposedTask(scaler: Scaler, scores: Float64Array, k: number, out: Float64Array): Task<void> {
    const sums = new Float64Array(out.length);
    return this.#tiles(scaler, (tile, from, rows) => {
      collect(tile, rows, this.cols, scores, from * k, k, sums);
      flush(sums, out);
    });
  }

  normalTask(scaler: Scaler, vectors: Float64Array, k: number, out: Float64Array): Task<void> {
    const sums = new Float64Array(out.length);
    const scores = new Float64Array(Math.min(REFERENCE_TILE_ROWS, this.rows) * k);
    return this.#tiles(scaler, (tile, _, rows) => {
      project(tile, rows, this.cols, vectors, k, scores, 0);
      collect(tile, rows, this.cols, scores, 0, k, sums);
      flush(sums, out);
    });
  }

  *#dualTask(scaler: Scaler, other: DenseReference, otherScaler: Scaler, into: DualTarget): Task<void> {
    const d = this.cols;
    const same = other === this;
    const tile = new Float64Array(Math.min(REFERENCE_TILE_ROWS, this.rows) * d);
    const packed = new Float64Array(Math.min(REFERENCE_TILE_ROWS, other.rows) * d);
    const scores = new Float64Array(Math.min(REFERENCE_TILE_ROWS, this.rows) * REFERENCE_TILE_ROWS);
    for (let from = 0; from < this.rows; from += REFERENCE_TILE_ROWS) {
      const rows = Math.min(REFERENCE_TILE_ROWS, this.rows - from);
      packTile(this.#block, scaler, { from, to: from + rows, left: 0, right: d }, tile);
      for (let start = same ? from : 0; start < other.rows; start += REFERENCE_TILE_ROWS) {
        const end = Math.min(other.rows, start + REFERENCE_TILE_ROWS);
        packTile(other.#block, otherScaler, { from: start, to: end, left: 0, right: d }, packed);
        project(packed, end - start, d, tile.subarray(0, rows * d), rows, scores, 0);
        writeProducts(scores, end - start, rows, { ...into, row: into.row + from, column: into.column + start });
        yield 0;
      }
      yield rows;
    }
  }

  /** Packs the block tile by tile and visits each. */
  *#tiles(scaler: Scaler, visit: (tile: Float64Array, from: number, rows: number) => void): Task<void> {
    const tile = new Float64Array(Math.min(REFERENCE_TILE_ROWS, this.rows) * this.cols);
    for (let from = 0; from < this.rows; from += REFERENCE_TILE_ROWS) {
      const to = Math.min(this.rows, from + REFERENCE_TILE_ROWS);
      packTile(this.#block, scaler, { from, to, left: 0, right: this.cols }, tile);
      visit(tile, from, to - from);
      yield to - from;
    }
  }
}

/** S += tileᵀtile, upper triangle. S is read and written once for four rows. */
function addGram(tile: Float64Array, rows: number, d: number, scatter: Float64Array): void {
  let r = 0;
  for (; r + 3 < rows; r += 4) {
    const a = r * d;
    const b = a + d;
    const c = b + d;
    const e = c + d;
    for (let i = 0; i < d; i++) {
      const ai = tile[a + i];
      const bi = tile[b + i];
      const ci = tile[c + i];
      const ei = tile[e + i];
      const target = i * d;
      for (let j = i; j < d; j++) {
        scatter[target + j] += ai * tile[a + j] + bi * tile[b + j] + (ci * tile[c + j] + ei * tile[e + j]);
      }
    }
  }
  for (; r < rows; r++) {
    const a = r * d;
    for (let i = 0; i < d; i++) {
      const ai = tile[a + i];
      const target = i * d;
      for (let j = i; j < d; j++) scatter[target + j] += ai * tile[a + j];
    }
  }
}

/** products[row + i, column + j] = scores[j, i]. */
function writeProducts(
  scores: Float64Array,
  rows: number,
  k: number,
  { products, size, row, column }: DualTarget,
): void {
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < k; i++) products[(row + i) * size + column + j] = scores[j * k + i];
  }
}

/** scores[i, c] = tileᵢ·vectors_c. */
function project(
  tile: Float64Array,
  rows: number,
  d: number,
  vectors: Float64Array,
  k: number,
  scores: Float64Array,
  start: number,
): void {
  for (let i = 0; i < rows; i++) {
    const row = i * d;
    const out = start + i * k;
    let c = 0;
    // A row is read once for four vectors.
    for (; c + 3 < k; c += 4) {
      const [v0, v1, v2, v3] = [c * d, (c + 1) * d, (c + 2) * d, (c + 3) * d];
      let [s0, s1, s2, s3] = [0, 0, 0, 0];
      for (let j = 0; j < d; j++) {
        const x = tile[row + j];
        s0 += x * vectors[v0 + j];
        s1 += x * vectors[v1 + j];
        s2 += x * vectors[v2 + j];
        s3 += x * vectors[v3 + j];
      }
      scores[out + c] = s0;
      scores[out + c + 1] = s1;
      scores[out + c + 2] = s2;
      scores[out + c + 3] = s3;
    }
    for (; c < k; c++) scores[out + c] = dot(tile, row, vectors, c * d, d);
  }
}

/** sums_c += Σᵢ scores[i, c]·tileᵢ. */
function collect(
  tile: Float64Array,
  rows: number,
  d: number,
  scores: Float64Array,
  start: number,
  k: number,
  sums: Float64Array,
): void {
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < k; c++) axpy(scores[start + i * k + c], tile, i * d, sums, c * d, d);
  }
}

function flush(sums: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] += sums[i];
  sums.fill(0);
}
