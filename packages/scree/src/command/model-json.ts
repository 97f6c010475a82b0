import { availableParallelism } from 'node:os';
import type { Model } from '@scree/core';
import type { NotComputed } from './examine.js';

/** What is known of a fit besides the model. */
interface FitFacts {
  readonly seconds?: number | undefined;
  /** Threads that were asked for. */
  readonly threads?: number | undefined;
  readonly notComputed: NotComputed;
}

/** The output of --json: every number of the model under its own name; what was not computed is null, and `notComputed` says why. */
export function asJson(model: Model, { seconds, threads, notComputed }: FitFacts): object {
  const { rows: k, cols: d, data } = model.components;
  return {
    n: model.n,
    d,
    k,
    variances: Array.from(model.variances),
    varianceRatios: Array.from(model.varianceRatios),
    totalVariance: model.totalVariance,
    singularValues: Array.from(model.singularValues),
    spectrum: model.spectrum ? Array.from(model.spectrum) : null,
    mean: Array.from(model.mean),
    scale: Array.from(model.scale),
    components: Array.from({ length: k }, (_, r) => Array.from(data.subarray(r * d, (r + 1) * d))),
    ...(model.columnNames ? { columnNames: model.columnNames } : {}),
    scaling: model.scaling ?? null,
    coding: model.coding ?? null,
    centered: model.centered,
    whiten: model.whiten,
    ddof: model.ddof,
    solver: model.plan.solver,
    engine: model.plan.engine,
    ...(seconds === undefined ? {} : { threads: threadsOf(model, threads), seconds }),
    reason: model.plan.reason,
    choice: model.choice ?? null,
    stability: model.stability ?? null,
    notComputed,
    warnings: model.warnings,
    certificate: model.certificate,
    uniqueness: model.uniqueness,
  };
}

/** The reference engine has one thread, whatever was asked for. */
function threadsOf({ plan }: Model, asked: number | undefined): number {
  return plan.engine === 'reference' ? 1 : (asked ?? availableParallelism());
}
