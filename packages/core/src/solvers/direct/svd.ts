import { LARGEST_SQUARE } from '../../base/limits.js';
import { absorbRows, qr } from '../../linalg/qr.js';
import { svdSteps } from '../../linalg/svd.js';
import { transpose } from '../../linalg/transpose.js';
import { residualNorms } from '../residuals.js';
import {
  countWanted,
  nextValue,
  type Problem,
  type RowsProblem,
  type Solution,
  type Solver,
  type SolverDeclaration,
} from '../solver.js';

/**
 * Singular value decomposition of the data: B = UΣVᵀ, components V, eigenvalues σ².
 *
 * Tall data: tiles of rows are absorbed into a triangular R (d × d) with RᵀR = BᵀB, and R = U'ΣVᵀ. Wide data: tiles of columns
 * into R (n × n) with RᵀR = BBᵀ, R = U'ΣUᵀ, and V from BᵀU by QR. Nothing is squared, so the error of σ is a few hundred ε·σ₁,
 * and variances far below 1e-16 of the largest are found: the most accurate solver. 2·n·d² + 12·d³ flops for tall data, min(n,
 * d)² numbers and one tile of memory. Weakness: the slowest direct solver.
 */
export const svdDeclaration: SolverDeclaration = {
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
  load: () => svdSolver,
};

const svdSolver: Solver = { needs: 'rows', solve: solveSvd };

async function solveSvd(problem: RowsProblem): Promise<Solution> {
  const { d, passes, progress } = problem;
  const n = passes.rows;
  const tall = n >= d;
  const size = Math.min(n, d);
  const triangle = new Float64Array(size * size);
  let tiles = 0;
  let height = 0;
  const absorb = async (tile: Float64Array, lines: number): Promise<void> => {
    tiles++;
    height = Math.max(height, lines);
    await progress.follow(absorbRows(triangle, size, tile, lines));
    await progress.step(lines);
  };
  progress.begin('triangular factor', tall ? n : d);
  await (tall ? passes.rowTiles(absorb) : passes.columnTiles(absorb));
  progress.end();

  const steps = svdSteps(triangle, size, size, false);
  const { values, right } = await progress.run('singular values', 10 * size ** 3, steps);
  const { squares, count } = wantedSquares(values, problem);
  let basis: Float64Array = right.slice(0, count * size);
  if (!tall) {
    const images = await passes.multiplyTransposed(transpose(basis, count, n), count);
    basis = (await progress.follow(qr(images, count, d))).q;
  }
  const image = await passes.normal(basis, count, true);
  return fromSingularValues(problem, { squares, singular: values, basis, image, tiles, height });
}

/** Returns σ², and the number of wanted components. */
export function wantedSquares(
  singular: Float64Array,
  { wanted, scatterTrace }: Problem,
): { squares: Float64Array; count: number } {
  const squares = singular.map((value) => value * value);
  return { squares, count: Math.min(squares.length, countWanted(wanted, squares, scatterTrace)) };
}

/**
 * The result of a factorisation: all singular values, the wanted components, their images Sv, and the number and height of the
 * tiles.
 */
interface Factorisation {
  readonly singular: Float64Array;
  readonly squares: Float64Array;
  readonly basis: Float64Array;
  readonly image: Float64Array;
  readonly tiles: number;
  readonly height: number;
}

/** Makes the solution, and measures its residuals with the images, which it overwrites. */
export function fromSingularValues(
  problem: Problem,
  { singular, squares, basis, image, tiles, height }: Factorisation,
): Solution {
  const { d, scatterTrace, scalingError } = problem;
  const size = singular.length;
  const k = basis.length / d;
  const values = squares.slice(0, k);
  const singularBound = backwardError(size, tiles, height, Math.sqrt(scatterTrace));
  const beyond = k < size ? singular[k] : 0;
  return {
    k,
    basis,
    values,
    spectrum: squares,
    residuals: residualNorms(image, basis, values, k, d),
    next: nextValue(squares, k, problem, 2 * beyond * singularBound + singularBound ** 2 + scalingError),
    singularBound,
    converged: true,
    passes: size === d ? 2 : tiles + 2,
  };
}

/**
 * Upper bound on ‖ΔB‖ of the factorisation, a multiple of ε·‖B‖_F: sums over the height of a tile, the sequence of tiles, and the
 * reflectors and rotations of `size` columns (Higham §19.3 and §20; 8 covers the constants).
 */
function backwardError(size: number, tiles: number, height: number, frobenius: number): number {
  return Number.EPSILON * (height + 8 * tiles + 8 * size) * frobenius;
}
