import {
  type Choice,
  type Criterion,
  type Engine,
  type Model,
  Moments,
  OptionError,
  type RowSource,
  SOLVERS,
} from '@scree/core';
import { keepRows } from '@scree/core/data';
import {
  checkColumnOptions,
  LARGEST_SQUARE,
  type Obstacle,
  type ProgressTracker,
  type Settings,
  WIDEST_SCATTER,
} from '@scree/core/pipeline';
import { capitalised } from '../describe/numbers.js';
import {
  absentRows,
  type EvidenceRequest,
  fromModel,
  fromMoments,
  fromWideRows,
  KEPT_NUMBERS,
  numbersThatFit,
  readFolds,
  rowsFor,
} from './collect-evidence.js';
import { type CriterionMethod, doesNotApply, type Evidence, type EvidenceOptions } from './criteria/criterion.js';
import {
  type Chooser,
  CRITERIA,
  CRITERION_NAMES,
  type CriterionName,
  criterionTitle,
  noiseTested,
} from './criteria/registry.js';
import { hiddenStructure, recommend } from './recommend.js';

/** Computes the criteria for the number of components, for data, moments or a model. Loaded on demand. */

/** A choice, and the data to fit. They are kept in memory if they could be read only once. */
export interface ChoiceAndData {
  readonly choice: Choice;
  readonly data: RowSource | Moments;
}

/** The number of components for a fit: that of the recommendation, or of one criterion, which must apply. */
export async function chooseForFit(
  source: RowSource | Moments,
  settings: Settings,
  chooser: Chooser,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
): Promise<ChoiceAndData> {
  const names = chooser === 'auto' ? CRITERION_NAMES : [chooser];
  const options = { seed: settings.seed, permutations: undefined, quantile: 0.95, noise: undefined, folds: 10 };
  const found = await evaluateCriteria(source, { settings, names, options, engines, progress });
  const [only] = found.choice.criteria;
  if (chooser !== 'auto' && only.k === null) {
    throw new OptionError('K_OUT_OF_RANGE', `k is '${chooser}', which does not apply here. ${only.sentence}`, {
      option: 'k',
      value: chooser,
      ...(only.obstacle ? { expected: only.obstacle } : {}),
    });
  }
  return found;
}

/**
 * Collects what the criteria need and computes them.
 *
 * If spreads differ much, a column of large variance hides how the others are related, and a test may find nothing. So before a test says
 * that, it is repeated on columns of the same spread, five times as strictly, because two tests find something in noise more often than one.
 */
export async function evaluateCriteria(given: RowSource | Moments, request: EvidenceRequest): Promise<ChoiceAndData> {
  const { settings, names, options } = request;
  const { choice, data } = await evaluateOnce(given, request);
  const test = choice.agree.find(noiseTested) as CriterionName | undefined;
  const mayHide = choice.k === 0 && test && names.length > 1 && settings.scale !== 'unit' && choice.spectrum[0] > 0;
  if (!mayHide) return { choice, data };
  const equal = await evaluateOnce(data, {
    ...request,
    settings: { ...settings, scale: 'unit' },
    names: [test],
    options: { ...options, quantile: 1 - (1 - options.quantile) / 5 },
  });
  return { choice: equal.choice.k === 0 ? choice : hiddenStructure(choice, equal.choice.k), data };
}

async function evaluateOnce(given: RowSource | Moments, request: EvidenceRequest): Promise<ChoiceAndData> {
  const { settings, names, options, engines, progress } = request;
  checkColumnOptions(settings, given.cols);
  const choiceFrom = (facts: Omit<Evidence, 'options' | 'engine' | 'progress'>): Promise<Choice> =>
    computeCriteria({ ...facts, options, engine: engines[0], progress }, names);
  if (given instanceof Moments) {
    const facts = await fromMoments([given], request);
    const absent = absentRows('is computed from rows, and moments do not have them.');
    return { choice: await choiceFrom({ ...facts, absent: { ...facts.absent, ...absent } }), data: given };
  }
  const source = await keptIfNeeded(given, settings, progress);
  const wide = source.rows !== undefined && source.rows < source.cols;
  if (wide || source.cols > LARGEST_SQUARE) {
    return { choice: await choiceFrom(await fromWideRows(source, request)), data: source };
  }
  const { parts, moments } = await readFolds(source, request);
  const facts = await fromMoments(parts, request);
  const rows = await rowsFor(source, facts, moments, request);
  const choice = await choiceFrom({ ...facts, ...rows, absent: { ...facts.absent, ...rows.absent } });
  return { choice, data: source.rereadable ? source : moments };
}

/** Keeps the rows of a source that can be read once, if the solver needs them or if they are fewer numbers than their moments. */
async function keptIfNeeded(source: RowSource, settings: Settings, progress: ProgressTracker): Promise<RowSource> {
  if (source.rereadable) return source;
  const { solver, learn } = settings;
  const needsRows = solver !== 'auto' && SOLVERS[solver].needs({ cols: source.cols, learn }) !== 'scatter';
  const small = source.rows !== undefined && source.rows * source.cols <= numbersThatFit(KEPT_NUMBERS, settings, 1);
  if (!needsRows && !small && source.cols <= WIDEST_SCATTER) return source;
  progress.begin('reading rows', source.rows);
  const kept = await keepRows(source, (rows) => progress.step(rows));
  progress.end();
  return kept;
}

/** Computes the criteria that need no more than a fitted model. */
export function evaluateForModel(
  model: Model,
  names: readonly CriterionName[],
  options: EvidenceOptions,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Choice> {
  return computeCriteria({ ...fromModel(model), options, engine, progress }, names);
}

/** Computes each criterion in turn, and recommends a number of components. */
async function computeCriteria(evidence: Evidence, names: readonly CriterionName[]): Promise<Choice> {
  const criteria: Criterion[] = [];
  for (const name of names) {
    const found = obstacleTo(CRITERIA[name], evidence);
    const { sentence, obstacle } = found ?? {};
    const result = sentence === undefined ? await CRITERIA[name].compute(evidence) : doesNotApply(sentence);
    criteria.push({ name, ...result, ...(obstacle ? { obstacle } : {}) });
  }
  return { ...recommend(criteria), criteria, spectrum: Array.from(evidence.spectrum) };
}

/** Why a criterion does not apply to these data; undefined if it does. */
function obstacleTo(
  { name, requires, needs }: CriterionMethod,
  evidence: Evidence,
): { readonly obstacle: Obstacle; readonly sentence: string } | undefined {
  const subject = capitalised(criterionTitle(name).sentence);
  if (!(evidence.spectrum[0] > 0))
    return { obstacle: 'variance', sentence: 'All rows are the same: there is no variance.' };
  if (requires.includes('centered') && !evidence.centered) {
    const sentence = `${subject} is about variances around the mean, and these data are not centred.`;
    return { obstacle: 'centered', sentence };
  }
  if (requires.includes('unweighted') && evidence.weighted)
    return { obstacle: 'unweighted', sentence: `${subject} counts rows, and these rows have weights.` };
  if (requires.includes('correlation') && !evidence.correlation) {
    const sentence = `${subject} is for correlations, and these columns have different variances. Use scale: 'unit' to apply it.`;
    return { obstacle: 'correlation', sentence };
  }
  const missing = needs.find((need) => evidence[need] === undefined && evidence.absent[need] !== undefined);
  return missing && { obstacle: missing, sentence: `${subject} ${evidence.absent[missing]}` };
}
