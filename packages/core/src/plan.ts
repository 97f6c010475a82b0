import type { Sample } from './data/sample.js';
import type { Rates } from './engines/engine.js';
import { OptionError } from './errors.js';
import type { LearnOptions } from './learning/learn-options.js';
import { LARGEST_SQUARE } from './limits.js';
import type { SolverName } from './options.js';
import { solverFor } from './solvers/index.js';
import { LOOSE } from './solvers/refined.js';

/** What the plan knows of the data before it is read. */
export interface Shape {
  /** Undefined for a stream of unknown length. */
  readonly rows?: number;
  readonly cols: number;
  /** Stored entries, for sparse data. */
  readonly nonzeros?: number;
  readonly dtype?: 'float32' | 'float64';
  /** What a look at some of the rows tells, where they are dense and at hand. */
  readonly sample?: Sample | undefined;
  readonly rewindable: boolean;
  /** Only the moments are known, not the rows. */
  readonly momentsOnly?: boolean;
}

/** What the plan knows of an engine: `Engine` is one. */
export interface EngineFacts {
  readonly name: string;
  readonly rates: Rates;
  /** The same in float32, where the engine has that. */
  readonly single?: { readonly rates: Rates } | undefined;
  readonly skipsZeros?: boolean | undefined;
}

export interface PlanRequest {
  readonly k?: number | 'all' | undefined;
  readonly solver: SolverName | 'auto';
  readonly engine: EngineFacts;
  /** Residual that iterative solvers must reach; by default what the data's type is worth. */
  readonly tolerance?: number | undefined;
  /** How solvers that learn go about it. */
  readonly learn?: LearnOptions | undefined;
  /** Bytes that the matrices of a solver may take. */
  readonly memory?: number | undefined;
}

/** What will be done, and why. */
export interface Plan {
  readonly solver: SolverName;
  readonly engine: string;
  /** Whether a stream's rows are kept in memory, because the solver must see them again. */
  readonly keepsRows: boolean;
  /** One sentence for people. */
  readonly reason: string;
  /** Estimated seconds of each solver that could do it; the plan takes the cheapest. */
  readonly costs: Readonly<Partial<Record<SolverName, number>>>;
}

/** Below this many seconds the most accurate road costs no time anybody would notice, so it is taken. */
const SMALL = 0.5e-3;
/** Widest stream whose d × d scatter is kept (134 MB with its copy) rather than its rows. */
export const STREAM_COLS = 2896;
/**
 * Blocks that block Krylov takes to converge: 8 to 12 where the spectrum falls, 25 where it is flat. The plan cannot know
 * which, so it counts with many and takes Krylov where it wins all the same.
 */
const KRYLOV_BLOCKS = 15;
/** Billions of operations a second in plain TypeScript: QR, SVD, QL with vectors. */
const PLAIN = 1.5;
/** Billions of numbers a second that are brought in, packed and looked at, where an engine does not say. */
const READING = 0.5;
/** What float32 sums must promise beyond the rest: they may turn out not to be enough. */
const CHANCE = 1.1;
/** Operations of the scatter from which it pays to look at some of the rows first. */
const WORTH_LOOKING = 1e9;
/** Seconds that a pass takes to begin. */
const PASS = 2e-4;
/** Seconds an entry of an eigenvector of T takes by inverse iteration, and an eigenvalue against each other by QL. */
const INVERSE = 4e-7;
const QL = 2e-8;

/**
 * Chooses the solver: pure, from the shape, the options and the engine's rates alone.
 *
 * covariance n·d² + 4/3·d³ · refined the same, the first in float32, and 4·n·d·(k + 26) · dual n²·d + 4/3·n³ + 6·n·d·k ·
 * svd 2·n·d² + 12·d³ (n and d swapped for wide data) · krylov 4·n·d·(k + 10) a block and reorthogonalisation. Operations
 * are divided by the rate of whatever does them; every reading of the data costs its bytes. Sparse data count their stored
 * entries instead of n·d.
 */
export function makePlan(shape: Shape, request: PlanRequest): Plan {
  const { cols: d } = shape;
  const engine = request.engine.name;
  const costs = estimateCosts(shape, request);
  const plan = (solver: SolverName, reason: string): Plan => {
    const { needs } = solverFor(solver, { cols: d, learn: request.learn });
    const keepsRows = !shape.rewindable && !shape.momentsOnly && needs !== 'scatter' && needs !== 'once';
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
  if (shape.momentsOnly && request.solver === 'auto')
    return plan('covariance', 'Only moments are known, so the covariance road is the one there is.');
  if (request.solver !== 'auto') {
    refuseTooLarge(request.solver, shape);
    return plan(request.solver, `The ${request.solver} solver was asked for.`);
  }
  if (shape.rows === undefined) {
    return d <= STREAM_COLS && (matrices(shape).covariance ?? 0) <= (request.memory ?? Number.POSITIVE_INFINITY)
      ? plan('covariance', `A stream of ${d} columns is summed up in one pass as its ${d}×${d} covariance.`)
      : plan('krylov', `A stream of ${d} columns is too wide for a ${d}×${d} covariance.`);
  }
  const n = shape.rows;
  if ((costs.svd ?? Number.POSITIVE_INFINITY) <= SMALL) {
    return plan('svd', `${n}×${d} is small, so the most accurate road, the direct SVD, costs nothing.`);
  }
  const { memory = Number.POSITIVE_INFINITY } = request;
  const taken = matrices(shape);
  const possible = (['covariance', 'refined', 'dual', 'krylov', 'svd'] as const).filter(
    (name) => name in costs && (taken[name] ?? 0) <= memory,
  );
  const best = possible.reduce((a, b) => ((costs[b] as number) < (costs[a] as number) ? b : a));
  const why: Record<(typeof possible)[number], string> = {
    covariance: `${n} rows are many and ${d} columns few enough: the ${d}×${d} covariance is the cheapest road.`,
    refined: `The ${d}×${d} covariance of ${n} rows is summed in float32, twice as fast, and its answer checked and refined in float64.`,
    dual: `${n} rows are fewer than ${d} columns: the ${n}×${n} dual problem is smaller than the ${d}×${d} covariance.`,
    krylov: `Few components of ${shape.nonzeros === undefined ? 'a large' : 'a sparse'} ${n}×${d} matrix are wanted: block Krylov needs only passes over the data.`,
    svd: `Of all roads to the components of ${n}×${d} the direct SVD is the cheapest here, and the most accurate.`,
  };
  return plan(best, why[best]);
}

/** Bytes of the square matrices that a solver holds at once, at most: the sums, their copy for the eigenproblem, and the engine's own. */
function matrices({ rows = Number.POSITIVE_INFINITY, cols }: Shape): Partial<Record<SolverName, number>> {
  const square = (size: number): number => 4 * 8 * size * size;
  return { covariance: square(cols), refined: square(cols), dual: square(rows), svd: square(Math.min(rows, cols)) };
}

/** A square matrix that no machine holds is refused before it is tried. */
function refuseTooLarge(solver: SolverName, { rows = Number.POSITIVE_INFINITY, cols }: Shape): void {
  const sizes: Partial<Record<SolverName, number>> = {
    covariance: cols,
    refined: cols,
    dual: rows,
    svd: Math.min(rows, cols),
  };
  const size = sizes[solver] ?? 0;
  if (size <= LARGEST_SQUARE || size === Number.POSITIVE_INFINITY) return;
  throw new OptionError(
    'TOO_LARGE',
    `${solver} needs a ${size}×${size} matrix, ${Math.round((size * size * 8) / 2 ** 30)} GB; ${LARGEST_SQUARE} is the most. Use solver: 'krylov', or 'auto'.`,
    { option: 'solver', value: size, expected: LARGEST_SQUARE },
  );
}

/** Seconds of each solver that is possible at all. */
function estimateCosts(shape: Shape, request: PlanRequest): Partial<Record<SolverName, number>> {
  const { rows: n, cols: d, nonzeros } = shape;
  if (n === undefined) return {};
  const { rates, single } = request.engine;
  /** Seconds of a number, beside its products. */
  const read = 1 / ((rates.reading ?? READING) * 1e9);
  const { k } = request;
  const size = Math.min(n, d);
  const entries = nonzeros ?? n * d;
  const dense = nonzeros === undefined;
  // A fraction is not known to be few: half of all components is the middle guess.
  const count = k === undefined ? Math.min(10, size) : k === 'all' ? size : k < 1 ? size / 2 : Math.min(k, size);
  const pass = (flops: number, rate: number): number => flops / (rate * 1e9) + entries * read + PASS;
  const products = (flops: number): number => pass(flops, dense ? rates.products : rates.sparse);
  const plain = (flops: number): number => flops / (PLAIN * 1e9);
  /** The symmetric eigenproblem of size m: reduction, eigenvalues, vectors, their way back. */
  const eigen = (m: number, wanted: number): number =>
    ((4 / 3) * m ** 3 + 2 * m * m * wanted) / (rates.eigen * 1e9) +
    QL * m * m +
    (wanted > m / 2 ? plain(6 * m ** 3) : INVERSE * m * wanted);
  const sample = dense && n * d * d > WORTH_LOOKING ? shape.sample : undefined;
  // Entries that are zero side by side cost the products of the scatter nothing.
  const { four, eight } = (request.engine.skipsZeros ? sample : undefined) ?? { four: 1, eight: 1 };
  // The same few values round the same way again and again: float32 sums of them are not good enough.
  const many = (sample?.distinct ?? 1) > 0.5;
  const costs: Partial<Record<SolverName, number>> = {};
  if (d <= LARGEST_SQUARE) {
    costs.covariance = products(dense ? n * d * d * four : nonzeros * (nonzeros / n) + d * d) + eigen(d, count);
    const few = k !== undefined && k !== 'all' && k >= 1;
    if (dense && single && many && (few || k === undefined) && shape.rewindable && count + 10 <= d / 2) {
      const loose = (request.tolerance ?? (shape.dtype === 'float32' ? 1e-6 : 1e-10)) >= LOOSE;
      const vectors = loose ? 16 : count + 26;
      // About a dozen products of the scatter with all vectors, each read anew.
      const correcting = loose
        ? 0
        : 12 * ((2 * d * d * count + 8 * d * count * count) / (rates.products * 1e9) + d * d * read);
      costs.refined =
        CHANCE *
        (pass(n * d * d * eight, single.rates.products) +
          eigen(d, count + 10) +
          products(4 * n * d * vectors) +
          correcting);
    }
  }
  if (n <= LARGEST_SQUARE) {
    costs.dual =
      products(entries * n) +
      products(2 * entries * count) +
      products(4 * entries * count) +
      eigen(n, count) +
      plain(4 * d * count * count) +
      entries * read;
  }
  if (size <= LARGEST_SQUARE) {
    const wide = n < d ? products(2 * entries * count) + plain(4 * d * count * count) : 0;
    costs.svd = plain(2 * n * d * size + 12 * size ** 3) + products(4 * entries * count) + wide + entries * read;
  }
  const block = Math.min(size, count + 10);
  const blocks = Math.min(KRYLOV_BLOCKS, Math.ceil(size / block));
  const basis = blocks * block;
  // Small eigenproblems of one, two, three … blocks: their cubes add up to a quarter of the last times their number.
  const projected = (eigen(basis, count) * (blocks + 3)) / 4;
  const orthogonal = (8 * d * basis * basis) / (rates.products * 1e9) + blocks * plain(4 * d * block * block);
  costs.krylov =
    blocks * products(4 * entries * block) + products(4 * entries * count) + orthogonal + projected + entries * read;
  return costs;
}
