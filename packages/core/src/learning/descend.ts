import type { Matrix } from '../data/matrix.js';
import type { Scale } from '../data/scaling.js';
import { ConvergenceError, OptionError, show } from '../errors.js';
import { random } from '../linalg/random.js';
import { checkOptions } from '../options.js';
import { byGradient } from '../solvers/autoencoder.js';
import { byHebb } from '../solvers/hebbian.js';
import { factored } from '../solvers/points.js';
import { record } from './epoch.js';
import { exactRows } from './exact-rows.js';
import { explain } from './failure.js';
import { pairwise } from './forces.js';
import { checkExact, lookOutside, measure } from './learn.js';
import { checkHow, controlsOf, type HebbianRule, type LearnOptions, type PointsRule } from './learn-options.js';
import { MemoryReplies } from './memory-replies.js';
import { type Controls, type EpochState, type Facts, NO_REPLY, type Rule } from './rule.js';
import { Snapshot } from './snapshot.js';
import { frameRows, type WatchedData } from './watched-data.js';

/** Every way of learning that can be watched. */
export type DescentRule = PointsRule | 'autoencoder' | HebbianRule;

export interface DescendOptions
  extends Pick<LearnOptions, 'epochs' | 'step' | 'decay' | 'batch' | 'alpha' | 'descent' | 'momentum'> {
  readonly rule: DescentRule;
  /** Components. Default 2, which can be drawn; 1 for Oja's rule. */
  readonly k?: number;
  readonly center?: boolean;
  readonly scale?: Scale;
  readonly seed?: number;
  /** Residual ‖Sv − θv‖/λ₁ at which it has converged and ends. Default 1e-6, and 1e-3 with `decay`. */
  readonly tolerance?: number;
  /** The exact subspace, for the angle to it. Computed first where that is quick; `false` leaves it out. */
  readonly exact?: Matrix<Float64Array> | false;
}

/** Rows or columns up to which the exact subspace is computed unasked. */
const QUICK = 256;
/** Epochs between two measurements of the residual. */
const MEASURED = 10;
/** Epochs after which not having converged is an error. */
const EPOCHS = 10_000;

const SOLVER = {
  factored: 'points',
  pairwise: 'points',
  autoencoder: 'autoencoder',
  oja: 'hebbian',
  subspace: 'hebbian',
  sanger: 'hebbian',
} as const satisfies Record<DescentRule, string>;

/**
 * Learning that can be watched: an epoch at a time, in plain loops, for as many rows as can be drawn.
 *
 *     const run = descend(rows, { rule: 'autoencoder', k: 2 });
 *     for (const state of run) {
 *       draw(state.scores());
 *       if (bored) run.step = 0.05;
 *     }
 *
 * It ends when the subspace has been found to the tolerance. Leaving the loop is a pause: the next loop over the same run goes on.
 * The same data, options and seed give the same snapshots.
 */
export function descend(data: WatchedData, options: DescendOptions): Descent {
  return new Descent(data, options);
}

export class Descent implements IterableIterator<Snapshot> {
  readonly #controls: Controls;
  readonly #rule: Rule;
  readonly #name: DescentRule;
  readonly #replies: MemoryReplies;
  readonly #frame: { readonly rows: Float64Array; readonly unit: number };
  readonly #facts: Facts;
  readonly #exact: Matrix<Float64Array> | undefined;
  readonly #tolerance: number;
  readonly #epochs: number;
  #turn: ReturnType<Rule['next']> | undefined;
  #epoch = 0;
  #last: Snapshot | undefined;
  #done = false;

  constructor(data: WatchedData, options: DescendOptions) {
    const { rule, epochs, step, decay, batch, alpha, descent, momentum, tolerance, exact, ...rest } =
      checkRule(options);
    const given = { epochs, step, decay, batch, alpha, descent, momentum, ...(rule === 'autoencoder' ? {} : { rule }) };
    const learn = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as LearnOptions;
    const settings = checkOptions({
      k: rule === 'oja' ? 1 : 2,
      ...rest,
      ...(tolerance === undefined ? {} : { tolerance }),
      solver: SOLVER[rule],
      learn,
    });
    const { rows, n, d, unit, trace } = frameRows(data, settings);
    const k = checkCount(settings.k, n, d);
    this.#frame = { rows, unit };
    this.#replies = new MemoryReplies(rows, n, d);
    this.#controls = controlsOf(learn);
    this.#facts = { n, d, k, trace, seed: settings.seed, centred: settings.center };
    this.#tolerance = settings.tolerance ?? (decay === undefined ? 1e-6 : 1e-3);
    if (exact) checkExact(exact, d, 'exact');
    this.#epochs = epochs ?? EPOCHS;
    this.#exact =
      exact === false ? undefined : (exact ?? (Math.min(n, d) <= QUICK ? exactRows(rows, n, d, k) : undefined));
    this.#name = rule;
    this.#rule = makeRule(rule, this.#facts, this.#controls);
  }

  /** Length of a step in units of 1/σ₁²; undefined while the rule chooses. */
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
    this.#controls.alpha = value;
  }

  get momentum(): number | undefined {
    return this.#controls.momentum;
  }
  set momentum(value: number | undefined) {
    if (value !== undefined) this.#check({ momentum: value, descent: this.#controls.descent });
    this.#controls.momentum = value;
  }

  /** Whether the rule can be told so. */
  #check(change: LearnOptions): void {
    checkHow(change, SOLVER[this.#name], '');
  }

  [Symbol.iterator](): this {
    return this;
  }

  /** The next epoch. */
  next(): IteratorResult<Snapshot, undefined> {
    if (this.#done) return { done: true, value: undefined };
    const state = this.#advance();
    const { n, d, k, seed } = this.#facts;
    const epoch = this.#epoch++;
    const last = this.#epoch >= this.#epochs;
    const due = (last || epoch % MEASURED === 0) && state.rows.every(Number.isFinite);
    const rng = random(seed + 1);
    const found = due ? this.#replies.run(measure(state.rows, k, d, rng, state.image)) : undefined;
    const told = record(state, epoch, this.#exact, d, k, found?.worst);
    if (state.shorter !== undefined) throw this.#failed(state, Number.NaN, false);
    const good = found && found.worst <= this.#tolerance && state.settled !== false ? found : undefined;
    const missing = good !== undefined && this.#replies.run(lookOutside(good, k, d, this.#tolerance, rng)).missing;
    const converged = good !== undefined && !missing;
    this.#last = new Snapshot(told, state, converged, { n, d, k, ...this.#frame });
    this.#done = converged || last;
    if (!converged && last) throw this.#failed(state, found?.worst ?? Number.NaN, missing);
    return { done: false, value: this.#last };
  }

  /** Lets the rule go on to the end of its next epoch. */
  #advance(): EpochState {
    this.#turn = this.#turn ? this.#rule.next(NO_REPLY) : this.#rule.next();
    for (;;) {
      const { value } = this.#turn;
      if (!('pass' in value)) return value;
      this.#turn = this.#rule.next(this.#replies.reply(value));
    }
  }

  /** After too long a step a descent is back at the best place so far, and goes on from there with another. */
  #failed(state: EpochState, worst: number, missing: boolean): ConvergenceError<Snapshot | undefined> {
    const options = { tolerance: this.#tolerance, learn: { ...(this.step === undefined ? {} : { step: this.step }) } };
    const { message, details, code } = explain(state, this.#epoch, { worst }, options, missing, '');
    return new ConvergenceError(message, this.#last, details, code);
  }
}

function makeRule(rule: DescentRule, facts: Facts, controls: Controls): Rule {
  if (rule === 'factored') return factored(facts, controls);
  if (rule === 'pairwise') return pairwise(facts, controls);
  return rule === 'autoencoder' ? byGradient(facts, controls) : byHebb(rule, facts, controls);
}

const OPTIONS: readonly (keyof DescendOptions)[] = [
  'rule',
  'k',
  'center',
  'scale',
  'seed',
  'tolerance',
  'exact',
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
    throw new OptionError('BAD_OPTION', `rule is ${show(found)}; it must be one of ${names.join(', ')}.`, {
      option: 'rule',
      value: found,
    });
  }
  const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option as keyof DescendOptions));
  if (unknown === undefined) return options;
  throw new OptionError(
    'UNKNOWN_OPTION',
    `There is no option ${show(unknown)}. The options are ${OPTIONS.join(', ')}.`,
    {
      option: unknown,
    },
  );
}

function checkCount(k: unknown, n: number, d: number): number {
  const most = Math.min(n, d);
  if (typeof k === 'number' && Number.isSafeInteger(k) && k <= most) return k;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is ${show(k)}; ${n} rows of ${d} columns can be watched with 1 to ${most}.`,
    {
      option: 'k',
      value: k,
      expected: most,
    },
  );
}
