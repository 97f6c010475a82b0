import { isFloat64Array } from '../base/built-in-name.js';
import type { Matrix } from '../data/blocks/matrix.js';
import type { Scale } from '../data/statistics/scaling.js';
import { ConvergenceError, describeValue, OptionError } from '../errors.js';
import { random } from '../linalg/random.js';
import { checkOptions, plannedCount } from '../options.js';
import { checkLearn, checkLearnOptions } from '../solvers/check-learn.js';
import { autoencoderRule } from '../solvers/learned/autoencoder.js';
import { type DescentData, descentRows } from '../solvers/learned/descent-rows.js';
import { makeEpoch } from '../solvers/learned/epoch.js';
import { explainFailure } from '../solvers/learned/explain-failure.js';
import { hebbianRule } from '../solvers/learned/hebbian.js';
import { checkExact, controlsOf, measureSubspace, searchOutside } from '../solvers/learned/learn.js';
import type { HebbianRule, LearnOptions, PointsRule } from '../solvers/learned/learn-options.js';
import { exactRows, exactTop, MemoryPasses } from '../solvers/learned/memory-passes.js';
import { pairwiseRule } from '../solvers/learned/pairwise.js';
import { factoredRule } from '../solvers/learned/points.js';
import { type EpochState, NO_RESULT, type Rule, type RuleControls, type RuleProblem } from '../solvers/learned/rule.js';
import { Snapshot } from '../solvers/learned/snapshot.js';

/** The learning rules that `descend` runs. */
export type DescentRule = PointsRule | 'autoencoder' | HebbianRule;

/** Options of `descend`. */
export interface DescendOptions
  extends Pick<LearnOptions, 'epochs' | 'step' | 'decay' | 'batch' | 'alpha' | 'descent' | 'momentum'> {
  readonly rule: DescentRule;
  /** Number of components. Default 2, for a plot; 1 for Oja's rule. */
  readonly k?: number | undefined;
  readonly center?: boolean | undefined;
  readonly scale?: Scale | undefined;
  readonly seed?: number | undefined;
  /** The run ends when the residual ‖Sv − θv‖/λ₁ is at most this. Default 1e-6, and 1e-3 with `decay`. */
  readonly tolerance?: number | undefined;
  /** The exact subspace, for the angle to it. Default: computed first if it takes little time. `false`: no angle. */
  readonly exact?: Matrix<Float64Array> | false | undefined;
  /** The start: weights W (k × d), or points (n × k) in the data's units. Default: random, from the seed. */
  readonly start?: Matrix<Float64Array> | undefined;
  /**
   * The run ends when nothing moves any more: when a step of size 1 would change the weights, or the points in units of σ₁, by at
   * most this Euclidean length. Default: the run ends when the subspace is found, which may be long before the points stop
   * moving.
   */
  readonly rest?: number | undefined;
  /** Compute σ₁ exactly, so that losses, steps and forces have exact units. Default: an estimate, as in the solvers of `pca`. */
  readonly exactUnits?: boolean | undefined;
}

/** The exact subspace is computed by default if there are at most this many rows or columns. */
const MOST_EXACT = 256;
/** Number of epochs between two measurements of the residual. */
const MEASURE_EVERY = 10;
/** A run that has not converged after this number of epochs throws. */
const MOST_EPOCHS = 10_000;

const SOLVER = {
  factored: 'points',
  pairwise: 'points',
  autoencoder: 'autoencoder',
  oja: 'hebbian',
  subspace: 'hebbian',
  sanger: 'hebbian',
} as const satisfies Record<DescentRule, string>;

/**
 * Runs a learning rule one epoch at a time, for animation. It uses plain loops, which suits a number of rows that can be drawn.
 *
 *     const run = descend(rows, { rule: 'autoencoder', k: 2 });
 *     for (const state of run) {
 *       draw(state.scores());
 *       if (slider.moved) run.step = slider.value;
 *     }
 *
 * The run ends when the subspace is found to the tolerance, or with `rest` when nothing moves any more. Leaving the loop pauses
 * the run: the next loop over the same run continues it. If a step is too long, the run throws a ConvergenceError whose `best` is
 * the state with the lowest loss. The run returns to this state, and continues from there with a shorter step. The same data,
 * options and seed give the same snapshots.
 */
export function descend(data: DescentData, options: DescendOptions): Descent {
  return new Descent(data, options);
}

/** A learning rule that runs one epoch at a time. */
export class Descent implements IterableIterator<Snapshot> {
  readonly #controls: RuleControls;
  readonly #rule: Rule;
  readonly #name: DescentRule;
  readonly #replies: MemoryPasses;
  readonly #scaler: { readonly rows: Float64Array; readonly unit: number };
  readonly #problem: RuleProblem;
  readonly #exact: Matrix<Float64Array> | undefined;
  readonly #tolerance: number;
  readonly #epochs: number;
  readonly #rest: number | undefined;
  #turn: ReturnType<Rule['next']> | undefined;
  readonly #startSeed: number;
  #epoch = 0;
  #last: Snapshot | undefined;
  #lowest: Snapshot | undefined;
  #done = false;

  constructor(data: DescentData, options: DescendOptions) {
    const { rule, epochs, step, decay, batch, alpha, descent, momentum, tolerance, exact, ...others } =
      checkRule(options);
    const { start, rest, exactUnits = false, ...scaler } = others;
    const given = { epochs, step, decay, batch, alpha, descent, momentum, ...(rule === 'autoencoder' ? {} : { rule }) };
    const learn = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as LearnOptions;
    const settings = checkOptions({
      k: rule === 'oja' ? 1 : 2,
      ...scaler,
      ...(tolerance === undefined ? {} : { tolerance }),
      solver: SOLVER[rule],
      learn,
    });
    checkLearn({ ...settings, k: plannedCount(settings.k) });
    const { rows, n, d, unit, scatterTrace, startSeed } = descentRows(data, settings);
    const k = checkCount(settings.k, n, d);
    this.#scaler = { rows, unit };
    this.#startSeed = startSeed;
    this.#replies = new MemoryPasses(rows, n, d);
    this.#controls = controlsOf(learn);
    this.#problem = {
      n,
      d,
      k,
      scatterTrace,
      seed: settings.seed,
      centred: settings.center,
      ...(start === undefined
        ? {}
        : { start: checkStart(start, SOLVER[rule] === 'points' ? { n, k } : { k, d }, unit) }),
      ...(exactUnits ? { top: exactTop(rows, n, d) } : {}),
    };
    this.#rest = checkRest(rest, decay);
    this.#tolerance = settings.tolerance ?? (decay === undefined ? 1e-6 : 1e-3);
    if (exact) checkExact(exact, d, 'exact');
    this.#epochs = epochs ?? MOST_EPOCHS;
    this.#exact =
      exact === false ? undefined : (exact ?? (Math.min(n, d) <= MOST_EXACT ? exactRows(rows, n, d, k) : undefined));
    this.#name = rule;
    this.#rule = makeRule(rule, this.#problem, this.#controls);
  }

  /** Length of a step in units of 1/σ₁²; undefined if the rule chooses it. */
  get step(): number | undefined {
    return this.#controls.step;
  }
  set step(value: number | undefined) {
    if (value !== undefined) this.#check({ step: value });
    this.#controls.step = value;
  }

  /** Weight of the orthonormality term. */
  get alpha(): number {
    return this.#controls.alpha;
  }
  set alpha(value: number) {
    this.#check({ alpha: value ?? Number.NaN });
    // Losses for different α cannot be compared.
    if (value !== this.#controls.alpha) this.#lowest = undefined;
    this.#controls.alpha = value;
  }

  get momentum(): number | undefined {
    return this.#controls.momentum;
  }
  set momentum(value: number | undefined) {
    if (value !== undefined) this.#check({ momentum: value, descent: this.#controls.descent });
    this.#controls.momentum = value;
  }

  /** Throws if the rule does not support a changed option. */
  #check(change: LearnOptions): void {
    checkLearnOptions(change, SOLVER[this.#name], '');
  }

  [Symbol.iterator](): this {
    return this;
  }

  /** The next epoch. */
  next(): IteratorResult<Snapshot, undefined> {
    if (this.#done) return { done: true, value: undefined };
    const state = this.#advance();
    const { n, d, k } = this.#problem;
    const epoch = this.#epoch++;
    const last = this.#epoch >= this.#epochs;
    const resting = this.#rest === undefined ? undefined : (state.slope?.() ?? Number.POSITIVE_INFINITY) <= this.#rest;
    const due = (last || (resting ?? epoch % MEASURE_EVERY === 0)) && state.rows.every(Number.isFinite);
    const rng = random(this.#startSeed + 1);
    const found = due ? this.#replies.run(measureSubspace(state.rows, k, d, rng, state.image)) : undefined;
    const recorded = makeEpoch(state, epoch, this.#exact, d, k, found?.worst);
    if (state.shorter !== undefined) throw this.#failed(state, Number.NaN, false);
    const settled = state.settled !== false && resting !== false;
    const good = found && found.worst <= this.#tolerance && settled ? found : undefined;
    const missing = good !== undefined && this.#replies.run(searchOutside(good, k, d, this.#tolerance, rng)).missing;
    const converged = good !== undefined && !missing;
    this.#last = new Snapshot(recorded, state, converged, { n, d, k, ...this.#scaler });
    if (this.#lowest === undefined || state.loss < this.#lowest.loss) this.#lowest = this.#last;
    this.#done = converged || last;
    if (!converged && last) throw this.#failed({ ...state, settled }, found?.worst ?? Number.NaN, missing);
    return { done: false, value: this.#last };
  }

  /** Runs the rule to the end of its next epoch. */
  #advance(): EpochState {
    this.#turn = this.#turn ? this.#rule.next(NO_RESULT) : this.#rule.next();
    for (;;) {
      const { value } = this.#turn;
      if (!('pass' in value)) return value;
      this.#turn = this.#rule.next(this.#replies.reply(value));
    }
  }

  /**
   * The error of a run that failed. After a step that is too long, the rule has returned to its lowest loss, which is the best
   * state.
   */
  #failed(state: EpochState, worst: number, missing: boolean): ConvergenceError<Snapshot | undefined> {
    const options = { tolerance: this.#tolerance, learn: { ...(this.step === undefined ? {} : { step: this.step }) } };
    const { message, details, code } = explainFailure(state, this.#epoch, { worst }, options, missing, '');
    return new ConvergenceError(message, code === 'DIVERGED' ? this.#lowest : this.#last, details, code);
  }
}

function makeRule(rule: DescentRule, problem: RuleProblem, controls: RuleControls): Rule {
  if (rule === 'factored') return factoredRule(problem, controls);
  if (rule === 'pairwise') return pairwiseRule(problem, controls);
  return rule === 'autoencoder' ? autoencoderRule(problem, controls) : hebbianRule(rule, problem, controls);
}

const OPTIONS: readonly (keyof DescendOptions)[] = [
  'rule',
  'k',
  'center',
  'scale',
  'seed',
  'tolerance',
  'exact',
  'start',
  'rest',
  'exactUnits',
  'epochs',
  'step',
  'decay',
  'batch',
  'alpha',
  'descent',
  'momentum',
];

function checkRule(options: DescendOptions): DescendOptions {
  if (typeof options !== 'object' || options === null || !Object.hasOwn(SOLVER, options.rule)) {
    const names = Object.keys(SOLVER).map((name) => `'${name}'`);
    const found = typeof options === 'object' && options !== null ? options.rule : options;
    throw new OptionError('BAD_OPTION', `rule is ${describeValue(found)}; it must be one of ${names.join(', ')}.`, {
      option: 'rule',
      value: found,
    });
  }
  const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option as keyof DescendOptions));
  if (unknown === undefined) return options;
  throw new OptionError(
    'UNKNOWN_OPTION',
    `There is no option ${describeValue(unknown)}. The options are ${OPTIONS.join(', ')}.`,
    {
      option: unknown,
    },
  );
}

/** The start as plain rows in units of the scaled data; the rule gives its shape. */
function checkStart(start: Matrix<Float64Array>, shape: Readonly<Record<string, number>>, unit: number): Float64Array {
  const [[first, rows], [second, cols]] = Object.entries(shape);
  const data = start?.data;
  if (start?.rows === rows && start.cols === cols && isFloat64Array(data) && data.length === rows * cols) {
    if (data.every(Number.isFinite)) return first === 'n' ? data.map((value) => value / unit) : data.slice();
    throw new OptionError('BAD_OPTION', 'start has numbers that are not finite.', { option: 'start' });
  }
  throw new OptionError(
    'BAD_OPTION',
    `start is ${describeValue(start?.rows)} × ${describeValue(start?.cols)}; it must be a matrix of Float64Array with ${first} × ${second} = ${rows} × ${cols} numbers.`,
    { option: 'start', value: start?.rows, expected: rows },
  );
}

function checkRest(rest: number | undefined, decay: number | undefined): number | undefined {
  if (rest === undefined) return undefined;
  if (typeof rest !== 'number' || !(rest > 0) || decay !== undefined) {
    const problem =
      decay === undefined ? 'it must be a number above 0' : 'with decay steps get shorter wherever they are';
    throw new OptionError('BAD_OPTION', `rest is ${describeValue(rest)}; ${problem}.`, { option: 'rest', value: rest });
  }
  return rest;
}

function checkCount(k: unknown, n: number, d: number): number {
  const most = Math.min(n, d);
  if (typeof k === 'number' && Number.isSafeInteger(k) && k <= most) return k;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is ${describeValue(k)}; ${n} rows of ${d} columns have 1 to ${most} components.`,
    {
      option: 'k',
      value: k,
      expected: most,
    },
  );
}
