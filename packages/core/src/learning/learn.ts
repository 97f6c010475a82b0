import { OptionError, show } from '../errors.js';
import { type Random, random } from '../linalg/random.js';
import { Checks } from '../solvers/checks.js';
import type { Problem, RowsProblem, ScatterProblem, Solution } from '../solvers/solver.js';
import { type Answers, RowAnswers, withScatter } from './answers.js';
import { largestOutside } from './complement.js';
import { type Epoch, record } from './epoch.js';
import { explain } from './failure.js';
import { controlsOf, type LearnOptions } from './learn-options.js';
import { type RitzPairs, rayleighRitz } from './rayleigh-ritz.js';
import { type Answer, type Ask, type Controls, type Facts, NO_ANSWER, type Rule } from './rule.js';

/** A way of learning, and how many epochs it may take. */
export interface Way {
  readonly rule: (facts: Facts, controls: Controls) => Rule;
  readonly epochs: number;
}

/** Learns from the scatter alone: an epoch costs the same for any number of rows. */
export async function learnFromScatter(problem: ScatterProblem, way: Way): Promise<Solution> {
  const solution = await withScatter(problem, (answers) => learn(problem, way, 0, answers));
  return { ...solution, passes: 1 };
}

/** Learns from passes over the rows. */
export async function learnFromRows(problem: RowsProblem, way: Way): Promise<Solution> {
  const answers = new RowAnswers(problem.passes, problem.pace);
  try {
    return await learn(problem, way, problem.passes.rows, answers);
  } finally {
    await answers.close();
  }
}

/**
 * Drives a rule to its end: answers what it asks, keeps its trace, and measures now and then how far its subspace is from being
 * that of eigenvectors. Where every residual is within the tolerance, it also looks outside the subspace, because a rule may rest
 * where a direction is still missing.
 */
async function learn(problem: Problem, way: Way, n: number, answers: Answers): Promise<Solution> {
  const { d, trace, seed, centred, wanted, tolerance, learn: options } = problem;
  const k = countOf(wanted);
  if (options.exact) checkExact(options.exact, d);
  const epochs = options.epochs ?? way.epochs;
  const rng = random(seed + 1);
  let passes = 0;
  const answer = async (ask: Ask): Promise<Answer> => {
    const given = await answers.answer(ask);
    if (given.last) passes++;
    return given;
  };
  const recorded: Epoch[] = [];
  const checks = new Checks();
  let best: Found | undefined;
  const rule = way.rule({ n, d, k, trace, seed, centred }, controlsOf(options));
  let turn = rule.next();
  for (;;) {
    const asked = turn.value;
    if ('pass' in asked) {
      turn = rule.next(await answer(asked));
      continue;
    }
    const { rows, points, unit = 1, settled = true } = asked;
    const done = recorded.length + 1;
    const last = asked.shorter !== undefined || done >= epochs;
    let found: Found | undefined;
    if ((last || checks.due(done)) && rows.every(Number.isFinite)) {
      found = await answerAll(measure(rows, k, d, rng, asked.image), answer);
      if (!best || found.worst < best.worst) best = found;
      checks.note(done, Math.max(found.worst / tolerance, settled ? 0 : 2));
    }
    const one = record(asked, recorded.length, options.exact, d, k, found?.worst);
    recorded.push(one);
    options.onEpoch?.(one, { rows, ...(points ? { points, unit: unit * problem.unit } : {}) });
    const good = found && found.worst <= tolerance && settled ? found : undefined;
    if (good || last) {
      const pairs = good ?? best ?? (await answerAll(measure(fallback(k, d), k, d, rng), answer));
      const outside = await answerAll(lookOutside(pairs, k, d, tolerance, rng), answer);
      const converged = good !== undefined && !outside.missing;
      if (converged || last) {
        const failure = converged ? {} : { failure: explain(asked, done, pairs, problem, outside.missing) };
        return { ...certified(pairs, outside.next), k, converged, passes, trace: recorded, ...failure };
      }
    }
    turn = rule.next(NO_ANSWER);
  }
}

/**
 * Ritz pairs with what is known of all eigenvalues. S seen from V and its complement is [[Θ, Rᵀ], [R, M]], M at most ν = `next`: so
 * θᵢ ≤ λᵢ ≤ max(θᵢ, ν) + ‖R‖, whatever was found, and nothing is assumed to have been found.
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

/** The subspace at its principal axes, and the worst of its residuals relative to the largest value. */
export interface Found extends RitzPairs {
  readonly worst: number;
}

/** Drives to its end what asks for products on its way. */
export async function answerAll<Result>(
  asking: Generator<Ask, Result, Answer>,
  answer: (ask: Ask) => Promise<Answer>,
): Promise<Result> {
  let turn = asking.next();
  while (!turn.done) turn = asking.next(await answer(turn.value));
  return turn.value;
}

export function* measure(
  rows: Float64Array,
  k: number,
  d: number,
  rng: Random,
  image?: Float64Array,
): Generator<Ask, Found, Answer> {
  const pairs = yield* rayleighRitz(rows, k, d, rng, image);
  return { ...pairs, worst: Math.max(...pairs.residuals) / pairs.values[0] };
}

/** The largest eigenvalue after the last, as well as the gap to it makes worth knowing, and whether it belongs among those found. */
export function* lookOutside(
  { basis, values, residuals }: RitzPairs,
  k: number,
  d: number,
  tolerance: number,
  rng: Random,
): Generator<Ask, { readonly next: Solution['next']; readonly missing: boolean }, Answer> {
  if (k >= d) return { next: undefined, missing: false };
  const enough = (value: number, bound: number): boolean =>
    bound <= Math.max(tolerance * values[0], 0.1 * Math.abs(values[k - 1] - value));
  const { value, bound } = yield* largestOutside(basis, k, d, rng, enough);
  // What is largest outside V is at least the eigenvalue after the last, and at most ‖R‖ more. It is a quotient of a vector that
  // is there: above the last one that was found, it belongs among them.
  const next = { value, bound: bound + Math.hypot(...residuals) };
  return { next, missing: value > values[k - 1] + tolerance * values[0] };
}

/** Rules have as many neurons, or coordinates, as they have been given: a count, as the options were checked to have. */
export function countOf(wanted: Problem['wanted']): number {
  if ('count' in wanted) return wanted.count;
  throw new TypeError('a fraction of the variance is no number of neurons');
}

export function checkExact(exact: NonNullable<LearnOptions['exact']>, d: number, option = 'learn.exact'): void {
  const { rows, cols, data } = exact;
  if (cols === d && Number.isSafeInteger(rows) && rows >= 1 && rows <= d && data.length >= rows * d) return;
  throw new OptionError(
    'BAD_OPTION',
    `${option} is ${show(rows)} × ${show(cols)}, and the data have ${d} columns: it must have 1 to ${d} rows of ${d}.`,
    { option, value: cols, expected: d },
  );
}

/** Some axes, where no subspace that was seen can be measured. */
function fallback(k: number, d: number): Float64Array {
  const rows = new Float64Array(k * d);
  for (let r = 0; r < k; r++) rows[r * d + r] = 1;
  return rows;
}
