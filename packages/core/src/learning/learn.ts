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
import type { Answer, Ask, Controls, Facts, Rule } from './rule.js';

/** A way of learning, and how many epochs it may take. */
export interface Way {
  readonly rule: (facts: Facts, controls: Controls) => Rule;
  readonly epochs: number;
}

/** Learns from the scatter alone: an epoch costs the same for any number of rows. */
export function learnFromScatter(problem: ScatterProblem, way: Way): Promise<Solution> {
  return withScatter(problem, (answers) => learn(problem, way, 0, answers));
}

/** Learns from passes over the rows. */
export function learnFromRows(problem: RowsProblem, way: Way): Promise<Solution> {
  const { passes, pace } = problem;
  return learn(problem, way, passes.rows, new RowAnswers(passes, pace));
}

/**
 * Drives a rule to its end: answers what it asks, keeps its trace, and measures now and then how far its subspace is from being
 * that of eigenvectors. Where every residual is within the tolerance, it also looks outside the subspace, because a rule may rest
 * where a direction is still missing.
 */
async function learn(problem: Problem, way: Way, n: number, answers: Answers): Promise<Solution> {
  const { d, trace, seed, wanted, tolerance, learn: options } = problem;
  const k = countOf(wanted);
  if (options.exact) checkExact(options.exact, d);
  const epochs = options.epochs ?? way.epochs;
  const controls = controlsOf(options);
  const rng = random(seed + 1);
  let passes = 0;
  const answer = (ask: Ask): Promise<Answer> => {
    if (ask.pass !== 'pause') passes++;
    return answers.answer(ask);
  };
  const recorded: Epoch[] = [];
  const checks = new Checks();
  let best: Found | undefined;
  const rule = way.rule({ n, d, k, trace, seed }, controls);
  let turn = rule.next();
  for (;;) {
    const asked = turn.value;
    if ('pass' in asked) {
      turn = rule.next(await answer(asked));
      continue;
    }
    const epoch = recorded.length;
    const last = asked.diverged === true || epoch + 1 >= epochs;
    let found: Found | undefined;
    if ((last || checks.due(epoch + 1)) && asked.rows.every(Number.isFinite)) {
      found = await answerAll(measure(asked.rows, k, d, rng, asked.image), answer);
      if (!best || found.worst < best.worst) best = found;
      checks.note(epoch + 1, asked.settled === false ? Math.max(2, found.worst / tolerance) : found.worst / tolerance);
    }
    const one = record(asked, epoch, options.exact, d, k, found?.worst);
    recorded.push(one);
    const { rows, points, unit = 1 } = asked;
    options.onEpoch?.(one, { rows, ...(points ? { points, unit: unit * problem.unit } : {}) });
    const good = found && found.worst <= tolerance && asked.settled !== false ? found : undefined;
    if (good || last) {
      const pairs = good ?? best ?? (await answerAll(measure(fallback(k, d), k, d, rng), answer));
      const { next, missing } = await answerAll(lookOutside(pairs, k, d, tolerance, rng), answer);
      const converged = good !== undefined && !missing;
      if (converged || last) {
        const failure = converged ? {} : { failure: explain(asked, one, pairs, problem, missing) };
        return { k, ...pairs, next, rayleigh: true, converged, passes, trace: recorded, ...failure };
      }
    }
    turn = rule.next(NO_ANSWER);
  }
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
  // What is largest outside V is at least the eigenvalue after the last, and at most ‖R‖ more.
  const next = { value, bound: bound + Math.hypot(...residuals) };
  return { next, missing: value - next.bound > values[k - 1] + tolerance * values[0] };
}

/** Rules have as many neurons, or coordinates, as they have been given. */
export function countOf(wanted: Problem['wanted']): number {
  if ('count' in wanted) return wanted.count;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is the fraction ${wanted.fraction}, and a solver that learns must know how many components to learn. Give k as a whole number, or use an exact solver.`,
    { option: 'k', value: wanted.fraction },
  );
}

export function checkExact(exact: NonNullable<LearnOptions['exact']>, d: number): void {
  if (exact.cols === d && exact.data.length >= exact.rows * d) return;
  throw new OptionError(
    'BAD_OPTION',
    `learn.exact is ${show(exact.rows)} × ${show(exact.cols)}, and the data have ${d} columns.`,
    { option: 'learn.exact', value: exact.cols, expected: d },
  );
}

/** Some axes, where no subspace that was seen can be measured. */
function fallback(k: number, d: number): Float64Array {
  const rows = new Float64Array(k * d);
  for (let r = 0; r < k; r++) rows[r * d + r] = 1;
  return rows;
}

const NO_ANSWER = { product: new Float64Array(0), share: 0, last: false } as const;
