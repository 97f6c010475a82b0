import { LARGEST_SQUARE } from '../../base/limits.js';
import { OVERSAMPLING, PROBES, UNCORRECTED_TOLERANCE } from '../cost-model.js';
import type { SolverDeclaration } from '../solver.js';

/**
 * The plan chooses this solver only where it is predicted to be 10 % cheaper, because its float32 sums sometimes have to be
 * redone in float64.
 */
const COST_MARGIN = 1.1;

/**
 * Of an engine that uploads rows to a device, the products of the scatter with few vectors run on the processor: operations and numbers per
 * second, by 12 ms that one took for 784 columns and 60 vectors.
 */
const ON_PROCESSOR = { products: 2e10, reading: 8e7 };

/** The covariance summed in float32 and refined, in float32-scatter.ts, which is loaded when it is needed. */
export const refinedDeclaration: SolverDeclaration = {
  family: 'direct',
  method: 'the eigenvectors of a covariance matrix summed in float32, then refined in float64',
  needs: () => 'both',
  matrixSize: ({ cols }) => cols,
  cost: (work) => {
    const { n, d, count, dense, float32, nonzeroShare, tolerance, rates } = work;
    const possible = dense && float32 && work.manyValues && work.counted && work.rereadable;
    if (!possible || d > LARGEST_SQUARE || count + OVERSAMPLING > d / 2) return undefined;
    const loose = tolerance >= UNCORRECTED_TOLERANCE;
    const vectors = loose ? PROBES : count + OVERSAMPLING + PROBES;
    // About a dozen products of the scatter with all vectors, each of which reads it again.
    const operations = 2 * d * d * count + 8 * d * count * count;
    const product =
      rates.upload === undefined
        ? operations / (rates.products * 1e9) + work.reading(d * d)
        : operations / ON_PROCESSOR.products + (d * d) / ON_PROCESSOR.reading;
    const scatter = work.pass(n * d * d * nonzeroShare.eight, float32.products);
    const refinement = work.products(4 * n * d * vectors) + (loose ? 0 : 12 * product);
    return COST_MARGIN * (scatter + work.leading(d, count + OVERSAMPLING) + refinement);
  },
  reason: ({ rows, cols }) =>
    `The ${cols}×${cols} covariance of ${rows} rows is summed in float32, which is twice as fast; the result is checked and refined in float64.`,
  accuracy: { limit: 'rounding', remedy: "Use solver: 'svd', or scale the columns" },
  load: async () => (await import('./float32-scatter.js')).refinedSolver,
};
