import { availableParallelism } from 'node:os';
import { modelJson, type NotComputed } from '@scree/analysis';
import type { Model } from '@scree/core';
import { describeReasons } from './describe-reason.js';

/** What is known of a fit besides the model. */
interface FitFacts {
  readonly seconds?: number | undefined;
  /** Threads that were asked for. */
  readonly threads?: number | undefined;
  readonly notComputed: NotComputed;
}

/** The output of --json: every number of the model under its own name; what was not computed is null, and `notComputed` says why. */
export function asJson(model: Model, { seconds, threads, notComputed }: FitFacts): object {
  return {
    ...modelJson(model),
    ...(seconds === undefined ? {} : { threads: threadsOf(model, threads), seconds }),
    notComputed: describeReasons(notComputed),
  };
}

/** The reference engine has one thread, whatever was asked for. */
export function threadsOf({ plan }: Model, asked: number | undefined): number {
  return plan.engine === 'reference' ? 1 : (asked ?? availableParallelism());
}
