import { LARGEST_SQUARE } from '../../base/limits.js';
import { OVERSAMPLING, PROBES, UNCORRECTED_TOLERANCE } from '../cost-model.js';
import type { SolverDeclaration } from '../solver.js';

/**
 * The plan chooses this solver only if it is predicted to be 10 % cheaper, because the float32 sums sometimes have to be redone
 * in float64.
 */
const COST_MARGIN = 1.1;

/**
 * The rates of products of the scatter with few vectors, for engines that upload rows to a device: these products run on the
 * processor. Operations and numbers per second, from a measurement of 12 ms for 784 columns and 60 vectors.
 */
const PROCESSOR_RATES = { products: 2e10, reading: 8e7 };

/** The covariance matrix, summed in float32 and refined in float64. float32-scatter.ts has the code, which is loaded on demand. */
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
    // About a dozen products of the scatter with all vectors. Each product reads the scatter again.
    const operations = 2 * d * d * count + 8 * d * count * count;
    const product =
      rates.upload === undefined
        ? operations / (rates.products * 1e9) + work.reading(d * d)
        : operations / PROCESSOR_RATES.products + (d * d) / PROCESSOR_RATES.reading;
    const scatter = work.pass(n * d * d * nonzeroShare.eight, float32.products);
    const refinement = work.products(4 * n * d * vectors) + (loose ? 0 : 12 * product);
    return COST_MARGIN * (scatter + work.leading(d, count + OVERSAMPLING) + refinement);
  },
  reason: ({ rows, cols }) =>
    `The ${cols}×${cols} covariance of ${rows} rows is summed in float32, which is twice as fast; the result is checked and refined in float64.`,
  accuracy: { limit: 'rounding', remedy: "Use solver: 'svd', or scale the columns" },
  load: async () => (await import('./float32-scatter.js')).refinedSolver,
};
