import { DataChecksum } from '../../data/statistics/checksum.js';
import { DataError, describeValue, OptionError } from '../../errors.js';
import { type Random, random } from '../../linalg/random.js';
import { ResidualSchedule } from '../direct/residual-schedule.js';
import type { Problem, RowsProblem, ScatterProblem, Solution } from '../solver.js';
import { EnginePasses, type PassRunner, withScatterPasses } from './engine-passes.js';
import { type Epoch, makeEpoch } from './epoch.js';
import { explainFailure } from './explain-failure.js';
import { largestOutside } from './largest-variance.js';
import type { LearnOptions } from './learn-options.js';
import { type RitzPairs, ritzPairs } from './ritz-pairs.js';
import {
  NO_RESULT,
  type PassRequest,
  type PassResult,
  type Rule,
  type RuleControls,
  type RuleProblem,
} from './rule.js';

/** A learning rule, and its largest number of epochs. */
export interface LearningMethod {
  readonly rule: (problem: RuleProblem, controls: RuleControls) => Rule;
  readonly epochs: number;
}

/** The search for missed directions starts from random vectors, which depend on the data. */
export const newChecksum = (): DataChecksum => new DataChecksum();

/** Learns from the scatter. The cost of an epoch does not depend on the number of rows. */
export async function learnFromScatter(problem: ScatterProblem, method: LearningMethod): Promise<Solution> {
  const solution = await withScatterPasses(problem, (replies) => learn(problem, method, 0, replies));
  return { ...solution, passes: 1 };
}

/** Learns from passes over the rows. */
export async function learnFromRows(problem: RowsProblem, method: LearningMethod): Promise<Solution> {
  const replies = new EnginePasses(problem.passes, problem.progress, problem.startSeed);
  try {
    return await learn(problem, method, problem.passes.rows, replies);
  } finally {
    await replies.close();
  }
}

/**
 * Runs a rule to its end: runs the passes that it requests, records its trace, and measures the residuals of its subspace in some
 * epochs. If all residuals are within the tolerance, it also searches outside the subspace, because a rule may stop before it has
 * found all directions.
 */
async function learn(problem: Problem, method: LearningMethod, n: number, replies: PassRunner): Promise<Solution> {
  const { d, scatterTrace, seed, startSeed, centred, wanted, tolerance, learn: options } = problem;
  const k = countOf(wanted);
  if (options.exact) checkExact(options.exact, d);
  const epochs = options.epochs ?? method.epochs;
  const rng = random(startSeed + 1);
  let passes = 0;
  const reply = async (query: PassRequest): Promise<PassResult> => {
    const given = await replies.reply(query);
    if (given.last) passes++;
    return given;
  };
  const recorded: Epoch[] = [];
  const checks = new ResidualSchedule();
  let best: MeasuredPairs | undefined;
  const rule = method.rule({ n, d, k, scatterTrace, seed, centred }, controlsOf(options));
  let turn = rule.next();
  for (;;) {
    const state = turn.value;
    if ('pass' in state) {
      turn = rule.next(await reply(state));
      continue;
    }
    const { rows, points, unit = 1, settled = true } = state;
    const done = recorded.length + 1;
    const last = state.shorter !== undefined || done >= epochs;
    let found: MeasuredPairs | undefined;
    if ((last || checks.due(done)) && rows.every(Number.isFinite)) {
      found = await runRequests(measureSubspace(rows, k, d, rng, state.image), reply);
      if (!best || found.worst < best.worst) best = found;
      checks.note(done, Math.max(found.worst / tolerance, settled ? 0 : 2));
    }
    const one = makeEpoch(state, recorded.length, options.exact, d, k, found?.worst);
    recorded.push(one);
    options.onEpoch?.(one, { rows, ...(points ? { points, unit: unit * problem.unit } : {}) });
    const good = found && found.worst <= tolerance && settled ? found : undefined;
    if (good || last) {
      const pairs = good ?? best ?? (await runRequests(measureSubspace(firstAxes(k, d), k, d, rng), reply));
      const outside = await runRequests(searchOutside(pairs, k, d, tolerance, rng), reply);
      const converged = good !== undefined && !outside.missing;
      if (converged || last) {
        const failure = converged ? {} : { failure: explainFailure(state, done, pairs, problem, outside.missing) };
        return { ...certified(pairs, outside.next), k, converged, passes, trace: recorded, ...failure };
      }
    }
    turn = rule.next(NO_RESULT);
  }
}

/**
 * Ritz pairs with bounds on all eigenvalues. In a basis of V and its complement, S is [[Θ, Rᵀ], [R, M]], and M is at most ν =
 * `next`. So θᵢ ≤ λᵢ ≤ max(θᵢ, ν) + ‖R‖. The bound does not assume that the iteration found the leading eigenvalues.
 */
export function certified(
  { basis, values, residuals }: RitzPairs,
  next: Solution['next'],
): Pick<Solution, 'basis' | 'values' | 'residuals' | 'next' | 'rayleigh' | 'bracket'> {
  const coupling = Math.hypot(...residuals);
  const outside = next ? next.value + next.bound : 0;
  const above = values.map((value) => Math.max(0, outside - value) + coupling);
  return { basis, values, residuals, next, rayleigh: true, bracket: { above, below: 0 } };
}

/** The Ritz pairs of a subspace, and the largest of their residuals relative to the largest value. */
export interface MeasuredPairs extends RitzPairs {
  readonly worst: number;
}

/** Runs a generator to its end, and runs the passes that it requests. */
export async function runRequests<Result>(
  queries: Generator<PassRequest, Result, PassResult>,
  reply: (query: PassRequest) => Promise<PassResult>,
): Promise<Result> {
  let turn = queries.next();
  while (!turn.done) turn = queries.next(await reply(turn.value));
  return turn.value;
}

export function* measureSubspace(
  rows: Float64Array,
  k: number,
  d: number,
  rng: Random,
  image?: Float64Array,
): Generator<PassRequest, MeasuredPairs, PassResult> {
  const pairs = yield* ritzPairs(rows, k, d, rng, image);
  return { ...pairs, worst: Math.max(...pairs.residuals) / pairs.values[0] };
}

/**
 * Finds the largest eigenvalue outside the subspace, as accurately as the gap requires. `missing` is true if it belongs to the
 * wanted components.
 */
export function* searchOutside(
  { basis, values, residuals }: RitzPairs,
  k: number,
  d: number,
  tolerance: number,
  rng: Random,
): Generator<PassRequest, { readonly next: Solution['next']; readonly missing: boolean }, PassResult> {
  if (k >= d) return { next: undefined, missing: false };
  const enough = (value: number, bound: number): boolean =>
    bound <= Math.max(tolerance * values[0], 0.1 * Math.abs(values[k - 1] - value));
  const { value, bound } = yield* largestOutside(basis, k, d, rng, enough);
  // The largest value outside V is at least the next eigenvalue, and exceeds it by at most ‖R‖. It is the Rayleigh quotient of a
  // vector: if it exceeds the last value, this vector belongs to the components.
  const next = { value, bound: bound + Math.hypot(...residuals) };
  return { next, missing: value > values[k - 1] + tolerance * values[0] };
}

/** The number of components. Options of solvers that learn are checked to have a count. */
export function countOf(wanted: Problem['wanted']): number {
  if ('count' in wanted) return wanted.count;
  throw new TypeError('a fraction of the variance is not a number of neurons');
}

export function checkExact(exact: NonNullable<LearnOptions['exact']>, d: number, option = 'learn.exact'): void {
  const { rows, cols, data } = exact;
  if (cols === d && Number.isSafeInteger(rows) && rows >= 1 && rows <= d && data.length >= rows * d) {
    if (data.every(Number.isFinite)) return;
    throw new DataError('NOT_FINITE', `${option} has a value that is not finite.`, { option });
  }
  throw new OptionError(
    'BAD_OPTION',
    `${option} is ${describeValue(rows)} × ${describeValue(cols)}, and the data have ${d} columns: it must have 1 to ${d} rows of ${d}.`,
    { option, value: cols, expected: d },
  );
}

/** The initial controls of a rule. */
export function controlsOf(learn: LearnOptions): RuleControls {
  const { step, alpha = 0, momentum, descent = 'momentum', decay, batch } = learn;
  return { step, alpha, momentum, descent, decay, batch };
}

/** Arbitrary axes, if no subspace could be measured. */
function firstAxes(k: number, d: number): Float64Array {
  const rows = new Float64Array(k * d);
  for (let r = 0; r < k; r++) rows[r * d + r] = 1;
  return rows;
}
