import {
  type Choice,
  DataError,
  type Encoding,
  Model,
  type Moments,
  OptionError,
  type RowSource,
  type Stability,
} from '@scree/core';
import { bootstrap } from './bootstrap/bootstrap.js';
import { type BootstrapChoices, withKind } from './bootstrap/bootstrap-options.js';
import { FEWEST_ROWS, replicatesFor, SMALL_TABLE } from './bootstrap/default-replicates.js';
import { chooseComponents } from './choose/choose-components.js';
import { noiseTested } from './choose/criteria/registry.js';
import { ALL_CRITERIA, criteriaOptions, quickCriteria } from './choose/quick-criteria.js';
import { omit, pick } from './fields.js';
import type { FitQuestions } from './fit-and-ask.js';
import { countAboveLimit, inertiaLimit } from './meaning/inertias.js';
import { hasVariance, type NotComputed, type Reason } from './reasons.js';

/** The criteria to compute: all, or those that take little time. */
export type CriteriaEffort = 'all' | 'quick';

/** How to choose the number of components, and how to draw the bootstrap. */
export interface ChoiceAndStabilityRequest {
  readonly effort: CriteriaEffort;
  /** False leaves out the criteria. */
  readonly criteria: boolean;
  /** Replicates of the bootstrap, or its options. Undefined: the shape of the table decides. */
  readonly replicates: number | BootstrapChoices | undefined;
  /** The rows; undefined if they cannot be read again. */
  readonly source: RowSource | undefined;
  /** The moments of all rows, if the fit read no rows. */
  readonly moments: Moments | undefined;
  readonly options: FitQuestions;
  /** How a table was encoded, if it was not just numbers. */
  readonly coding?: Encoding | undefined;
}

/**
 * Adds to a model the number of components that the criteria recommend, and the stability of its components, unless the model has them.
 * Otherwise returns the reasons.
 */
export async function addChoiceAndStability(
  model: Model,
  how: ChoiceAndStabilityRequest,
): Promise<{ readonly model: Model; readonly notComputed: NotComputed }> {
  const { stability: drawn, ...rest } = model;
  // Without variance, no other sample could differ.
  const stability = (hasVariance(model) && drawn) || (await stabilityFor(model, how));
  const choice = model.choice ?? (await choiceFor(model, how));
  const [noChoice, noStability] = [reasonIn(choice), reasonIn(stability)];
  return {
    model: new Model({
      ...rest,
      ...(noStability ? {} : { stability: stability as Stability }),
      ...(noChoice ? {} : { choice: choice as Choice, warnings: withStructure(model, choice as Choice) }),
    }),
    notComputed: {
      ...(noChoice ? { choice: noChoice } : {}),
      ...(noStability ? { stability: noStability } : {}),
    },
  };
}

/** The reason, if a part was not computed. */
function reasonIn(found: object): Reason | undefined {
  return 'code' in found ? (found as Reason) : undefined;
}

function withStructure({ warnings }: Model, { k, reason, agree }: Choice): Model['warnings'] {
  // Only a test against noise can say that no component stands out.
  const tested = agree.some(noiseTested);
  if (k > 0 || !tested || warnings.some(({ code }) => code === 'NO_STRUCTURE')) return warnings;
  return [...warnings, { code: 'NO_STRUCTURE', message: reason, details: { criteria: agree } }];
}

async function stabilityFor(
  model: Model,
  { replicates: asked, source, options }: ChoiceAndStabilityRequest,
): Promise<Stability | Reason> {
  const choices = withKind(typeof asked === 'object' ? asked : {});
  const count = typeof asked === 'object' ? (asked.replicates ?? 200) : asked;
  const replicates = replicatesFor(count, model.n, model.d);
  if (typeof replicates !== 'number') return replicates;
  if (!hasVariance(model)) return { code: 'NO_VARIANCE' };
  if (!source) return { code: 'READ_ONCE' };
  // The names of columns may say that rows are in the order of time.
  const names = source.columnNames ? {} : pick(model, 'columnNames');
  const others = { ...omit(options, 'whiten', 'inspectColumns', 'bootstrap'), ...names };
  const draw = (): Promise<Stability> => bootstrap(source, { ...others, ...choices, k: model.k, replicates });
  // A requested bootstrap throws. A bootstrap by default must not make the fit fail.
  return asked === undefined ? orWhy(draw) : draw();
}

async function choiceFor(
  model: Model,
  { effort, criteria: wanted, source, moments, options, coding: encoding }: ChoiceAndStabilityRequest,
): Promise<Choice | Reason> {
  const { n, d } = model;
  if (!wanted) return { code: 'NOT_ASKED' };
  const unsuitable = whyNoChoice(model, encoding);
  if (unsuitable) return unsuitable;
  const criteria = effort === 'quick' ? quickCriteria(n, d, options.scale === 'unit') : ALL_CRITERIA;
  const how = {
    ...pick(options, 'engine', 'seed', 'threads', 'memory', 'onProgress', 'signal'),
    ...criteriaOptions(criteria),
  };
  const scaling = pick(options, 'center', 'scale', 'ddof', 'columnWeights');
  return orWhy(async () => {
    // Moments are enough for all criteria that need no rows.
    const little = !moments && n * d <= SMALL_TABLE && criteria.omitted.length < 3;
    const reread = source && (effort === 'all' || little);
    if (reread) return asReason(await chooseComponents(source, { ...scaling, ...pick(options, 'weights'), ...how }));
    if (moments) return asReason(await chooseComponents(moments, { ...scaling, ...how }));
    if (model.spectrum) return asReason(await chooseComponents(model, how));
    return { code: 'LEADING_VARIANCES', details: { solver: model.plan.solver, rows: n } };
  });
}

/** The reason if the criteria do not apply to a model of such data. */
export function whyNoChoice(model: Model, encoding: Encoding | undefined): Reason | undefined {
  const { n, d } = model;
  if (!hasVariance(model)) return { code: 'NO_VARIANCE' };
  if (encoding && encoding.method !== 'pca') return inertias(model, encoding);
  if (d === 1) return { code: 'ONE_COLUMN' };
  if (n < FEWEST_ROWS) return { code: 'FEW_ROWS', details: { rows: n, expected: FEWEST_ROWS } };
  return undefined;
}

/**
 * The inertias of MCA, FAMD or MFA above the limit: that of the average component for MCA and FAMD, the most that one block alone has
 * for MFA.
 */
function inertias({ variances }: Model, encoding: Encoding): Reason {
  const { method, columns } = encoding;
  const [only] = columns;
  const levels = columns.length === 1 && only.kind === 'category' ? only.levels.length : undefined;
  return {
    code: 'CATEGORIES',
    details: {
      method,
      columns: columns.length,
      components: variances.length,
      above: countAboveLimit(variances, encoding),
      limit: inertiaLimit(encoding),
      ...(levels === undefined ? {} : { column: only.name, levels }),
    },
  };
}

/** The choice, or the reason if no criterion applies. */
function asReason(found: Choice): Choice | Reason {
  return found.criteria.some(({ k }) => k !== null) ? found : { code: 'UNSUITABLE', message: found.reason };
}

/** The result of `work`, or the reason if the data do not suit the method. Other errors, such as those of reading, are thrown. */
async function orWhy<Result extends object>(work: () => Promise<Result | Reason>): Promise<Result | Reason> {
  try {
    return await work();
  } catch (error) {
    const unsuitable = error instanceof OptionError || (error instanceof DataError && error.code !== 'SOURCE_CHANGED');
    if (unsuitable) return { code: 'UNSUITABLE', message: error.message };
    throw error;
  }
}
