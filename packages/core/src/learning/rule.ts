import type { Steps } from '../pace.js';
import type { DescentKind } from './learn-options.js';

/**
 * A rule of learning asks for products with the data and says where it stands after every epoch. It never touches the data
 * itself, so that one rule serves both who drives it: `learn` on an engine, and `descend` at once, step by step.
 *
 * B (n × d) are the rows in their frame, S = BᵀB. Weights W are k rows of d, points Y are n rows of k.
 */
export type Rule = Generator<Ask | Stand, never, Answer>;

export type Ask =
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
  /** B itself (n × d), for rules that look at pairs of rows. */
  | { readonly pass: 'rows' }
  /** Nothing: a place to breathe in long work of the rule's own. */
  | { readonly pass: 'pause' };

export interface Answer {
  readonly product: Float64Array;
  /** Share of all rows that went into it. */
  readonly share: number;
  /** Whether these were the last rows of the epoch. */
  readonly last: boolean;
}

/** Where a rule stands at the end of an epoch. Its arrays are valid until the rule goes on. */
export interface Stand {
  readonly loss: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly step: number;
  readonly batch?: number;
  readonly defect: number;
  /** k × d: their span is the subspace found so far. */
  readonly rows: Float64Array;
  /** Those rows times S, where the rule knows that anyway. */
  readonly image?: Float64Array;
  /** n × k, of rules that move points; in units where σ₁ = 1. */
  readonly points?: Float64Array;
  /** σ₁ in the frame's units, about: what points are to be multiplied by to be scores. */
  readonly unit?: number;
  /** Whether what is learned may be done when the subspace is found: points may still have some way to go. */
  readonly settled?: boolean;
  /** Set when a step that was given is too long, because the loss is not finite, or grows: one to try instead. */
  readonly shorter?: number | undefined;
}

/** What a rule is told of the problem. */
export interface Facts {
  /** Rows, where the rule moves points. */
  readonly n: number;
  readonly d: number;
  readonly k: number;
  /** trace(S). */
  readonly trace: number;
  readonly seed: number;
  /** Whether rows are centred, without weights: then points are too. */
  readonly centred: boolean;
}

/** What may be changed while a rule runs. */
export interface Controls {
  /** Left undefined, the rule chooses. */
  step: number | undefined;
  alpha: number;
  momentum: number | undefined;
  readonly descent: DescentKind;
  readonly decay: number | undefined;
  readonly batch: number | undefined;
}

/** What whoever drives a rule says to it when there was nothing to multiply. */
export const NO_ANSWER: Answer = { product: new Float64Array(0), share: 0, last: false };

const PAUSE = { pass: 'pause' } as const;
/** Operations between two places to breathe. */
const BREATH = 1 << 20;

/** Stepwise work inside a rule: whoever drives it may breathe in between. */
export function* paced<Result>(steps: Steps<Result>): Generator<Ask, Result, Answer> {
  let worked = 0;
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    worked += next.value;
    if (worked < BREATH) continue;
    worked = 0;
    yield PAUSE;
  }
}
