import { LARGEST_SQUARE } from '../../limits.js';
import { absorbRows, qr } from '../../linalg/qr.js';
import { svdSteps } from '../../linalg/svd.js';
import { transpose } from '../../linalg/transpose.js';
import { andThen, type MaybePromise, settle, type Waiting, wait } from '../../maybe-promise.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type RowsProblem, type Solution, type SolverDeclaration } from '../solver.js';

/**
 * Singular value decomposition of the data: B = UΣVᵀ, components V, eigenvalues σ².
 *
 * Tall data: tiles of rows are absorbed into a triangular R (d × d) with RᵀR = BᵀB, and R = U'ΣVᵀ. Wide data: tiles of
 * columns into R (n × n) with RᵀR = BBᵀ, R = U'ΣUᵀ, and V from BᵀU by QR. Nothing is squared, so σ is right to a few hundred
 * ε·σ₁ and variances far below 1e-16 of the largest are found: the most accurate solver. 2·n·d² + 12·d³ flops for tall data,
 * min(n, d)² numbers and one tile of memory. Weakness: the slowest of the direct solvers.
 */
export const svd: SolverDeclaration = {
  family: 'direct',
  method: 'the singular value decomposition of the data themselves',
  needs: () => 'rows',
  matrixSize: ({ rows = Number.POSITIVE_INFINITY, cols }) => Math.min(rows, cols),
  cost: (work) => {
    const { n, d, size, entries, count } = work;
    if (size > LARGEST_SQUARE) return undefined;
    const wide = n < d ? work.products(2 * entries * count) + work.plain(4 * d * count * count) : 0;
    const factorisation = work.plain(2 * n * d * size + 12 * size * size * size);
    return factorisation + work.products(4 * entries * count) + wide + work.reading(entries);
  },
  reason: ({ rows, cols }) => `For ${rows}×${cols} the SVD is the cheapest solver, and the most accurate.`,
  precise: true,
  accuracy: { limit: 'rounding', remedy: 'Scale the columns' },
  load: () => ({ needs: 'rows', solve: (problem) => settle(solveSvd(problem)) }),
};

/** The triangle of a small fit, for the next: to allocate one takes as long as a step of the decomposition. */
let idle: Float64Array | undefined;
const MOST_IDLE = 64;

function* solveSvd(problem: RowsProblem): Waiting<Solution> {
  const { d, passes, progress, wanted, scatterTrace } = problem;
  const n = passes.rows;
  const tall = n >= d;
  const size = Math.min(n, d);
  const triangle = idle?.length === size * size ? idle.fill(0) : new Float64Array(size * size);
  idle = undefined;
  let tiles = 0;
  let height = 0;
  const absorb = (tile: Float64Array, lines: number): MaybePromise<void> => {
    tiles++;
    height = Math.max(height, lines);
    return andThen(progress.follow(absorbRows(triangle, size, tile, lines)), () => progress.step(lines));
  };
  progress.begin('triangular factor', tall ? n : d);
  yield* wait(tall ? passes.rowTiles(absorb) : passes.columnTiles(absorb));
  progress.end();

  const steps = svdSteps(triangle, size, size, false);
  const { values: singular, right } = yield* wait(progress.run('singular values', 10 * size ** 3, steps));
  if (size <= MOST_IDLE) idle = triangle;
  const squares = new Float64Array(size);
  for (let i = 0; i < size; i++) squares[i] = singular[i] * singular[i];
  const count = Math.min(size, countWanted(wanted, squares, scatterTrace));
  let basis: Float64Array = right.slice(0, count * size);
  if (!tall) {
    const images = yield* wait(passes.multiplyTransposed(transpose(basis, count, n), count));
    basis = (yield* wait(progress.follow(qr(images, count, d)))).q;
  }
  const values = squares.slice(0, count);
  const singularBound = backwardError(size, tiles, height, Math.sqrt(scatterTrace));
  const beyond = count < size ? singular[count] : 0;
  return {
    k: count,
    basis,
    values,
    spectrum: squares,
    residuals: residualNorms(yield* wait(passes.normal(basis, count, true)), basis, values, count, d),
    next: nextValue(squares, count, problem, 2 * beyond * singularBound + singularBound ** 2 + problem.framingError),
    singularBound,
    converged: true,
    passes: tall ? 2 : tiles + 2,
  };
}

/**
 * ‖ΔB‖ of the factorisation, a multiple of ε·‖B‖_F: sums over a tile's height, the tiles one after the other, and the
 * reflectors and rotations of `size` columns (its form is in Higham §19.3 and §20; 8 covers the constants).
 */
function backwardError(size: number, tiles: number, height: number, frobenius: number): number {
  return Number.EPSILON * (height + 8 * tiles + 8 * size) * frobenius;
}
