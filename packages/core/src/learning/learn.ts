import { OptionError, show } from '../errors.js';
import { principalAngles } from '../linalg/principal-angles.js';
import { type Random, random } from '../linalg/random.js';
import { Checks } from '../solvers/checks.js';
import { largestOutside } from '../solvers/complement.js';
import { type RitzPairs, rayleighRitz } from '../solvers/rayleigh-ritz.js';
import type { Failure, Problem, RowsProblem, ScatterProblem, Solution } from '../solvers/solver.js';
import { type Answers, RowAnswers, withScatter } from './answers.js';
import type { Epoch } from './epoch.js';
import type { LearnOptions } from './learn-options.js';
import type { Controls, Facts, Rule, Stand } from './rule.js';

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

/** What a person may change of a rule, as the options have it. */
export function controlsOf(learn: LearnOptions): Controls {
  const { step, alpha = 0, momentum, descent = 'momentum', decay, batch } = learn;
  return { step, alpha, momentum, descent, decay, batch };
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
  const times = async (vectors: Float64Array, count: number): Promise<Float64Array> => {
    passes++;
    return (await answers.answer({ pass: 'normal', vectors, k: count })).product;
  };
  const recorded: Epoch[] = [];
  const checks = new Checks();
  let best: Found | undefined;
  const rule = way.rule({ n, d, k, trace, seed }, controls);
  let turn = rule.next();
  for (;;) {
    const asked = turn.value;
    if ('pass' in asked) {
      if (asked.pass !== 'pause') passes++;
      turn = rule.next(await answers.answer(asked));
      continue;
    }
    const epoch = recorded.length;
    const last = asked.diverged === true || epoch + 1 >= epochs;
    let found: Found | undefined;
    if ((last || checks.due(epoch + 1)) && asked.rows.every(Number.isFinite)) {
      found = await measure(asked.rows, k, d, rng, times);
      if (!best || found.worst < best.worst) best = found;
      checks.note(epoch + 1, asked.settled === false ? Math.max(2, found.worst / tolerance) : found.worst / tolerance);
    }
    const one = record(asked, epoch, options, d, k, found?.worst);
    recorded.push(one);
    options.onEpoch?.(one, { rows: asked.rows, ...(asked.points ? { points: asked.points } : {}) });
    const good = found && found.worst <= tolerance && asked.settled !== false ? found : undefined;
    if (good || last) {
      const pairs = good ?? best ?? (await measure(fallback(k, d), k, d, rng, times));
      const next = await lookOutside(pairs, k, d, tolerance, rng, times);
      const missing = next !== undefined && next.value - next.bound > pairs.values[k - 1] + tolerance * pairs.values[0];
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
interface Found extends RitzPairs {
  readonly worst: number;
}

type Times = (vectors: Float64Array, k: number) => Promise<Float64Array>;

async function measure(rows: Float64Array, k: number, d: number, rng: Random, times: Times): Promise<Found> {
  const pairs = await rayleighRitz(rows, k, d, rng, times);
  return { ...pairs, worst: Math.max(...pairs.residuals) / pairs.values[0] };
}

/** The largest eigenvalue after the last, as well as the gap to it makes worth knowing. */
async function lookOutside(
  { basis, values, residuals }: RitzPairs,
  k: number,
  d: number,
  tolerance: number,
  rng: Random,
  times: Times,
): Promise<Solution['next']> {
  if (k >= d) return undefined;
  const enough = (value: number, bound: number): boolean =>
    bound <= Math.max(tolerance * values[0], 0.1 * Math.abs(values[k - 1] - value));
  const { value, bound } = await largestOutside(basis, k, d, rng, enough, times);
  // What is largest outside V is at least the eigenvalue after the last, and at most ‖R‖ more.
  return { value, bound: bound + Math.hypot(...residuals) };
}

function record(
  stand: Stand,
  epoch: number,
  { exact }: LearnOptions,
  d: number,
  k: number,
  residual: number | undefined,
): Epoch {
  const { loss, terms, step, batch, defect, rows } = stand;
  return {
    epoch,
    loss,
    terms,
    step,
    ...(batch === undefined ? {} : { batch }),
    defect,
    ...(exact && rows.every(Number.isFinite) ? { angle: largestAngle(rows, k, exact.data, exact.rows, d) } : {}),
    ...(residual === undefined ? {} : { residual }),
  };
}

/** The largest principal angle between the spans of two sets of rows; π/2 where one is not wholly spanned. */
export function largestAngle(a: Float64Array, ka: number, b: Float64Array, kb: number, d: number): number {
  const angles = principalAngles({ rows: ka, cols: d, data: a }, { rows: kb, cols: d, data: b });
  return angles.length < Math.min(ka, kb) ? Math.PI / 2 : angles[angles.length - 1];
}

/** Why learning ended without an answer that can be vouched for, and what to do about it. */
function explain(stand: Stand, epoch: Epoch, found: Found, { tolerance }: Problem, missing: boolean): Failure {
  const { step, loss } = stand;
  if (stand.diverged) {
    const smaller = step / 4;
    const how = Number.isFinite(loss) ? `grew to ${loss.toPrecision(3)}` : 'is not finite any more';
    return {
      code: 'DIVERGED',
      message: `A step of ${step} is too long: after ${epoch.epoch} epochs the loss ${how}. Try step: ${smaller.toPrecision(1)}, or leave step out and it is chosen.`,
      details: { option: 'learn.step', value: step, expected: smaller },
    };
  }
  const worst = found.worst.toExponential(1);
  return {
    code: 'NOT_CONVERGED',
    message: missing
      ? `After ${epoch.epoch} epochs a direction is still missing that has more variance than one that was found. Allow more epochs (learn.epochs), or another seed; the error's \`best\` is the model so far.`
      : `After ${epoch.epoch} epochs the residual is ${worst}, above the tolerance ${tolerance}. Allow more epochs (learn.epochs) or a larger tolerance, or use an exact solver; the error's \`best\` is the model so far.`,
    details: { value: found.worst, expected: tolerance },
  };
}

/** Rules have as many neurons, or coordinates, as they have been given. */
function countOf(wanted: Problem['wanted']): number {
  if ('count' in wanted) return wanted.count;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is the fraction ${wanted.fraction}, and a solver that learns must know how many components to learn. Give k as a whole number, or use an exact solver.`,
    { option: 'k', value: wanted.fraction },
  );
}

function checkExact(exact: NonNullable<LearnOptions['exact']>, d: number): void {
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
