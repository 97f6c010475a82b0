import { isFloatArray } from '../base/built-in-name.js';
import { mapAsync } from '../base/map-async.js';
import type { Block, DenseBlock } from '../data/blocks/block.js';
import { decoded } from '../data/blocks/float16.js';
import { mapSource } from '../data/blocks/row-source.js';
import { dot, norm, scale as times } from '../linalg/vector.js';
import type { FillMethod, FillProblem } from './method.js';
import { observedScaling } from './observed-values.js';

/**
 * NIPALS on the observed values (Wold 1966), as pcaMethods of Bioconductor computes it. Each component is a power iteration that leaves
 * gaps out of its sums, with ‖p‖ = 1,
 *
 *   tᵢ = Σ_o eᵢⱼpⱼ,   p ∝ Σ_o eᵢⱼtᵢ,   then e ← e − tpᵀ at the observed values,
 *
 * with columns centred and scaled by their observed values. The t and p of a table with gaps are not orthogonal, so they are not the
 * components of the model: they fill the gaps, and the model is the PCA of the completed rows. Weaknesses: it minimises no overall
 * objective, the scores of rows with many gaps are too small, and it is slow where two variances are close. It needs one reading per iteration, and no memory per row.
 */
export const nipals: FillMethod = {
  title: 'NIPALS',
  async run(problem) {
    const { source, settings, observed, k, tolerance, iterations, progress } = problem;
    const { scale } = observedScaling(observed, settings);
    const { cols: d } = source;
    const mean = settings.center ? observed.means : new Float64Array(d);
    const found = new Loadings(d, k, mean, scale);
    let [total, worst, converged] = [0, 0, true];
    const explained: number[] = [];
    for (let c = 0; c < k; c++) {
      let change = Number.POSITIVE_INFINITY;
      found.begin(
        c,
        observed.spreads.map((spread, j) => spread / scale[j] ** 2),
      );
      for (let round = 0; round < iterations && change > tolerance; round++) {
        progress.begin('NIPALS', source.rows, source.expectedRows);
        await oneReading(problem, (b, gaps, w) => found.add(c, b, gaps, w));
        change = found.update(c);
        total++;
      }
      worst = Math.max(worst, change);
      converged &&= change <= tolerance;
      let [rest, whole] = [0, 0];
      await oneReading(problem, (b, gaps, w) => {
        whole += w * observedSquare(b, gaps);
        found.residual(c + 1, b, gaps);
        rest += w * observedSquare(b, gaps);
      });
      explained.push(whole > 0 ? 1 - rest / whole : 0);
    }
    const blocks = (): AsyncIterable<Block> => mapAsync(source.blocks(), (block) => found.fill(block));
    const filled = source.resident
      ? [...(source.blocks() as Iterable<Block>)].map((block) => found.fill(block))
      : undefined;
    return {
      source: mapSource(source, { blocks: filled ? () => filled : blocks, sample: undefined, remote: undefined }),
      complete: async (block) => found.fill(block),
      ...{ iterations: total, converged, change: worst, objectives: [], explained },
    };

    /** Calls `visit` with every scaled row; gaps are 0. */
    async function oneReading(
      { weights }: FillProblem,
      visit: (b: Float64Array, gaps: Uint8Array, weight: number) => void,
    ): Promise<void> {
      const [b, gaps] = [new Float64Array(d), new Uint8Array(d)];
      let first = 0;
      for await (const given of source.blocks()) {
        if (given.kind === 'sparse') continue;
        const { rows, stride, data } = decoded(given);
        const own = weights.slice(first, rows);
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < d; j++) {
            const x = data[i * stride + j];
            gaps[j] = Number.isNaN(x) ? 1 : 0;
            b[j] = gaps[j] ? 0 : (x - mean[j]) / scale[j];
          }
          visit(b, gaps, own ? own[i] : 1);
        }
        first += rows;
        const pause = progress.step(rows);
        if (pause) await pause;
      }
    }
  },
};

function observedSquare(b: Float64Array, gaps: Uint8Array): number {
  let sum = 0;
  for (let j = 0; j < b.length; j++) if (!gaps[j]) sum += b[j] * b[j];
  return sum;
}

/** The vectors p of NIPALS, and the sums of one reading for the next of them. */
class Loadings {
  readonly #d: number;
  readonly #k: number;
  readonly #mean: Float64Array;
  readonly #scale: Float64Array;
  /** One p per row (k × d). */
  readonly #p: Float64Array;
  readonly #sums: Float64Array;

  constructor(d: number, k: number, mean: Float64Array, scale: Float64Array) {
    this.#d = d;
    this.#k = k;
    this.#mean = mean;
    this.#scale = scale;
    this.#p = new Float64Array(k * d);
    this.#sums = new Float64Array(d);
  }

  /** Component c begins with unequal entries, largest where columns vary most, so that it is orthogonal to no component. */
  begin(c: number, spreads: Float64Array): void {
    const d = this.#d;
    for (let j = 0; j < d; j++)
      this.#p[c * d + j] = Math.sqrt(spreads[j] + 1e-12) * (1 + ((j * 0.618034 + c * 0.414214) % 1));
    this.#normalise(c);
  }

  /** t of a row and component, whose earlier components are subtracted. */
  #score(c: number, e: Float64Array, gaps: Uint8Array): number {
    const [d, p] = [this.#d, this.#p];
    let sum = 0;
    for (let j = 0, at = c * d; j < d; j++, at++) if (!gaps[j]) sum += e[j] * p[at];
    return sum;
  }

  /** Subtracts the first `count` components from the observed entries of a row. */
  residual(count: number, b: Float64Array, gaps: Uint8Array): void {
    const [d, p] = [this.#d, this.#p];
    for (let c = 0; c < count; c++) {
      const t = this.#score(c, b, gaps);
      for (let j = 0; j < d; j++) if (!gaps[j]) b[j] -= t * p[c * d + j];
    }
  }

  /** Adds a row to the sums for component c. */
  add(c: number, b: Float64Array, gaps: Uint8Array, w: number): void {
    this.residual(c, b, gaps);
    const t = this.#score(c, b, gaps);
    for (let j = 0; j < b.length; j++) if (!gaps[j]) this.#sums[j] += w * b[j] * t;
  }

  /** The next p of component c, from the sums of one reading. Returns the length of its change. */
  update(c: number): number {
    const d = this.#d;
    const before = this.#p.slice(c * d, (c + 1) * d);
    this.#p.set(this.#sums, c * d);
    this.#sums.fill(0);
    this.#normalise(c);
    for (let j = 0; j < d; j++) before[j] -= this.#p[c * d + j];
    return norm(before);
  }

  #normalise(c: number): void {
    const d = this.#d;
    const length = Math.sqrt(dot(this.#p, c * d, this.#p, c * d, d));
    if (length > 0) times(1 / length, this.#p, c * d, d);
  }

  /** A copy of a block with its gaps filled; the block itself if it has none. */
  fill(given: Block): Block {
    if (given.kind === 'sparse') return given;
    const block = decoded(given);
    const { rows, stride, data } = block;
    if (!isFloatArray(data)) return given;
    const [d, k, p] = [this.#d, this.#k, this.#p];
    const copy = data instanceof Float32Array ? new Float32Array(rows * d) : new Float64Array(rows * d);
    const [e, gaps] = [new Float64Array(d), new Uint8Array(d)];
    let found = false;
    for (let i = 0; i < rows; i++) {
      copy.set(data.subarray(i * stride, i * stride + d), i * d);
      let missing = 0;
      for (let j = 0; j < d; j++) {
        const x = copy[i * d + j];
        gaps[j] = Number.isNaN(x) ? 1 : 0;
        missing += gaps[j];
        e[j] = gaps[j] ? 0 : (x - this.#mean[j]) / this.#scale[j];
      }
      if (missing === 0) continue;
      found = true;
      const values = new Float64Array(d);
      for (let c = 0; c < k; c++) {
        const t = this.#score(c, e, gaps);
        for (let j = 0; j < d; j++) {
          if (gaps[j]) values[j] += t * p[c * d + j];
          else e[j] -= t * p[c * d + j];
        }
      }
      for (let j = 0; j < d; j++) if (gaps[j]) copy[i * d + j] = this.#mean[j] + this.#scale[j] * values[j];
    }
    return found ? ({ kind: 'dense', rows, cols: d, stride: d, data: copy } satisfies DenseBlock) : given;
  }
}
