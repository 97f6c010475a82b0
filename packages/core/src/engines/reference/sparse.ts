import type { Scaler, SparseBlock } from '../../data/blocks/block.js';
import type { ColumnStatistics } from '../../data/statistics/statistics.js';
import { transpose } from '../../linalg/transpose.js';
import { axpy, dot } from '../../linalg/vector.js';
import type { DualTarget, LoadedBlock, OnStep, RowsAt } from '../engine.js';
import { summariseTwoPass } from '../summarise-two-pass.js';
import { REFERENCE_TILE_ROWS } from './tile.js';

/** Implicitly centred rows: the entries of A, the shift t of every row, and the roots of the weights. */
interface CentredRows {
  readonly entries: Float64Array;
  readonly rest: Float64Array;
  readonly rootWeights: Float64Array | undefined;
}

/**
 * The five passes over sparse rows, with implicit centring: the zeros of B are never filled in.
 *
 * A row of B is √w·(a − t): `a` has the row's stored entries, and `t` is the shift that is subtracted from every row. A column that is
 * stored in every row of weight above 0 is shifted entry by entry and is 0 in t. So dense columns far from the origin lose no digits. Other
 * columns stay sparse: their zeros make the variance at least of the order of the squared shift, so subtracting t loses no significant
 * digits.
 */
export class SparseReference implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: SparseBlock;

  constructor(block: SparseBlock) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
  }

  summarise(at: RowsAt, scatter: Float64Array | undefined, onStep: OnStep): Promise<ColumnStatistics> {
    return summariseTwoPass(this.#block, this, at, scatter, onStep);
  }

  /** S += AᵀWA − (AᵀWe)tᵀ − t(AᵀWe)ᵀ + (Σw)ttᵀ. */
  async gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    const d = this.cols;
    const { indptr, indices } = this.#block;
    const { entries, rest } = this.#centre(scaler);
    const sums = new Float64Array(d);
    let weight = 0;
    for (let i = 0; i < this.rows; i++) {
      const root = scaler.rootWeights ? scaler.rootWeights[i] : 1;
      weight += root * root;
      for (let at = indptr[i]; at < indptr[i + 1]; at++) {
        const value = entries[at] * root;
        const target = indices[at] * d;
        sums[indices[at]] += value * root;
        for (let other = at; other < indptr[i + 1]; other++) {
          scatter[target + indices[other]] += value * (entries[other] * root);
        }
      }
      const pause = this.#stepEvery(i, onStep);
      if (pause) await pause;
    }
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        scatter[i * d + j] += weight * rest[i] * rest[j] - sums[i] * rest[j] - rest[i] * sums[j];
      }
    }
  }

  async dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    const d = this.cols;
    const { indptr, indices } = this.#block;
    const { entries, rest } = this.#centre(scaler);
    const lines = Math.min(16, this.rows);
    const vectors = new Float64Array(lines * d);
    const scores = new Float64Array(other.rows * lines);
    for (let from = 0; from < this.rows; from += lines) {
      const count = Math.min(lines, this.rows - from);
      for (let r = 0; r < count; r++) {
        const i = from + r;
        const root = scaler.rootWeights ? scaler.rootWeights[i] : 1;
        for (let j = 0; j < d; j++) vectors[r * d + j] = -rest[j] * root;
        for (let at = indptr[i]; at < indptr[i + 1]; at++) vectors[r * d + indices[at]] += entries[at] * root;
      }
      await other.multiply(otherScaler, vectors, count, scores, () => {});
      for (let j = 0; j < other.rows; j++) {
        for (let r = 0; r < count; r++)
          into.products[(into.row + from + r) * into.size + into.column + j] = scores[j * count + r];
      }
      const pause = onStep(count);
      if (pause) await pause;
    }
  }

  /** Y = W^½(AVᵀ − 1(Vt)ᵀ). */
  async multiply(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    scores: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const centred = this.#centre(scaler);
    const byColumn = transpose(vectors.subarray(0, k * this.cols), k, this.cols);
    const offset = offsets(centred.rest, vectors, k);
    for (let i = 0; i < this.rows; i++) {
      this.#scoreRow(i, centred, byColumn, offset, k, scores, i * k);
      const pause = this.#stepEvery(i, onStep);
      if (pause) await pause;
    }
  }

  /** Z += YᵀW^½A − (YᵀW^½1)tᵀ. */
  async multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const centred = this.#centre(scaler);
    const byColumn = new Float64Array(this.cols * k);
    const sums = new Float64Array(k);
    for (let i = 0; i < this.rows; i++) {
      this.#collectRow(i, centred, scores, i * k, k, byColumn, sums);
      const pause = this.#stepEvery(i, onStep);
      if (pause) await pause;
    }
    addSums(byColumn, sums, centred.rest, k, out);
  }

  async normal(scaler: Scaler, vectors: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    const centred = this.#centre(scaler);
    const byColumn = transpose(vectors.subarray(0, k * this.cols), k, this.cols);
    const offset = offsets(centred.rest, vectors, k);
    const collected = new Float64Array(this.cols * k);
    const sums = new Float64Array(k);
    const scores = new Float64Array(k);
    for (let i = 0; i < this.rows; i++) {
      this.#scoreRow(i, centred, byColumn, offset, k, scores, 0);
      this.#collectRow(i, centred, scores, 0, k, collected, sums);
      const pause = this.#stepEvery(i, onStep);
      if (pause) await pause;
    }
    addSums(collected, sums, centred.rest, k, out);
  }

  release(): void {}

  /** Returns the entries of A, and t. */
  #centre(scaler: Scaler): CentredRows {
    const { data, indices } = this.#block;
    const full = this.#fullColumns(scaler.rootWeights);
    const entries = new Float64Array(data.length);
    for (let at = 0; at < data.length; at++) {
      const j = indices[at];
      entries[at] = (data[at] - (full[j] ? scaler.shift[j] : 0)) * scaler.factor[j];
    }
    const rest = scaler.shift.map((shift, j) => (full[j] ? 0 : shift * scaler.factor[j]));
    return { entries, rest, rootWeights: scaler.rootWeights };
  }

  /** Returns 1 for each column that is stored in every row of weight above 0, and 0 for the others. */
  #fullColumns(rootWeights: Float64Array | undefined): Uint8Array {
    const { indptr, indices } = this.#block;
    const counts = new Float64Array(this.cols);
    let rows = 0;
    for (let i = 0; i < this.rows; i++) {
      if (rootWeights && rootWeights[i] === 0) continue;
      rows++;
      for (let at = indptr[i]; at < indptr[i + 1]; at++) counts[indices[at]]++;
    }
    return Uint8Array.from(counts, (count) => (count === rows ? 1 : 0));
  }

  #scoreRow(
    i: number,
    { entries, rootWeights }: CentredRows,
    byColumn: Float64Array,
    offset: Float64Array,
    k: number,
    scores: Float64Array,
    start: number,
  ): void {
    const { indptr, indices } = this.#block;
    for (let c = 0; c < k; c++) scores[start + c] = -offset[c];
    for (let at = indptr[i]; at < indptr[i + 1]; at++) axpy(entries[at], byColumn, indices[at] * k, scores, start, k);
    if (rootWeights) for (let c = 0; c < k; c++) scores[start + c] *= rootWeights[i];
  }

  #collectRow(
    i: number,
    { entries, rootWeights }: CentredRows,
    scores: Float64Array,
    start: number,
    k: number,
    byColumn: Float64Array,
    sums: Float64Array,
  ): void {
    const { indptr, indices } = this.#block;
    const root = rootWeights ? rootWeights[i] : 1;
    axpy(root, scores, start, sums, 0, k);
    for (let at = indptr[i]; at < indptr[i + 1]; at++) {
      axpy(entries[at] * root, scores, start, byColumn, indices[at] * k, k);
    }
  }

  #stepEvery(i: number, onStep: OnStep): void | Promise<void> {
    const done = i + 1;
    if (done % REFERENCE_TILE_ROWS === 0) return onStep(REFERENCE_TILE_ROWS);
    if (done === this.rows) return onStep(done % REFERENCE_TILE_ROWS);
  }
}

/** Returns Vt, which is subtracted from every score. */
function offsets(rest: Float64Array, vectors: Float64Array, k: number): Float64Array {
  const d = rest.length;
  return Float64Array.from({ length: k }, (_, c) => dot(rest, 0, vectors, c * d, d));
}

/** out += byColumnᵀ − sums·tᵀ. */
function addSums(byColumn: Float64Array, sums: Float64Array, rest: Float64Array, k: number, out: Float64Array): void {
  const d = rest.length;
  for (let j = 0; j < d; j++) {
    for (let c = 0; c < k; c++) out[c * d + j] += byColumn[j * k + c] - sums[c] * rest[j];
  }
}
