import { principalAngles } from '@scree/analysis';
import { type Model, pca, type Whiten } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { atMost, below, equal } from '../support/assert.js';
import { toCsr, toMatrix, withSpectrum } from '../support/data.js';
import type { SolverSetup } from './setups.js';

/** Typical shapes and spectra, small enough to test every combination. */
const shapes: Record<string, number[][]> = {
  tall: withSpectrum(120, 9, (i) => 10 * 0.6 ** i),
  wide: withSpectrum(11, 90, (i) => 10 * 0.7 ** i),
  square: withSpectrum(25, 25, (i) => 10 * 0.8 ** i),
  'rank-deficient': withSpectrum(40, 12, (i) => (i < 4 ? 5 - i : 0)),
  'repeated eigenvalues': withSpectrum(50, 8, (i) => [5, 5, 3, 2, 2, 2, 1, 0.5][i]),
  'huge offset': withSpectrum(60, 7, (i) => 20 * 0.7 ** i, { offset: (j) => 1e8 * (j + 1) }),
  'tiny scale': withSpectrum(60, 7, (i) => 1e-120 * 0.6 ** i),
  'badly scaled columns': withSpectrum(80, 6, (i) => 10 * 0.8 ** i, { scale: (j) => 10 ** (3 * j - 6) }),
};

export const shapeNames: readonly string[] = Object.keys(shapes);

export interface SolverCase {
  readonly shape: string;
  readonly dtype: 'float64' | 'float32';
  readonly layout: 'dense' | 'sparse';
  readonly weighted: boolean;
  /** The description of a case without the shape. */
  readonly name: string;
}

/** Every shape, type, layout and weighting, tested with every setup. */
export const solverCases: readonly SolverCase[] = shapeNames.flatMap((shape) =>
  (['float64', 'float32'] as const).flatMap((dtype) =>
    (['dense', 'sparse'] as const).flatMap((layout) =>
      [false, true].map((weighted) => {
        const name = `${dtype}, ${layout}${weighted ? ', weighted' : ''}`;
        return { shape, dtype, layout, weighted, name };
      }),
    ),
  ),
);

/** Sets two of five entries to zero, so that sparse passes have entries to skip. One column stays full. */
function thin(rows: number[][]): number[][] {
  const { uniform } = random(99);
  return rows.map((row) => row.map((value, j) => (j > 0 && uniform() < 0.4 ? 0 : value)));
}

/**
 * A component is well determined when its variance is a hundredth of λ₁ away from the others: then a residual of the
 * default tolerance leaves the axis within 1e-8 (float64) or 1e-4 (float32).
 */
const WELL = 0.01;
const limits = { float64: { variance: 1e-12, angle: 1e-8 }, float32: { variance: 1e-9, angle: 1e-4 } };
/** `refined` keeps float32 sums of float32 data if they meet the tolerance. */
const rough = { variance: 1e-6, angle: 1e-4 };

function wellDetermined(model: Model, i: number): boolean {
  const { gap } = model.uniqueness.axes[i];
  return gap === null || gap > WELL * model.variances[0];
}

/** A case with its data and the results of svd on the reference engine, which are computed once for all setups. */
interface Prepared {
  readonly rows: number[][];
  readonly data: Parameters<typeof pca>[0];
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly options: { readonly k: number; readonly whiten: Whiten; readonly weights?: number[] };
  readonly truth: Model;
  readonly scores: ArrayLike<number>;
}

const prepared = new Map<SolverCase, Promise<Prepared>>();

function prepare(one: SolverCase): Promise<Prepared> {
  const kept = prepared.get(one) ?? prepareAnew(one);
  prepared.set(one, kept);
  return kept;
}

async function prepareAnew({ shape, dtype, layout, weighted }: SolverCase): Promise<Prepared> {
  const filled = layout === 'sparse' ? thin(shapes[shape]) : shapes[shape];
  // 1e-120 is too small for float32, which gets the same data at a larger scale.
  const fit = dtype === 'float32' && shape === 'tiny scale' ? filled.map((r) => r.map((x) => x * 1e100)) : filled;
  const float32 = dtype === 'float32';
  const rows = fit.map((row) => row.map((x) => (float32 ? Math.fround(x) : x)));
  const data = layout === 'sparse' ? toCsr(rows, float32) : toMatrix(rows, float32);
  const weights = weighted ? { weights: rows.map((_, i) => [1, 0.5, 2, 0, 3][i % 5]) } : {};
  const answers: Answer[] = [];
  for (const whiten of [false, 'pca', 'zca'] as const) {
    const options = { k: 5, whiten, ...weights };
    const truth = await pca(toMatrix(rows), { ...options, solver: 'svd', engine: 'reference' });
    answers.push({ options, truth, scores: (await truth.transform(rows)).data });
  }
  return { rows, data, answers };
}

/** Checks that the setup agrees with svd on the reference engine: variances, axes, subspace and scores, with every whitening. */
export async function checkSolver(setup: SolverSetup, one: SolverCase): Promise<void> {
  const { rows, data, answers } = await prepare(one);
  for (const answer of answers) {
    const model = await pca(data, { ...answer.options, ...setup });
    const scores = (await model.transform(rows)).data;
    try {
      compare(
        model,
        scores,
        answer,
        rows.length,
        setup.solver === 'refined' && one.dtype === 'float32' ? rough : limits[one.dtype],
      );
    } catch (error) {
      const { whiten } = answer.options;
      throw whiten ? new Error(`whitened (${whiten}): ${(error as Error).message}`) : error;
    }
  }
}

function compare(
  model: Model,
  scores: ArrayLike<number>,
  { options: { whiten }, truth, scores: trueScores }: Answer,
  n: number,
  limit: { readonly variance: number; readonly angle: number },
): void {
  const largest = truth.variances[0];
  equal(model.k, truth.k, 'k');
  const totalError = Math.abs(model.totalVariance - truth.totalVariance);
  atMost(totalError, 1e-12 * truth.totalVariance, 'error of the total variance');
  equal(scores.length, trueScores.length, 'number of scores');
  for (let i = 0; i < model.k; i++) {
    const error = Math.abs(model.variances[i] - truth.variances[i]);
    atMost(error, limit.variance * largest, `error of variance ${i}`);
    if (!wellDetermined(truth, i)) continue;
    const axis = (m: Model) => ({ rows: 1, cols: m.d, data: m.components.data.slice(i * m.d, (i + 1) * m.d) });
    below(principalAngles(axis(model), axis(truth))[0], limit.angle, `angle of axis ${i}`);
    if (whiten === 'zca') continue;
    // The same axis with the same sign gives the same scores.
    const size = whiten ? Math.sqrt(n) : Math.sqrt(largest * n);
    for (let r = 0; r < n; r++) {
      const gap = Math.abs(scores[r * model.k + i] - trueScores[r * model.k + i]);
      atMost(gap, 100 * limit.angle * size, `error of score ${r}, ${i}`);
    }
  }
  if (truth.uniqueness.subspace.gap !== null && truth.uniqueness.subspace.gap > WELL * largest) {
    const angles = principalAngles(model.components, truth.components);
    below(angles[angles.length - 1], limit.angle, 'angle of the subspace');
    if (whiten === 'zca' && truth.uniqueness.rank === truth.k) {
      for (let at = 0; at < scores.length; at++) {
        const gap = Math.abs(scores[at] - trueScores[at]);
        atMost(gap, 100 * limit.angle * Math.sqrt(n), `error of entry ${at} of the scores`);
      }
    }
  }
}
