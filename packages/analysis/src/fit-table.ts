import { type Data, Model, Moments, type RowSource, type Warning } from '@scree/core';
import { compositionParts, MemoryBudget, type ScalingRule } from '@scree/core/data';
import type { NestedModels } from '@scree/core/pipeline';
import type { BootstrapChoices } from './bootstrap/bootstrap-options.js';
import { replicatesFor } from './bootstrap/default-replicates.js';
import { addChoiceAndStability, type CriteriaEffort } from './choice-and-stability.js';
import { isChooser } from './choose/criteria/registry.js';
import { omit, pick } from './fields.js';
import { type FitQuestions, fitAndAsk } from './fit-and-ask.js';
import { inspectColumns } from './inspect/inspect-columns.js';
import { betweenGroups, type GroupPca } from './methods/group-pca.js';
import type { AnalysisTable } from './reading/analysis-table.js';
import { rememberRows } from './reading/remember-rows.js';
import type { NotComputed } from './reasons.js';
import type { RobustModels } from './robust/fit-table-robust.js';
import type { RobustChoices } from './robust/robust.js';

/** Options of a fit of a table, its choice of k and its bootstrap. */
export interface TableFitOptions extends Omit<FitQuestions, 'bootstrap'> {
  /** Replicates of the bootstrap, or its options. Default: 200 for small tables, by the shape alone. 0 leaves it out. */
  readonly bootstrap?: number | BootstrapChoices | undefined;
  /** The criteria to compute: `'all'`, the `'quick'` ones, or `'none'`. */
  readonly criteria?: CriteriaEffort | 'none' | undefined;
  /** The group of every row, and the name of their column, to fit the means of the groups instead of the rows. */
  readonly between?: { readonly column: string; readonly labels: readonly string[] } | undefined;
  /** The models of an earlier fit of the same rows with the same options. The fit is then not repeated. */
  readonly fitted?: NestedModels | undefined;
  /** Fits robust components instead, as `robust` does. Criteria are computed without the flagged rows. Default: not robust. */
  readonly robust?: RobustChoices | undefined;
  /** Replaces the reading of the rows: returns the same rows, or their moments. */
  readonly read?: (() => Promise<RowSource | Moments>) | undefined;
}

/** The groups of a fit to their means. */
export interface Between extends Pick<GroupPca, 'groups' | 'means' | 'share'> {
  readonly column: string;
}

/** A fitted table. Models are of the columns of `source`, which are encoded if the table has an encoding. */
export interface TableFit extends NestedModels {
  /** The rows that were fitted, kept in memory if they are few. */
  readonly source: RowSource;
  readonly notComputed: NotComputed;
  /** Seconds that the fit took, without the questions. */
  readonly seconds: number;
  /** Set if the model was fitted to means of groups. */
  readonly between?: Between | undefined;
}

/** Fits a table, chooses the number of components and draws the bootstrap. */
export async function fitTable(
  table: Pick<AnalysisTable, 'source' | 'coding' | 'fit' | 'placesOf'>,
  { criteria = 'all', bootstrap, between, fitted, read, memory, robust, ...given }: TableFitOptions,
): Promise<TableFit> {
  // The code of robust fits is loaded when it is needed.
  const robustly = robust && (await import('./robust/fit-table-robust.js'));
  const others = robustly && robust ? robustly.robustQuestions(table, { ...given, between, read }, robust) : given;
  const budget = new MemoryBudget(memory);
  const options: FitQuestions = memory === undefined ? others : { ...others, memory: budget.share('engine') };
  if (between) return fitMeans(table.source, between, options);
  const asks = criteria !== 'none' || bootstrap !== 0;
  const { source: opened } = table;
  const source = opened.resident ? opened : rememberRows(opened, asks || robust ? budget.share('results') / 2 : 0);
  const start = performance.now();
  // The replicates of a bootstrap are drawn after the fit.
  let drawing: number | undefined;
  const onProgress: FitQuestions['onProgress'] = (progress) => {
    if (progress.phase === 'bootstrap') drawing ??= performance.now();
    options.onProgress?.(progress);
  };
  const rows = read ? await read() : source;
  const moments = rows instanceof Moments ? rows : undefined;
  const questions: FitQuestions = {
    inspectColumns: hasUnits(table),
    ...options,
    ...table.fit,
    ...(options.onProgress ? { onProgress } : {}),
  };
  const nested = fitted
    ? await askedModels(fitted, source, questions)
    : moments
      ? // The weights are already part of moments.
        await fitAndAsk(moments, omit(questions, 'weights'))
      : await fitAndAsk(source as Data, {
          ...questions,
          bootstrap: robust ? 0 : replicatesNow(bootstrap, source, questions.weights),
        });
  const found = robust && (await robustly?.robustModels(source, nested, table, questions, robust));
  const seconds = ((drawing ?? performance.now()) - start) / 1000;
  if (found) return chosenRobust(found, { source, seconds, criteria, questions });
  // Moments do not know the table that they were read from.
  const model = moments ? withWarnings(nested.model, (await table.source.warnings?.()) ?? []) : nested.model;
  if (!asks) {
    const reason = { code: 'NOT_ASKED' } as const;
    return { ...nested, model, source, seconds, notComputed: { choice: reason, stability: reason } };
  }
  const asked = await addChoiceAndStability(model, {
    effort: criteria === 'none' ? 'quick' : criteria,
    criteria: criteria !== 'none',
    replicates: bootstrap,
    source: source.rereadable ? source : undefined,
    moments,
    options: questions,
    coding: table.coding,
  });
  return { ...asked, first: nested.first, source, seconds };
}

/** A robust fit, with the criteria of the rows that are not flagged. */
async function chosenRobust(
  { models, others }: RobustModels,
  {
    source,
    seconds,
    criteria,
    questions,
  }: Pick<TableFit, 'source' | 'seconds'> & {
    readonly criteria: NonNullable<TableFitOptions['criteria']>;
    readonly questions: FitQuestions;
  },
): Promise<TableFit> {
  const { model, first } = models;
  const { model: chosen, notComputed } = await addChoiceAndStability(model, {
    effort: criteria === 'none' || !others ? 'quick' : criteria,
    criteria: criteria !== 'none' && others !== undefined,
    replicates: 0,
    source: others,
    moments: undefined,
    options: questions,
  });
  const stability = { code: 'ROBUST' } as const;
  return { model: chosen, first, source, seconds, notComputed: { ...notComputed, stability } };
}

/** Returns false for levels of categories and for log-ratios: warnings about units do not apply to them. */
function hasUnits({ fit, coding: encoding }: Pick<AnalysisTable, 'coding' | 'fit'>): boolean {
  return fit === undefined && compositionParts(encoding?.columns ?? []).length === 0;
}

/** The models of an earlier fit, cut to the requested number of components, with the warnings about columns. */
async function askedModels(
  { model, first }: NestedModels,
  source: RowSource,
  options: FitQuestions,
): Promise<NestedModels> {
  const { k = DEFAULT_COMPONENTS } = options;
  const most = typeof k === 'number' ? Math.min(k, model.k) : model.k;
  if (!options.inspectColumns) return { model: first(most), first };
  const { warnings } = await inspectColumns(source, {
    ...pick(model, 'columnNames'),
    ...pick(options, 'scale', 'center', 'weights', 'signal'),
  });
  const known = model.warnings.map(({ message }) => message);
  return {
    model: withWarnings(
      first(most),
      warnings.filter(({ message }) => !known.includes(message)),
    ),
    first,
  };
}

/** Components that `pca` fits by default. */
const DEFAULT_COMPONENTS = 10;

/** Replicates to draw together with the fit: 0 if rows can be read only once, or if the default depends on their unknown number. */
function replicatesNow(
  asked: number | BootstrapChoices | undefined,
  { rows, cols, rereadable }: RowSource,
  weights: ArrayLike<number> | undefined,
): number | BootstrapChoices {
  if (!rereadable) return 0;
  if (typeof asked === 'object') return asked;
  if (rows === undefined) return asked ?? 0;
  const counted = weights ? Array.from(weights).filter((weight) => weight > 0).length : rows;
  const replicates = replicatesFor(asked, counted, cols);
  return typeof replicates === 'number' ? replicates : 0;
}

function withWarnings(model: Model, more: readonly Warning[]): Model {
  return more.length === 0 ? model : new Model({ ...model, warnings: [...model.warnings, ...more] });
}

/** Fits the means of groups, weighted by their numbers of rows. `source` is still the rows of the table. */
async function fitMeans(
  source: RowSource,
  { column, labels }: NonNullable<TableFitOptions['between']>,
  options: FitQuestions,
): Promise<TableFit> {
  const start = performance.now();
  const { model: fitted, ...groups } = await betweenGroups(
    source,
    labels,
    omit(options, 'center', 'inspectColumns', 'weights', 'columnTransform'),
  );
  const seconds = (performance.now() - start) / 1000;
  // The means were divided by the scales of all rows, so the rule is that of the rows.
  const model = options.scale === undefined ? fitted : new Model({ ...fitted, scaling: options.scale as ScalingRule });
  const reason = { code: 'GROUP_MEANS', details: { groups: groups.groups.length } } as const;
  return {
    model,
    first: () => model,
    source,
    seconds,
    notComputed: { choice: reason, stability: reason },
    between: { column, ...groups },
  };
}

/** Returns true if `k` is a number of components or a share of the variance. */
export function asksForComponents(k: FitQuestions['k']): boolean {
  return k !== undefined && !isChooser(k);
}
