import type { Task } from '../../base/progress.js';

/**
 * A learning rule is a generator. It yields requests for passes over the data and gets their results. After every epoch it yields
 * its state. It does not access the data itself, so the same rule runs in `learn`, on an engine, and in `descend`, on rows in
 * memory and one epoch at a time.
 *
 * B (n × d) are the scaled rows, S = BᵀB. Weights W are k rows of d, points Y are n rows of k.
 */
export type Rule = Generator<PassRequest | EpochState, never, PassResult>;

export type PassRequest =
  /** WS over all rows. */
  | { readonly pass: 'normal'; readonly vectors: Float64Array; readonly k: number }
  /** WS over the next batch of `rows` rows. */
  | {
      readonly pass: 'batch';
      readonly vectors: Float64Array;
      readonly k: number;
      readonly rows: number;
      /** True for the first batch of an epoch. */
      readonly first: boolean;
    }
  /** BAᵀ (n × k). */
  | { readonly pass: 'multiply'; readonly vectors: Float64Array; readonly k: number }
  /** YᵀB (k × d). */
  | { readonly pass: 'multiplyTransposed'; readonly scores: Float64Array; readonly k: number }
  /** One number: ‖S‖² = ΣᵢΣⱼ Sᵢⱼ². */
  | { readonly pass: 'squares' }
  /** B itself (n × d), for rules that use pairs of rows. */
  | { readonly pass: 'rows' }
  /** No pass: the caller may yield to the event loop. */
  | { readonly pass: 'pause' };

export interface PassResult {
  readonly product: Float64Array;
  /** The share of all rows that the pass used. */
  readonly share: number;
  /** True if these were the last rows of the epoch. */
  readonly last: boolean;
}

/** The state of a rule at the end of an epoch. Its arrays are valid until the rule continues. */
export interface EpochState {
  readonly loss: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly step: number;
  readonly batch?: number;
  readonly defect: number;
  /** k × d: rows that span the current subspace. */
  readonly rows: Float64Array;
  /** `rows` times S, if the rule has computed it. */
  readonly image?: Float64Array;
  /** n × k, for rules that move points, in units in which σ₁ = 1. */
  readonly points?: Float64Array;
  /** σ₁ of the scaled data, usually an estimate: points times this are scores. */
  readonly unit?: number;
  /** False if the rule must continue although it has found the subspace, because points still move. */
  readonly settled?: boolean;
  /** Length of the change by a step of size 1, in units in which σ₁ = 1. Absent if it cannot be computed from batches. */
  readonly slope?: () => number;
  /** A shorter step to try, if the given step is too long: the loss grows or is not finite. */
  readonly shorter?: number | undefined;
}

/** The facts about the problem that a rule needs. */
export interface RuleProblem {
  /** Number of rows. */
  readonly n: number;
  readonly d: number;
  readonly k: number;
  /** tr S, the sum of all eigenvalues of S. */
  readonly scatterTrace: number;
  readonly seed: number;
  /** True if the rows are centred and have no weights. Points are then centred too. */
  readonly centred: boolean;
  /** The start: weights (k × d), or points (n × k) in units of the scaled data. Default: random. */
  readonly start?: Float64Array;
  /** σ₁², if it is known exactly. Otherwise the rule estimates it. */
  readonly top?: number;
}

/** The method of descent: plain, with Nesterov's momentum, or Adam. */
export type DescentKind = 'plain' | 'momentum' | 'adam';

/** Parameters that may be changed while a rule runs. */
export interface RuleControls {
  /** Undefined if the rule chooses. */
  step: number | undefined;
  alpha: number;
  momentum: number | undefined;
  readonly descent: DescentKind;
  readonly decay: number | undefined;
  readonly batch: number | undefined;
}

/** The result of a request without a product. */
export const NO_RESULT: PassResult = { product: new Float64Array(0), share: 0, last: false };

const PAUSE = { pass: 'pause' } as const;
/** Number of operations between two pauses. */
const PAUSE_EVERY = 1 << 20;

/** Runs a task inside a rule, with pauses in which the caller may yield to the event loop. */
export function* withPauses<Result>(steps: Task<Result>): Generator<PassRequest, Result, PassResult> {
  let worked = 0;
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    worked += next.value;
    if (worked < PAUSE_EVERY) continue;
    worked = 0;
    yield PAUSE;
  }
}
