import type { Model, RowSource } from '@scree/core';
import { mapSource } from '@scree/core/data';
import { dot } from '@scree/core/linalg';
import { nestedModels, type ProgressTracker } from '@scree/core/pipeline';
import { chooseComponents } from '../choose/choose-components.js';
import { CRITERIA, type CriterionName, isCriterion, mayDecide } from '../choose/criteria/registry.js';
import { pick } from '../fields.js';
import type { FitQuestions } from '../fit-and-ask.js';
import { otherRows } from './looked-rows.js';

/** The components without some rows. */
export interface FitWithout {
  /** The angle by which each component turns, in radians. */
  readonly turns: readonly number[];
}

/** Operations of the permuted or simulated tables of one test: less than a tenth of a second. */
const OPERATIONS = 4e7;
/** Most and fewest tables: 39 are the fewest whose 95 % quantile is a value between them. */
const [MOST_TABLES, FEWEST_TABLES] = [499, 39];

/** Fits the other rows with the same options: rows that are left out have weight 0. Undefined if they do not vary. */
export async function fitWithout(
  source: RowSource,
  leftOut: readonly number[],
  weights: ArrayLike<number> | undefined,
  model: Model,
  options: FitQuestions,
  progress: ProgressTracker,
): Promise<FitWithout | undefined> {
  const rows = source.rows ?? model.n;
  const others = weights ? Float64Array.from(weights) : new Float64Array(rows).fill(1);
  for (const row of leftOut) others[row] = 0;
  if (others.filter((weight) => weight > 0).length < 3) return undefined;
  const shared = pick(options, 'center', 'columnWeights', 'ddof', 'threads', 'signal', 'seed');
  await progress.yieldToEventLoop();
  const { model: rest } = await nestedModels(mapSource(source, { close: () => {}, warnings: () => [] }), {
    ...shared,
    ...scaleOfFit(model, options),
    weights: others,
    k: Math.min(model.k, source.cols),
  });
  const { d } = model;
  return {
    turns: Array.from({ length: Math.min(model.k, rest.k) }, (_, c) =>
      Math.acos(Math.min(1, Math.abs(dot(model.components.data, c * d, rest.components.data, c * d, d)))),
    ),
  };
}

/** Operations of a fit of all components that take little time. */
const FEW_OPERATIONS = 5e7;

/** The model with all its components if they take little time, so that the influence of single rows is exact; otherwise the model. */
export async function allComponents(
  source: RowSource,
  weights: ArrayLike<number> | undefined,
  model: Model,
  options: FitQuestions,
): Promise<Model> {
  const { n, d, k } = model;
  const least = Math.min(n, d);
  const rows = source.rows ?? n;
  if (k >= Math.min(d, n - 1) || rows !== n || n * d * least + 10 * least ** 3 > FEW_OPERATIONS) return model;
  const { model: whole } = await nestedModels(mapSource(source, { close: () => {}, warnings: () => [] }), {
    ...pick(options, 'center', 'columnWeights', 'ddof', 'threads', 'signal', 'seed'),
    ...scaleOfFit(model, options),
    ...(weights ? { weights } : {}),
    k: 'all',
  });
  return whole;
}

/** The number of components that stand out without some rows, by the test that decided for all rows; null if no test did. */
export async function keptWithout(
  source: RowSource,
  leftOut: readonly number[],
  model: Model,
  options: FitQuestions,
  progress: ProgressTracker,
): Promise<number | null> {
  const decider = deciderOf(model);
  if (!decider || options.weights) return null;
  const { d, n } = model;
  const rows = n - leftOut.length;
  const cost = CRITERIA[decider].cost?.({ n: rows, d, correlation: model.scaling === 'unit' });
  const perTable = cost && 'perTable' in cost ? cost.perTable : undefined;
  const tables = perTable === undefined ? undefined : Math.min(MOST_TABLES, Math.floor(OPERATIONS / perTable));
  if (tables !== undefined && tables < FEWEST_TABLES) return null;
  const rest = await otherRows(source, leftOut, progress);
  const shared = {
    ...pick(options, 'center', 'columnWeights', 'ddof', 'threads', 'signal', 'seed'),
    ...scaleOfFit(model, options),
  };
  try {
    const { k } = await chooseComponents(rest, {
      ...shared,
      criteria: [decider],
      ...(tables === undefined ? {} : { permutations: tables }),
    });
    return k;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    // The other rows may not suit the test, for example because a column is constant in them.
    return null;
  }
}

/** The criterion that decided the recommendation. */
function deciderOf({ choice }: Model): CriterionName | undefined {
  if (!choice) return undefined;
  const found = choice.criteria.find(({ name, k }) => mayDecide(name) && k === choice.k && choice.agree.includes(name));
  return found && isCriterion(found.name) ? found.name : undefined;
}

/** The scaling of the fit as an option. */
function scaleOfFit({ scaling, scale }: Model, { columnWeights }: FitQuestions): Pick<FitQuestions, 'scale'> {
  if (scaling === undefined || scaling === 'none') return {};
  if (scaling !== 'given') return { scale: scaling };
  // The scale of a model has the column weights.
  return { scale: scale.map((value, j) => value * Math.sqrt(columnWeights?.[j] ?? 1)) };
}
