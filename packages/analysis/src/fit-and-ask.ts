import {
  type Choice,
  type Data,
  Model,
  Moments,
  OptionError,
  type PcaOptions,
  type RowSource,
  type Stability,
  type Warning,
} from '@scree/core';
import { openSource } from '@scree/core/data';
import {
  availableEngines,
  type BootstrapKind,
  checkObject,
  checkOption,
  checkOptions,
  completeRows,
  fit,
  fitAny,
  fitOpened,
  keepAlive,
  type NestedModels,
  nestedModels,
  type OptionCheck,
  ProgressTracker,
  prepareColumns,
  refuseForMoments,
  rereadable,
  type Settings,
  stabilityOfFirst,
} from '@scree/core/pipeline';
import {
  BOOTSTRAP_OPTION,
  type BootstrapChoices,
  type BootstrapSettings,
  checkBootstrap,
} from './bootstrap/bootstrap-options.js';
import { type Chooser, isChooser } from './choose/criteria/registry.js';
import {
  type InspectedSource,
  inspectedSource,
  warningsOfMoments,
  warningsOfRows,
} from './inspect/inspected-source.js';
import type { RowOrder } from './inspect/row-order.js';

/** Options of a fit, and of the questions that are answered while its rows are open. */
export interface FitQuestions<Name extends string = string> extends Omit<PcaOptions<Name>, 'k'> {
  /**
   * The number of components, as for `pca`; `'auto'` for the recommendation of `chooseComponents`; or the name of a criterion. Default
   * 10, or all if there are fewer.
   */
  readonly k?: PcaOptions['k'] | Chooser | undefined;
  /** Replicates of the bootstrap, or its options. Default 0: no bootstrap. */
  readonly bootstrap?: number | BootstrapChoices | undefined;
  /**
   * Set to true to warn of columns that dominate, number the rows, hold codes of classes or repeat another column. Default false,
   * because it inspects every number.
   */
  readonly inspectColumns?: boolean | undefined;
}

/** The checked questions. */
interface Questions {
  readonly choose: Chooser | undefined;
  readonly bootstrap: BootstrapSettings | undefined;
  readonly inspectColumns: boolean;
}

const OWN_OPTIONS: Record<'bootstrap' | 'inspectColumns', OptionCheck> = {
  bootstrap: BOOTSTRAP_OPTION,
  inspectColumns: { must: 'true or false', test: (v) => typeof v === 'boolean' },
};

/**
 * Fits data and answers questions about them while the source is open: how many components (`k: 'auto'`), how stable they are
 * (`bootstrap`), and which columns are odd (`inspectColumns`). Without a question it is `pca`. `analyze` adds everything that follows
 * from the model.
 */
export async function fitAndAsk(data: Data | Moments, options: FitQuestions = {}): Promise<NestedModels> {
  const { settings, questions, plain } = checkFitQuestions(options);
  const { choose, bootstrap, inspectColumns } = questions;
  if (choose === undefined && !bootstrap && !inspectColumns) return nestedModels(data, plain);
  const progress = new ProgressTracker(settings);
  const ask: FitRows = (source, own, engines) => fitOpenedRows(source, own, questions, engines, progress);
  return keepAlive(async () => {
    if (data instanceof Moments) {
      if (bootstrap) throw noRowsToDraw();
      refuseForMoments(settings, data.cols);
      return ask(data, settings, await availableEngines(settings, data.cols ** 2), progress);
    }
    const open = async () => {
      const { columnNames, columns, missing } = settings;
      const source = await openSource(data, progress, columnNames, columns === 'numeric', missing !== 'error');
      const complete = await completeRows(source, settings, progress);
      const opened = await prepareColumns(complete.source, complete.settings, progress);
      // Rows in memory are inspected after the fit, so that the fit is the one of `pca`.
      const watched = inspectColumns && !opened.source.resident;
      return watched ? { ...opened, source: inspectedSource(opened.source, opened.settings) } : opened;
    };
    return fitOpened(open, progress, ask);
  });
}

/** Checks options before any data are read. `own` names further options that the caller has checked, for messages. */
export function checkFitQuestions(
  options: FitQuestions,
  own: readonly string[] = [],
): { settings: Settings; questions: Questions; plain: PcaOptions } {
  checkObject(options);
  const { k, bootstrap, inspectColumns, ...others } = options;
  for (const [option, value] of Object.entries({ bootstrap, inspectColumns })) {
    if (value !== undefined) checkOption(option, value, OWN_OPTIONS[option as keyof typeof OWN_OPTIONS]);
  }
  const choose = isChooser(k) ? k : undefined;
  const plain: PcaOptions = isChooser(k) || k === undefined ? others : { ...others, k };
  const settings = checkOptions(plain, [...own, ...Object.keys(OWN_OPTIONS)]);
  const chosen = checkBootstrap(bootstrap, settings.seed);
  return { settings, questions: { choose, bootstrap: chosen, inspectColumns: inspectColumns ?? false }, plain };
}

/** Moments have no rows to draw from. */
export function noRowsToDraw(): OptionError {
  return new OptionError(
    'BAD_OPTION',
    'bootstrap cannot be chosen for moments: their rows are gone. Leave it out, or pass the rows themselves.',
    { option: 'bootstrap' },
  );
}

/** Fits an opened source and answers the questions: the criteria before the fit, columns and bootstrap after it. */
async function fitOpenedRows(
  opened: RowSource | Moments,
  settings: Settings,
  { choose, bootstrap, inspectColumns }: Questions,
  engines: Parameters<typeof fit>[2],
  progress: ProgressTracker,
): ReturnType<typeof fit> {
  // The criteria may keep moments only, and a bootstrap draws rows.
  const source = bootstrap && !(opened instanceof Moments) ? await rereadable(opened, progress) : opened;
  const chosen = choose === undefined ? undefined : await chooseK(source, settings, choose, engines, progress);
  const data = bootstrap || !chosen ? source : chosen.data;
  const fitted = await fitData(data, chosen?.settings ?? settings, engines, progress);
  const { columns } = fitted;
  const choice = chosen?.choice;
  const order =
    data instanceof Moments || !(inspectColumns || bootstrap?.kind === 'auto')
      ? undefined
      : await orderOfRows(fitted.model, data, settings, engines, progress);
  let stability: Stability | undefined;
  if (bootstrap && !(data instanceof Moments)) {
    const { stabilityOf } = await import('./bootstrap/stability.js');
    const { center, scale, columnWeights, ddof, weights, memory } = settings;
    const read = weights?.length ?? columns.rows;
    const sample = {
      source: data,
      read,
      columns,
      weights,
      center,
      scale,
      columnWeights,
      ddof,
      k: fitted.model.k,
      memory,
    };
    const engine = fitted.engine.name === 'reference' ? engines[0] : fitted.engine;
    stability = await stabilityOf(sample, drawnLike(bootstrap, order), engine, progress);
  }
  const known = data === opened || opened instanceof Moments ? [] : ((await opened.warnings?.()) ?? []);
  const looked = inspectColumns ? await columnWarnings(opened, columns, settings, progress) : [];
  const ordered = inspectColumns && order ? [(await import('./inspect/row-order.js')).rowOrderWarning(order)] : [];
  const warnings = [...known, ...looked, ...ordered, ...structureWarnings(choice)];
  const complete = (model: Model): Model =>
    new Model({
      ...model,
      warnings: [...warnings, ...model.warnings],
      ...(choice ? { choice } : {}),
      ...(stability ? { stability: stabilityOfFirst(stability, model.k, model.d) } : {}),
    });
  return { ...fitted, model: complete(fitted.model), first: (k) => complete(fitted.first(k)) };
}

/** The order of the rows, if neighbours are alike. Weights say that rows are not single observations in an order. */
async function orderOfRows(
  model: Model,
  rows: RowSource,
  settings: Settings,
  engines: Parameters<typeof fit>[2],
  progress: ProgressTracker,
): Promise<RowOrder | undefined> {
  if (settings.weights) return undefined;
  const { findRowOrder } = await import('./inspect/row-order.js');
  const own = { ...settings, whiten: false as const };
  const fitHalf = async (half: RowSource, k: number): Promise<Model> =>
    (await fitAny(half, { ...own, k: Math.min(k, half.cols) }, engines, progress)).model;
  return findRowOrder(model, rows, { center: settings.center, fitHalf, progress });
}

/** The bootstrap with its kind decided: blocks if rows are in an order. */
function drawnLike(
  chosen: BootstrapSettings,
  order: RowOrder | undefined,
): BootstrapSettings & { readonly kind: BootstrapKind } {
  const { kind } = chosen;
  if (kind !== 'auto') return { ...chosen, kind };
  return order ? { ...chosen, kind: 'blocks', block: order.block } : { ...chosen, kind: 'rows' };
}

/** A fit of rows or of moments. */
type FitRows = (
  source: RowSource | Moments,
  ...others: Parameters<typeof fit> extends [unknown, ...infer Others] ? Others : never
) => ReturnType<typeof fit>;

/** The fit of `pca`. Questions never change the model. */
const fitData: FitRows = (data, ...others) =>
  data instanceof Moments ? fit(data, ...others) : fitAny(data, ...others);

async function chooseK(
  source: RowSource | Moments,
  settings: Settings,
  choose: Chooser,
  engines: Parameters<typeof fit>[2],
  progress: ProgressTracker,
): Promise<{ choice: Choice; data: RowSource | Moments; settings: Settings }> {
  const { chooseForFit } = await import('./choose/evaluate-criteria.js');
  const { choice, data } = await chooseForFit(source, settings, choose, engines, progress);
  return { choice, data, settings: { ...settings, k: Math.max(1, choice.k) } };
}

async function columnWarnings(
  opened: RowSource | Moments,
  columns: Awaited<ReturnType<typeof fit>>['columns'],
  settings: Settings,
  progress: ProgressTracker,
): Promise<readonly Warning[]> {
  if (opened instanceof Moments) return warningsOfMoments(opened, settings);
  if ('columnWarnings' in opened) return (opened as InspectedSource).columnWarnings(columns);
  return warningsOfRows(opened, columns, settings, progress);
}

function structureWarnings(choice: Choice | undefined): Warning[] {
  if (choice?.k !== 0) return [];
  return [
    {
      code: 'NO_STRUCTURE',
      message: `${choice.reason} The model has one component because a model needs one.`,
      details: { criteria: choice.agree },
    },
  ];
}
