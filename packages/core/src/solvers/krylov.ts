import type { Frame } from '../data/block.js';
import { transpose } from '../data/matrix.js';
import type { Engine, LoadedBlock } from '../engines/engine.js';
import { orthonormalise } from '../linalg/orthonormalise.js';
import { type Random, random } from '../linalg/random.js';
import { dot } from '../linalg/vector.js';
import type { Pace } from '../pace.js';
import { residualNorms } from './residuals.js';
import { countWanted, type Problem, type RowsProblem, type Solution, type Solver, type Wanted } from './solver.js';

/** Vectors beyond the wanted ones in a block: they speed convergence and show the eigenvalue after the last. */
const OVERSAMPLING = 10;
/** Block when the number of components is not known beforehand. */
const GROWING_BLOCK = 20;
/** Readings of the data after which not converging is an error: several times what the slowest spectra need. */
const MOST_PASSES = 500;
/** Blocks kept before a restart, memory allowing: more converge in fewer passes, and cost more to keep orthogonal. */
const BLOCKS = 12;
/** Numbers the basis may hold: 512 MB. */
const MOST_NUMBERS = 1 << 26;
/** Where d is no more than this many blocks, the space grows until it is all of ℝᵈ. */
const WHOLE = 3;
/** Tolerances above this are a wish for speed, not for the last digit. */
const LOOSE = 1e-8;
/** Passes that a fresh random block gets to find an eigenvalue the first blocks have missed. */
const CONFIRMING = 3;

/**
 * Randomised block Lanczos with full reorthogonalisation and thick restarts: the space spanned by G, SG, S²G, … for a
 * random block G (Musco & Musco 2015), one `normal` pass a block, until every wanted Ritz pair has
 * ‖Sv − θv‖ ≤ tolerance·θ₁.
 *
 * With Q the basis and T = QᵀSQ, the Ritz pairs are (θ, Qs) for eigenpairs of T, and their residual is that of the last
 * block alone: it costs no pass to know. A fraction of the variance is served by growing Q until the converged Ritz
 * values sum to it: no full decomposition. 4·n·d·block flops a pass; memory for the basis, never d × d.
 *
 * A block finds no more equal eigenvalues than it has vectors. Where it has fewer than are wanted, convergence is
 * confirmed with fresh random vectors before it is believed.
 */
export const krylov: Solver = {
  needs: 'rows',
  async solve(problem: RowsProblem): Promise<Solution> {
    const { d, passes, pace, wanted, trace } = problem;
    const block = Math.min(
      d,
      'count' in wanted ? wanted.count + Math.min(OVERSAMPLING, wanted.count + 2) : GROWING_BLOCK,
    );
    const space = new KrylovSpace(d, random(problem.seed), problem.engine);
    await space.append(block, pace);
    let confirming = 0;
    let confirmed = 'count' in wanted;
    for (let pass = 1; ; pass++) {
      const image = await passes.normal(space.lastBlock(), space.lastCount);
      await space.expand(image, pace);
      const whole = space.size === d;
      const ritz = await space.ritz(pace, (values) =>
        whole || holds(wanted, values, trace) ? countWanted(wanted, values, trace) + 1 : 0,
      );
      // A space that is nearly everything is cheaper to complete than to doubt.
      const nearly = !whole && d <= WHOLE * block;
      const enough = ritz.residuals.length > 0;
      const k = Math.min(d, countWanted(wanted, ritz.values, trace));
      const done = whole || (!nearly && enough && converged(ritz, k, problem) && confirming-- <= 0);
      if (done && (whole || confirmed || k < block)) return finishRitz(problem, space, ritz, k, block, true, pass);
      if (pass === MOST_PASSES) return finishRitz(problem, space, ritz, k, block, false, pass);
      if (enough) {
        const most = Math.max(k + 3 * block, Math.min(k + BLOCKS * block, Math.floor(MOST_NUMBERS / d)));
        if (space.size + space.lastCount > most && most < d) await space.restart(Math.min(k + block, space.size), pace);
      }
      // Fewer vectors than components: look once more from elsewhere before believing it.
      const fresh = done ? block : 0;
      if (done) {
        confirmed = true;
        confirming = CONFIRMING;
      }
      await space.append(Math.min(space.lastCount + fresh, d - space.size), pace);
    }
  },
};

/** Whether the Ritz values found so far can hold the wanted variance at all. */
function holds(wanted: Wanted, values: Float64Array, trace: number): boolean {
  if ('count' in wanted) return values.length >= wanted.count;
  return values.reduce((sum, value) => sum + value, 0) >= wanted.fraction * trace * (1 - 1e-13);
}

/**
 * All k pairs to the tolerance, and the one after them well enough to know the gap. Where the gap is smaller than the
 * tolerance an eigenvalue in it could be missed, so the residuals go down to rounding before the answer is believed,
 * unless a loose answer was asked for.
 */
function converged(ritz: Ritz, k: number, { tolerance, roundoff }: Problem): boolean {
  const largest = ritz.values[0];
  const allowed = tolerance * largest;
  for (let i = 0; i < k; i++) if (!(ritz.residuals[i] <= allowed)) return false;
  if (ritz.residuals.length <= k) return true;
  const gap = ritz.values[k - 1] - ritz.values[k];
  const floor = tolerance > LOOSE ? allowed : Math.min(allowed, Math.max(roundoff, 1e-14 * largest));
  return ritz.residuals[k] <= Math.max(floor, 0.1 * gap);
}

/** The Ritz vectors as a solution, their residuals measured by one more pass over the data. */
async function finishRitz(
  problem: RowsProblem,
  space: KrylovSpace,
  ritz: Ritz,
  k: number,
  block: number,
  believed: boolean,
  passes: number,
): Promise<Solution> {
  const { d } = problem;
  const basis = await space.vectors(ritz, k, problem.pace);
  const image = await problem.passes.normal(basis, k);
  const values = Float64Array.from({ length: k }, (_, r) => dot(image, r * d, basis, r * d, d));
  const known = ritz.residuals.length > k;
  // What is left of the trace bounds every eigenvalue that was not found.
  const left = Math.max(0, problem.trace - values.reduce((sum, value) => sum + value, 0)) + problem.roundoff;
  const value = known ? Math.max(0, ritz.values[k]) : 0;
  const bound = known ? Math.min(ritz.residuals[k] + problem.roundoff, Math.max(problem.roundoff, left - value)) : left;
  const residuals = residualNorms(image, basis, values, k, d);
  return {
    k,
    basis,
    values,
    residuals,
    next: k >= d ? undefined : { value, bound },
    rayleigh: true,
    search: space.size === d ? 1 : 30 * Math.sqrt(d / block),
    // What the iteration believes of its residuals counts only if the data say so too.
    converged: believed && residuals.every((residual) => residual <= problem.tolerance * values[0]),
    passes: passes + 1,
  };
}

interface Ritz {
  /** All Ritz values, largest first. */
  readonly values: Float64Array;
  /** Residuals of the leading ones. */
  readonly residuals: Float64Array;
  /** Their coordinates in the basis, one a row. */
  readonly coordinates: Float64Array;
}

/** Rounds of projection that leave a block orthogonal to Q to rounding, even where it was nearly inside: Parlett §6.9. */
const ROUNDS = 3;

/** The basis Q, the projection T = QᵀSQ, and the part of S·(last block) that lies outside Q. */
class KrylovSpace {
  readonly #d: number;
  readonly #random: Random;
  readonly #engine: Engine;
  readonly #plain: Frame;
  #basis: Float64Array = new Float64Array(0);
  #projected: Float64Array = new Float64Array(0);
  #outside: Float64Array = new Float64Array(0);
  size = 0;
  lastCount = 0;

  constructor(d: number, rng: Random, engine: Engine) {
    this.#d = d;
    this.#random = rng;
    this.#engine = engine;
    this.#plain = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  }

  lastBlock(): Float64Array {
    return this.#basis.subarray((this.size - this.lastCount) * this.#d, this.size * this.#d);
  }

  /** Appends a block of at least `lastCount`: what the last image left outside Q, and random directions to fill it. */
  async append(count: number, pace: Pace): Promise<void> {
    const d = this.#d;
    const needed = (this.size + count) * d;
    if (this.#basis.length < needed) {
      const grown = new Float64Array(Math.max(needed, Math.min(this.#basis.length * 2, d * d)));
      grown.set(this.#basis.subarray(0, this.size * d));
      this.#basis = grown;
    }
    const block = this.#basis.subarray(this.size * d, needed);
    const carried = Math.min(count, this.lastCount) * d;
    block.set(this.#outside.subarray(0, carried));
    for (let i = carried; i < block.length; i++) block[i] = this.#random.normal();
    for (let round = 0; round < ROUNDS; round++) {
      // Unit vectors first: what is left of a tiny one after projection is rounding, and must be projected again.
      await pace.follow(orthonormalise(block, count, d, this.#random));
      if (this.size > 0) await this.#project(block, count, pace);
    }
    await pace.follow(orthonormalise(block, count, d, this.#random));
    this.size += count;
    this.lastCount = count;
  }

  /** Takes in the image S·(last block): its inside becomes new columns of T, its outside waits for `append`. */
  async expand(image: Float64Array, pace: Pace): Promise<void> {
    const m = this.size;
    const b = this.lastCount;
    const first = m - b;
    const next = new Float64Array(m * m);
    for (let i = 0; i < first; i++) next.set(this.#projected.subarray(i * first, (i + 1) * first), i * m);
    for (let round = 0; round < 2; round++) {
      const inside = await this.#project(image, b, pace);
      for (let j = 0; j < m; j++) for (let c = 0; c < b; c++) next[j * m + first + c] += inside[j * b + c];
    }
    for (let j = 0; j < m; j++) {
      for (let c = first; c < m; c++) {
        // T is symmetric; where both halves were computed they are averaged.
        const value = j < first ? next[j * m + c] : (next[j * m + c] + next[c * m + j]) / 2;
        next[j * m + c] = value;
        next[c * m + j] = value;
      }
    }
    this.#projected = next;
    this.#outside = image;
  }

  /** Ritz values, and residuals and coordinates of as many as `count` says. */
  async ritz(pace: Pace, count: (values: Float64Array) => number): Promise<Ritz> {
    const m = this.size;
    const b = this.lastCount;
    const d = this.#d;
    const eigen = await this.#engine.symmetricEigen(this.#projected.slice(), m, count, () => pace.breathe());
    const products = new Float64Array(b * b);
    for (let i = 0; i < b; i++) {
      for (let j = 0; j < b; j++) products[i * b + j] = dot(this.#outside, i * d, this.#outside, j * d, d);
    }
    const residuals = Float64Array.from({ length: eigen.count }, (_, r) => {
      const tail = r * m + m - b;
      let square = 0;
      for (let i = 0; i < b; i++) square += eigen.vectors[tail + i] * dot(products, i * b, eigen.vectors, tail, b);
      return Math.sqrt(Math.max(0, square));
    });
    return { values: eigen.values, residuals, coordinates: eigen.vectors };
  }

  /** Ritz vectors, orthonormal rows. */
  async vectors(ritz: Ritz, count: number, pace: Pace): Promise<Float64Array> {
    const [m, d] = [this.size, this.#d];
    const out = new Float64Array(count * d);
    const coordinates = transpose(ritz.coordinates.subarray(0, count * m), count, m);
    await this.#withBasis((basis) =>
      basis.multiplyTransposed(this.#plain, coordinates, count, out, () => pace.breathe()),
    );
    await pace.follow(orthonormalise(out, count, d, this.#random));
    return out;
  }

  /** Thick restart: keeps the leading Ritz vectors; T becomes their diagonal, what is outside stays outside (Wu & Simon 2000). */
  async restart(count: number, pace: Pace): Promise<void> {
    const ritz = await this.ritz(pace, () => count);
    const kept = await this.vectors(ritz, count, pace);
    this.#basis.set(kept);
    this.#projected = new Float64Array(count * count);
    for (let i = 0; i < count; i++) this.#projected[i * count + i] = ritz.values[i];
    this.size = count;
  }

  /** Z −= (ZQᵀ)Q; returns ZQᵀ, transposed (size × count). */
  async #project(vectors: Float64Array, count: number, pace: Pace): Promise<Float64Array> {
    const inside = new Float64Array(this.size * count);
    const shadow = new Float64Array(count * this.#d);
    await this.#withBasis(async (basis) => {
      await basis.multiply(this.#plain, vectors, count, inside, () => pace.breathe());
      await basis.multiplyTransposed(this.#plain, inside, count, shadow, () => pace.breathe());
    });
    for (let i = 0; i < shadow.length; i++) vectors[i] -= shadow[i];
    return inside;
  }

  /** The basis as a block for the engine: its passes are the products that orthogonality takes. */
  async #withBasis(use: (basis: LoadedBlock) => void | Promise<void>): Promise<void> {
    const [rows, cols] = [this.size, this.#d];
    const basis = await this.#engine.load({ kind: 'dense', rows, cols, stride: cols, data: this.#basis });
    try {
      await use(basis);
    } finally {
      basis.release();
    }
  }
}
