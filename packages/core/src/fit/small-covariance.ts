import { runTaskSync } from '../base/progress.js';
import { blockMeans } from '../data/statistics/block-statistics.js';
import { scaleScatter } from '../data/statistics/scaling.js';
import { moveToWholeMeans, scalerAboutMeans } from '../engines/summarise-two-pass.js';
import { symmetricEigen } from '../linalg/symmetric-eigen.js';
import { completeSymmetric } from '../linalg/upper.js';
import { dot } from '../linalg/vector.js';
import { fromEigenvectors, wantedCount } from '../solvers/direct/solve-covariance.js';
import type { Problem, Solution } from '../solvers/solver.js';
import type { SmallSolver } from './fit-small.js';

/**
 * The covariance solver for small data: the scatter about the means, summed up together with the columns, and its eigenvectors. Only `pcaSync`
 * fits data by it: `pca` has faster engines for those that are not fitted by SVD in no time.
 */
export const byCovariance =
  (centre: boolean): SmallSolver =>
  ({ block, passes, weights, columnNames }) => {
    const d = block.cols;
    const scatter = new Float64Array(d * d);
    const columns = runTaskSync(blockMeans(block, weights, 0, columnNames));
    if (columns.rows > 0) {
      runTaskSync(passes.gramTask(scalerAboutMeans(columns, weights), scatter));
      moveToWholeMeans(scatter, columns);
      for (let j = 0; j < d; j++) columns.spread[j] = scatter[j * d + j];
    }
    return {
      columns,
      solve(problem, scaler) {
        scaleScatter(scatter, { cols: d, columns }, scaler, centre);
        return decompose(problem, scatter);
      },
    };
  };

/** The eigenvectors of S (d × d), and their images for the residuals. */
function decompose(problem: Problem, scatter: Float64Array): Solution {
  const { d } = problem;
  const found = runTaskSync(symmetricEigen(scatter.slice(), d, wantedCount(problem)));
  completeSymmetric(scatter, d);
  const image = new Float64Array(found.count * d);
  for (let r = 0; r < found.count; r++) {
    for (let i = 0; i < d; i++) image[r * d + i] = dot(scatter, i * d, found.vectors, r * d, d);
  }
  return fromEigenvectors(problem, found, image);
}
