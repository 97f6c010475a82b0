import { availableParallelism } from 'node:os';
import { modelJson, type NotComputed } from '@scree/analysis';
import type { Model } from '@scree/core';
import { reasonsWithFlags } from './describe-reason.js';

/** Facts about a fit that the model does not have. */
interface FitFacts {
  readonly seconds?: number | undefined;
  /** The requested number of threads. */
  readonly threads?: number | undefined;
  readonly notComputed: NotComputed;
}

/**
 * The output of --json: every number of the model under its own name. Parts that were not computed are null, and `notComputed` has the
 * reasons.
 */
export function asJson(model: Model, { seconds, threads, notComputed }: FitFacts): object {
  return {
    ...modelJson(model),
    ...(seconds === undefined ? {} : { threads: threadsOf(model, threads), seconds }),
    notComputed: reasonsWithFlags(notComputed),
  };
}

/** The number of threads. The reference engine always has one. */
export function threadsOf({ plan }: Model, asked: number | undefined): number {
  return plan.engine === 'reference' ? 1 : (asked ?? availableParallelism());
}
