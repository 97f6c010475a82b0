import type { ProgressTracker } from '../../base/progress.js';
import { LoadedBasis } from '../../engines/basis.js';
import type { Basis, Engine } from '../../engines/engine.js';
import { VectorBlock } from '../../engines/vector-block.js';
import { cholesky, invertLower } from '../../linalg/cholesky.js';
import { orthonormalise } from '../../linalg/orthonormalise.js';
import type { Random } from '../../linalg/random.js';
import { transpose } from '../../linalg/transpose.js';
import { axpy, dot, norm, scale } from '../../linalg/vector.js';

export interface Ritz {
  /** All Ritz values in descending order. */
  readonly values: Float64Array;
  /** The estimated residuals of the leading pairs. */
  readonly residuals: Float64Array;
  /** The coordinates of the leading Ritz vectors in the basis, one vector per row. */
  readonly coordinates: Float64Array;
}

/** Number of projections that make a block orthogonal to Q up to rounding, even if most of it was inside Q: Parlett §6.9. */
const PROJECTION_ROUNDS = 3;
/**
 * The part of an image outside Q may be shorter than the image by this factor. The error of orthogonality is the rounding of the
 * projection times this factor. For T, semi-orthogonality (1e-8) is sufficient (Simon 1984).
 */
const MOST_SHRINKAGE = 1000;
/** A row is too close to the others for Cholesky QR if less than this share of its square remains. */
const INDEPENDENT_SHARE = 1e-8;

/** If at least this share of the square of each row remains, one Cholesky QR makes the rows orthonormal to 1e-14. */
const SEPARATED_SHARE = 0.01;
/** Blocks of at most this number of vectors are multiplied in this file, because loading them into the engine would take longer. */
const FEW_VECTORS = 16;

/** A Krylov space: its basis Q, the projection T = QᵀSQ, and the part of S·(last block) that lies outside Q. */
export class KrylovSpace {
  readonly #d: number;
  readonly #random: Random;
  readonly #engine: Engine;
  readonly #basis: Basis;
  #last: Float64Array = new Float64Array(0);
  #projected: Float64Array = new Float64Array(0);
  #outside: Float64Array = new Float64Array(0);
  /** The products of the rows of `#outside`, upper triangle, and the norm of the longest image. */
  #products: Float64Array = new Float64Array(0);
  #longest = 0;
  /** The index of the first vector of Q whose coefficient in the image of the last block exceeds rounding, because T is banded. */
  #coupled = 0;
  #restarted = false;
  lastCount = 0;

  constructor(d: number, rng: Random, engine: Engine) {
    this.#d = d;
    this.#random = rng;
    this.#engine = engine;
    this.#basis = engine.basis?.(d) ?? new LoadedBasis(engine, d);
  }

  get size(): number {
    return this.#basis.size;
  }

  lastBlock(): Float64Array {
    return this.#last;
  }

  /**
   * Appends a block of `count` ≥ `lastCount` vectors: the part of the last image outside Q, and random vectors. `start` replaces
   * the first vectors of the block.
   */
  async append(count: number, progress: ProgressTracker, start?: Float64Array): Promise<void> {
    const block = new Float64Array(count * this.#d);
    const given = start ?? this.#outside.subarray(0, Math.min(count, this.lastCount) * this.#d);
    const carried = given.length;
    block.set(given);
    for (let i = carried; i < block.length; i++) block[i] = this.#random.normal();
    if (carried < block.length || !(await this.#normaliseOutside(block, count, progress)))
      await this.#orthonormaliseOutside(block, count, progress);
    // After a restart, the first block is coupled to all vectors of the basis.
    this.#coupled = this.#restarted ? 0 : this.size - this.lastCount;
    this.#restarted = false;
    this.#basis.append(block, count);
    this.#last = block;
    this.lastCount = count;
  }

  /** Appends a block of the part of the last image outside Q, and of further directions. */
  async widen(directions: Float64Array, progress: ProgressTracker): Promise<void> {
    const carried = this.lastCount * this.#d;
    const start = new Float64Array(carried + directions.length);
    start.set(this.#outside.subarray(0, carried));
    start.set(directions, carried);
    const count = Math.min(start.length / this.#d, this.#d - this.size);
    await this.append(count, progress, start.subarray(0, count * this.#d));
  }

  /** X −= (XQᵀ)Q for `count` rows X. Done twice, which makes X orthogonal to Q up to rounding. */
  async remove(rows: Float64Array, count: number, progress: ProgressTracker): Promise<void> {
    for (let round = 0; round < 2; round++)
      await this.#basis.project(rows, count, 0, () => progress.yieldToEventLoop());
  }

  /**
   * Makes the part of an image outside Q orthonormal. It is already orthogonal to Q. Returns false if it is too short, so that
   * its direction is rounding.
   */
  async #normaliseOutside(block: Float64Array, count: number, progress: ProgressTracker): Promise<boolean> {
    if (count !== this.lastCount) return false;
    const lower = cholesky(this.#products, count, INDEPENDENT_SHARE);
    if (!lower) return false;
    for (let i = 0; i < count; i++) if (lower[i * count + i] * MOST_SHRINKAGE < this.#longest) return false;
    const apart = cholesky(this.#products, count, SEPARATED_SHARE) !== undefined;
    await this.#combine(block, count, lower, progress);
    if (apart) return true;
    const second = cholesky(await this.#multiplyRows(block, count, progress), count, INDEPENDENT_SHARE);
    if (!second) return false;
    await this.#combine(block, count, second, progress);
    return true;
  }

  /** Makes any block orthonormal and orthogonal to Q. */
  async #orthonormaliseOutside(block: Float64Array, count: number, progress: ProgressTracker): Promise<void> {
    for (let round = 0; round < PROJECTION_ROUNDS; round++) {
      // Normalises first: the projection of a tiny vector leaves rounding errors, which must be projected again.
      await this.#orthonormalise(block, count, progress);
      if (this.size > 0) await this.#basis.project(block, count, 0, () => progress.yieldToEventLoop());
    }
    await this.#orthonormalise(block, count, progress);
  }

  /** Cholesky QR twice (Yamamoto et al. 2015), or Gram–Schmidt if rows are nearly dependent. */
  async #orthonormalise(block: Float64Array, count: number, progress: ProgressTracker): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const lower = cholesky(await this.#multiplyRows(block, count, progress), count, INDEPENDENT_SHARE);
      if (!lower) {
        await progress.follow(orthonormalise(block, count, this.#d, this.#random));
        return;
      }
      await this.#combine(block, count, lower, progress);
    }
  }

  /** Products of all pairs of rows, upper triangle. */
  async #multiplyRows(block: Float64Array, count: number, progress: ProgressTracker): Promise<Float64Array> {
    const d = this.#d;
    if (count <= FEW_VECTORS) {
      const products = new Float64Array(count * count);
      for (let i = 0; i < count; i++) {
        for (let j = i; j < count; j++) products[i * count + j] = dot(block, i * d, block, j * d, d);
      }
      return products;
    }
    const tools = { engine: this.#engine, progress };
    return await VectorBlock.use(block, count, d, tools, (rows) => rows.products());
  }

  /** Z = L⁻¹Z. */
  async #combine(block: Float64Array, count: number, lower: Float64Array, progress: ProgressTracker): Promise<void> {
    const d = this.#d;
    if (count <= FEW_VECTORS) {
      for (let i = 0; i < count; i++) {
        for (let j = 0; j < i; j++) axpy(-lower[i * count + j], block, j * d, block, i * d, d);
        scale(1 / lower[i * count + i], block, i * d, d);
      }
      return;
    }
    const coordinates = transpose(invertLower(lower, count), count, count);
    const tools = { engine: this.#engine, progress };
    block.set(await VectorBlock.use(block, count, d, tools, (rows) => rows.combine(coordinates, count)));
  }

  /** Adds the image S·(last block). The part inside Q becomes new columns of T, and the part outside Q is kept for `append`. */
  async expand(image: Float64Array, progress: ProgressTracker): Promise<void> {
    const m = this.size;
    const b = this.lastCount;
    const first = m - b;
    const next = new Float64Array(m * m);
    for (let i = 0; i < first; i++) next.set(this.#projected.subarray(i * first, (i + 1) * first), i * m);
    this.#longest = 0;
    for (let c = 0; c < b; c++) this.#longest = Math.max(this.#longest, norm(image, c * this.#d, this.#d));
    // First subtracts the coefficients that T predicts, then those that rounding has added.
    for (const from of [this.#coupled, 0]) {
      const inside = await this.#basis.project(image, b, from, () => progress.yieldToEventLoop());
      for (let j = from; j < m; j++) {
        for (let c = 0; c < b; c++) next[j * m + first + c] += inside[(j - from) * b + c];
      }
    }
    for (let j = 0; j < m; j++) {
      for (let c = first; c < m; c++) {
        // T is symmetric. If both halves were computed, they are averaged.
        const value = j < first ? next[j * m + c] : (next[j * m + c] + next[c * m + j]) / 2;
        next[j * m + c] = value;
        next[c * m + j] = value;
      }
    }
    this.#projected = next;
    this.#outside = image;
    this.#products = await this.#multiplyRows(image, b, progress);
  }

  /** Computes all Ritz values, and residuals and coordinates of the leading `count(values)` pairs. */
  async ritz(progress: ProgressTracker, count: (values: Float64Array) => number): Promise<Ritz> {
    const m = this.size;
    const b = this.lastCount;
    const eigen = await this.#engine.symmetricEigen(this.#projected.slice(), m, count, () =>
      progress.yieldToEventLoop(),
    );
    const products = this.#products.slice();
    for (let i = 0; i < b; i++) for (let j = 0; j < i; j++) products[i * b + j] = products[j * b + i];
    const residuals = Float64Array.from({ length: eigen.count }, (_, r) => {
      const tail = r * m + m - b;
      let square = 0;
      for (let i = 0; i < b; i++) square += eigen.vectors[tail + i] * dot(products, i * b, eigen.vectors, tail, b);
      return Math.sqrt(Math.max(0, square));
    });
    return { values: eigen.values, residuals, coordinates: eigen.vectors };
  }

  /** Computes the leading Ritz vectors as orthonormal rows. */
  async vectors(ritz: Ritz, count: number, progress: ProgressTracker): Promise<Float64Array> {
    const coordinates = ritz.coordinates.subarray(0, count * this.size);
    const out = await this.#basis.combine(coordinates, count, () => progress.yieldToEventLoop());
    await this.#orthonormalise(out, count, progress);
    return out;
  }

  /**
   * Thick restart (Wu & Simon 2000): replaces the basis by the leading Ritz vectors. T becomes diagonal, and the part outside Q
   * stays the same.
   */
  async restart(count: number, progress: ProgressTracker): Promise<void> {
    const ritz = await this.ritz(progress, () => count);
    const kept = await this.vectors(ritz, count, progress);
    this.#basis.release();
    this.#basis.append(kept, count);
    this.#projected = new Float64Array(count * count);
    for (let i = 0; i < count; i++) this.#projected[i * count + i] = ritz.values[i];
    this.#restarted = true;
  }

  /** Frees the basis. */
  release(): void {
    this.#basis.release();
  }
}
