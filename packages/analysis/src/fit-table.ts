import { type Data, DataError, Model, Moments, type RowSource, type Scale, type Warning } from '@scree/core';
import { compositionParts, emptyStatistics, MemoryBudget, rowWeights, type ScalingRule } from '@scree/core/data';
import { type NestedModels, nestedModels, ProgressTracker, runTask } from '@scree/core/pipeline';
import { BOOTSTRAP_CHOICES, type BootstrapChoices, withKind } from './bootstrap/bootstrap-options.js';
import { replicatesFor } from './bootstrap/default-replicates.js';
import { addChoiceAndStability, type CriteriaEffort } from './choice-and-stability.js';
import { isChooser } from './choose/criteria/registry.js';
import { omit, pick } from './fields.js';
import { type FitQuestions, fitAndAsk } from './fit-and-ask.js';
import type { ScaleChoice } from './inspect/choose-scale.js';
import { inspectColumns } from './inspect/inspect-columns.js';
import { betweenGroups, type GroupPca } from './methods/group-pca.js';
import type { AnalysisTable } from './reading/analysis-table.js';
import { peekRows } from './reading/peek-rows.js';
import { rememberRows } from './reading/remember-rows.js';
import type { NotComputed } from './reasons.js';
import type { RobustModels } from './robust/fit-table-robust.js';
import type { RobustChoices } from './robust/robust.js';

/** Options of a fit of a table, its choice of k and its bootstrap. */
export interface TableFitOptions extends Omit<FitQuestions, 'bootstrap' | 'scale'> {
  /**
   * How columns are scaled; `'auto'` takes `'unit'` if their units or spreads differ, and `'none'` for columns of one instrument. Default
   * `'none'`; `'auto'` in `analyze`.
   */
  readonly scale?: Scale | 'auto' | undefined;
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
  /** Set if `scale: 'auto'` chose the scaling. */
  readonly scaling?: ScaleChoice | undefined;
}

/** Fits a table, chooses the number of components and draws the bootstrap. */
export async function fitTable(
  table: Pick<AnalysisTable, 'source' | 'coding' | 'fit' | 'placesOf'>,
  { criteria = 'all', bootstrap, between, fitted, read, memory, robust, scale, ...others }: TableFitOptions,
): Promise<TableFit> {
  // The code of robust fits is loaded when it is needed.
  const robustly = robust && (await import('./robust/fit-table-robust.js'));
  if (robust) robustly?.checkRobustTable(table, { ...others, between, read }, robust);
  const budget = new MemoryBudget(memory);
  const chosen = scale === 'auto' ? await scaleOf(table, { read, fitted, options: others, budget }) : undefined;
  const { scaling, source: given = table.source, moments: readMoments } = chosen ?? {};
  const rule = scale === 'auto' ? scaling?.rule : scale;
  const own = robust && rule === 'unit' ? 'median' : rule;
  const asked = own === undefined ? others : { ...others, scale: own };
  const options: FitQuestions = memory === undefined ? asked : { ...asked, memory: budget.share('engine') };
  if (between) return { ...(await fitMeans(given, between, options)), scaling };
  const asks = criteria !== 'none' || bootstrap !== 0;
  const source = given.resident ? given : rememberRows(given, asks || robust ? budget.share('results') / 2 : 0);
  const start = performance.now();
  // The replicates of a bootstrap are drawn after the fit.
  let drawing: number | undefined;
  const onProgress: FitQuestions['onProgress'] = (progress) => {
    if (progress.phase === 'bootstrap') drawing ??= performance.now();
    options.onProgress?.(progress);
  };
  const rows = readMoments ?? (read ? await read() : source);
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
  if (found) return { ...(await chosenRobust(found, { source, seconds, criteria, questions })), scaling };
  // Moments do not know the table that they were read from.
  const model = moments ? withWarnings(nested.model, (await table.source.warnings?.()) ?? []) : nested.model;
  if (!asks) {
    const reason = { code: 'NOT_ASKED' } as const;
    return { ...nested, model, source, seconds, scaling, notComputed: { choice: reason, stability: reason } };
  }
  const examined = await addChoiceAndStability(model, {
    effort: criteria === 'none' ? 'quick' : criteria,
    criteria: criteria !== 'none',
    replicates: bootstrap,
    source: source.rereadable ? source : undefined,
    moments,
    options: questions,
    coding: table.coding,
  });
  return { ...examined, first: nested.first, source, seconds, scaling };
}

/** What is known for the choice of a scaling. */
interface ScaleQuestion extends Pick<TableFitOptions, 'read' | 'fitted'> {
  readonly options: Pick<FitQuestions, 'center' | 'weights' | 'columnNames' | 'signal'>;
  readonly budget: MemoryBudget;
}

/** Most numbers that are looked at to choose a scaling. */
const MOST_PEEKED = 1 << 20;

/**
 * The scaling that the columns need, from the first million numbers. The source begins with the rows that were read for it, so a file is
 * not read more often. Undefined if the method prescribes a scaling, or the units mean nothing, as in log-ratios.
 */
async function scaleOf(
  table: Pick<AnalysisTable, 'source' | 'coding' | 'fit'>,
  { read, fitted, options, budget }: ScaleQuestion,
): Promise<{ scaling?: ScaleChoice; source?: RowSource; moments?: Moments | undefined }> {
  if (prescribesScale(table)) return {};
  const { center = true, columnNames, weights } = options;
  if (fitted) return {};
  const { chooseScale } = await import('./inspect/choose-scale.js');
  const from = read ? await read() : table.source;
  if (from instanceof Moments) {
    const { inspectionOfMoments } = await import('./inspect/inspected-source.js');
    return { moments: from, scaling: chooseScale(await inspectionOfMoments(from, columnNames), center) };
  }
  if (from.remote) return { scaling: { rule: 'none', reason: 'not-read' } };
  const most = Math.min(MOST_PEEKED, Math.floor(budget.share('results') / 2 / 8));
  const { blocks, source } = await peekRows(from, most);
  const { ColumnInspector } = await import('./inspect/column-inspector.js');
  const names = columnNames ?? source.columnNames;
  const inspector = new ColumnInspector(source.cols, names);
  const statistics = emptyStatistics(source.cols);
  const counted = rowWeights(weights, undefined);
  const progress = new ProgressTracker(pick(options, 'signal'));
  let rows = 0;
  try {
    for (const block of blocks) {
      const task = inspector.addTo(statistics, block, counted.slice(rows, block.rows), rows);
      await runTask(task, () => progress.yieldToEventLoop());
      rows += block.rows;
    }
  } catch (error) {
    // The fit reports a value that is not finite, with its position.
    if (!(error instanceof DataError)) throw error;
    return { source };
  }
  return { source, scaling: chooseScale(inspector.result(statistics), center) };
}

/** Returns true for MCA, FAMD and MFA, which scale columns themselves, and for log-ratios, which have one unit. */
function prescribesScale({ fit, coding: encoding }: Pick<AnalysisTable, 'coding' | 'fit'>): boolean {
  return fit?.scale !== undefined || compositionParts(encoding?.columns ?? []).length > 0;
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
  const order = await orderWarnings(first(most), source, options);
  const known = model.warnings.map(({ message }) => message);
  return {
    model: withWarnings(
      first(most),
      [...warnings, ...order].filter(({ message }) => !known.includes(message)),
    ),
    first,
  };
}

/** The warning about an order of the rows of a model that was fitted before. */
async function orderWarnings(model: Model, source: RowSource, options: FitQuestions): Promise<Warning[]> {
  if (options.weights) return [];
  const { findRowOrder, rowOrderWarning } = await import('./inspect/row-order.js');
  const control = pick(options, 'engine', 'threads', 'signal', 'scale', 'columnWeights');
  const order = await findRowOrder(model, source, {
    center: model.centered,
    fitHalf: async (rows, k) => (await nestedModels(rows, { ...control, k: Math.min(k, rows.cols) })).model,
    progress: new ProgressTracker(control),
  });
  return order ? [rowOrderWarning(order)] : [];
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
  if (typeof asked === 'object') return withKind(asked);
  if (rows === undefined) return withReplicates(asked ?? 0);
  const counted = weights ? Array.from(weights).filter((weight) => weight > 0).length : rows;
  const replicates = replicatesFor(asked, counted, cols);
  return withReplicates(typeof replicates === 'number' ? replicates : 0);
}

function withReplicates(replicates: number): number | BootstrapChoices {
  // An invalid number is refused by its own name.
  return BOOTSTRAP_CHOICES.replicates.test(replicates) ? withKind({ replicates }) : replicates;
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
