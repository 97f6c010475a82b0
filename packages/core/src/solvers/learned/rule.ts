import type { Task } from '../../base/progress.js';

/**
 * A learning rule is a generator. It yields queries for products with the data and gets the replies, and after every epoch it
 * yields its state. It never touches the data itself, so the same rule runs in `learn`, on an engine, and in `descend`, on rows in
 * memory and one epoch at a time.
 *
 * B (n × d) are the scaled rows, S = BᵀB. Weights W are k rows of d, points Y are n rows of k.
 */
export type Rule = Generator<PassRequest | EpochState, never, PassResult>;

export type PassRequest =
  /** WS over all rows. */
  | { readonly pass: 'normal'; readonly vectors: Float64Array; readonly k: number }
  /** WS over the next so many rows. */
  | {
      readonly pass: 'batch';
      readonly vectors: Float64Array;
      readonly k: number;
      readonly rows: number;
      /** Whether an epoch begins with it. */
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
  /** Nothing: a point in long work at which the caller may yield to the event loop. */
  | { readonly pass: 'pause' };

export interface PassResult {
  readonly product: Float64Array;
  /** Share of all rows that went into it. */
  readonly share: number;
  /** Whether these were the last rows of the epoch. */
  readonly last: boolean;
}

/** The state of a rule at the end of an epoch. Its arrays are valid until the rule continues. */
export interface EpochState {
  readonly loss: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly step: number;
  readonly batch?: number;
  readonly defect: number;
  /** k × d: their span is the subspace found so far. */
  readonly rows: Float64Array;
  /** Those rows times S, where the rule has computed it anyway. */
  readonly image?: Float64Array;
  /** n × k, of rules that move points; in units where σ₁ = 1. */
  readonly points?: Float64Array;
  /** σ₁ of the scaled data, usually an estimate: points times this are scores. */
  readonly unit?: number;
  /** False while the rule must continue even if its subspace is right: points may still have to move. */
  readonly settled?: boolean;
  /** Length of the change that a step of size 1 would make, in units where σ₁ = 1; left out where batches do not show it. */
  readonly slope?: () => number;
  /** Set when a step that was given is too long, because the loss is not finite, or grows: a step to try instead. */
  readonly shorter?: number | undefined;
}

/** The problem, as far as a rule knows it. */
export interface RuleProblem {
  /** Number of rows. */
  readonly n: number;
  readonly d: number;
  readonly k: number;
  /** tr S, the sum of all its eigenvalues. */
  readonly scatterTrace: number;
  readonly seed: number;
  /** Whether rows are centred, without weights: then points are too. */
  readonly centred: boolean;
  /** Where to start: weights (k × d), or points (n × k) in units of the scaled data. Left out, the start is random. */
  readonly start?: Float64Array;
  /** σ₁², where it is known exactly; otherwise the rule estimates it. */
  readonly top?: number;
}

/** How a gradient becomes a step: as it is, with Nesterov's momentum, or by Adam. */
export type DescentKind = 'plain' | 'momentum' | 'adam';

/** Parameters that may be changed while a rule runs. */
export interface RuleControls {
  /** Left undefined, the rule chooses. */
  step: number | undefined;
  alpha: number;
  momentum: number | undefined;
  readonly descent: DescentKind;
  readonly decay: number | undefined;
  readonly batch: number | undefined;
}

/** The reply where there was nothing to multiply. */
export const NO_RESULT: PassResult = { product: new Float64Array(0), share: 0, last: false };

const PAUSE = { pass: 'pause' } as const;
/** Operations between two pauses. */
const PAUSE_EVERY = 1 << 20;

/** Runs stepwise work inside a rule, with pauses in which the caller may yield to the event loop. */
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
