import type { Engine } from './engines/engine.js';
import { OptionError } from './errors.js';
import { LARGEST_SQUARE } from './limits.js';
import type { SolverName } from './options.js';
import { solvers } from './solvers/index.js';

/** What the plan knows of the data before it is read. */
export interface Shape {
  /** Undefined for a stream of unknown length. */
  readonly rows?: number;
  readonly cols: number;
  /** Stored entries, for sparse data. */
  readonly nonzeros?: number;
  readonly rewindable: boolean;
  /** Only the moments are known, not the rows. */
  readonly momentsOnly?: boolean;
}

export interface PlanRequest {
  readonly k?: number | 'all' | undefined;
  readonly solver: SolverName | 'auto';
  readonly engine: Pick<Engine, 'name' | 'rates'>;
}

/** What will be done, and why. */
export interface Plan {
  readonly solver: SolverName;
  readonly engine: string;
  /** Whether a stream's rows are kept in memory, because the solver must see them again. */
  readonly keepsRows: boolean;
  /** One sentence for people. */
  readonly reason: string;
  /** Estimated cost of each solver that could do it, in operations of plain TypeScript; the plan takes the cheapest. */
  readonly costs: Readonly<Partial<Record<SolverName, number>>>;
}

/**
 * Below this many operations the most accurate road costs no time anybody would notice (a few milliseconds in plain
 * JavaScript), so it is taken.
 */
const SMALL = 2e6;
/** Widest stream whose d × d scatter is kept (134 MB with its copy) rather than its rows. */
const STREAM_COLS = 2896;
/**
 * Blocks that block Krylov takes to converge: 8 to 12 where the spectrum falls, 25 where it is flat. The plan cannot know
 * which, so it counts with many and takes Krylov where it wins all the same.
 */
const KRYLOV_BLOCKS = 20;
/** Billions of dense operations a second in plain TypeScript. */
const PLAIN = 2.3;
/** d³ operations of the eigenproblem run at about this many times the cost of a pass's operations. */
const EIGEN_COST = 1.5;

/**
 * Chooses the solver: pure, from the shape and the options alone.
 *
 * covariance n·d² + 4/3·d³ · dual n²·d + 4/3·n³ · svd 2·n·d² + 12·d³ (n and d swapped for wide data) ·
 * krylov 4·n·d·(k + 10) a pass and reorthogonalisation. Passes count by the engine's rate; what is left, decompositions
 * of small matrices, runs in plain TypeScript whatever the engine. Sparse data count their stored entries instead of n·d where
 * the pass does.
 */
export function makePlan(shape: Shape, request: PlanRequest): Plan {
  const { cols: d } = shape;
  const engine = request.engine.name;
  const costs = estimates(shape, request.k, request.engine.rates.products / PLAIN);
  const plan = (solver: SolverName, reason: string): Plan => {
    const keepsRows = !shape.rewindable && !shape.momentsOnly && solvers[solver].needs === 'rows';
    return {
      solver,
      engine,
      keepsRows,
      reason: keepsRows
        ? `${reason} The stream's rows are kept in memory, because ${solver} reads them more than once.`
        : reason,
      costs,
    };
  };
  if (shape.momentsOnly)
    return plan('covariance', 'Only moments are known, so the covariance road is the one there is.');
  if (request.solver !== 'auto') {
    refuseTooLarge(request.solver, shape);
    return plan(request.solver, `The ${request.solver} solver was asked for.`);
  }
  if (shape.rows === undefined) {
    return d <= STREAM_COLS
      ? plan('covariance', `A stream of ${d} columns is summed up in one pass as its ${d}×${d} covariance.`)
      : plan('krylov', `A stream of ${d} columns is too wide for a ${d}×${d} covariance.`);
  }
  const n = shape.rows;
  if ((costs.svd ?? Number.POSITIVE_INFINITY) <= SMALL) {
    return plan('svd', `${n}×${d} is small, so the most accurate road, the direct SVD, costs nothing.`);
  }
  const possible = (['covariance', 'dual', 'krylov', 'svd'] as const).filter((name) => costs[name] !== undefined);
  const best = possible.reduce((a, b) => ((costs[b] as number) < (costs[a] as number) ? b : a));
  const why: Record<SolverName, string> = {
    covariance: `${n} rows are many and ${d} columns few enough: the ${d}×${d} covariance is the cheapest road.`,
    dual: `${n} rows are fewer than ${d} columns: the ${n}×${n} dual problem is smaller than the ${d}×${d} covariance.`,
    krylov: `Few components of ${shape.nonzeros === undefined ? 'a large' : 'a sparse'} ${n}×${d} matrix are wanted: block Krylov needs only passes over the data.`,
    svd: `Of all roads to the components of ${n}×${d} the direct SVD is the cheapest here, and the most accurate.`,
  };
  return plan(best, why[best]);
}

/** A square matrix that no machine holds is refused before it is tried. */
function refuseTooLarge(solver: SolverName, { rows = Number.POSITIVE_INFINITY, cols }: Shape): void {
  const size = { covariance: cols, dual: rows, svd: Math.min(rows, cols), krylov: 0 }[solver];
  if (size <= LARGEST_SQUARE || size === Number.POSITIVE_INFINITY) return;
  throw new OptionError(
    'TOO_LARGE',
    `${solver} needs a ${size}×${size} matrix, ${Math.round((size * size * 8) / 2 ** 30)} GB; ${LARGEST_SQUARE} is the most. Use solver: 'krylov', or 'auto'.`,
    { option: 'solver', value: size, expected: LARGEST_SQUARE },
  );
}

/** Operations of each solver that is possible at all. */
function estimates(shape: Shape, k: PlanRequest['k'], engineRate: number): Partial<Record<SolverName, number>> {
  const { rows: n, cols: d, nonzeros } = shape;
  if (n === undefined) return {};
  const size = Math.min(n, d);
  const entries = nonzeros ?? n * d;
  // Sparse passes wait for memory: no engine makes much of them.
  const rate = nonzeros === undefined ? engineRate : 1;
  // A fraction is not known to be few: half of all components is the middle guess.
  const count = k === undefined ? Math.min(10, size) : k === 'all' ? size : k < 1 ? size / 2 : Math.min(k, size);
  const costs: Partial<Record<SolverName, number>> = {};
  const eigen = (m: number): number => EIGEN_COST * (4 / 3 + (count > m / 2 ? 6 : 0)) * m ** 3 + 2 * m * m * count;
  if (d <= LARGEST_SQUARE) {
    const gram = nonzeros === undefined ? n * d * d : nonzeros * (nonzeros / n) + d * d;
    costs.covariance = gram / rate + eigen(d);
  }
  if (n <= LARGEST_SQUARE) costs.dual = (entries * n + 6 * entries * count) / rate + eigen(n) + 4 * d * count * count;
  if (size <= LARGEST_SQUARE) {
    const wide = n < d ? (2 * entries * count) / rate + 4 * d * count * count : 0;
    costs.svd = 2 * n * d * size + 12 * size ** 3 + (4 * entries * count) / rate + wide;
  }
  const block = Math.min(size, count + 10);
  const blocks = Math.min(KRYLOV_BLOCKS, Math.ceil(size / block));
  const basis = blocks * block;
  // Small eigenproblems of one, two, three … blocks: their cubes add up to a quarter of the last times their number.
  const projected = (eigen(basis) * (blocks + 3)) / 4;
  costs.krylov = (blocks * 4 * entries * block + 8 * entries * count) / rate + 8 * d * basis * basis + projected;
  return costs;
}
