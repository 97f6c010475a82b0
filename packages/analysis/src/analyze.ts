import { type Data, Model, Moments, OptionError, type PcaOptions, RowMatrix } from '@scree/core';
import {
  type Block,
  hasCategories,
  MemoryBudget,
  mapAsync,
  openSource,
  packedRows,
  refuseChanged,
} from '@scree/core/data';
import { checkObject, checkOptions, completeRows, keepAlive, ProgressTracker } from '@scree/core/pipeline';
import {
  type AnalysedRows,
  type Analysis,
  type AnalysisRecord,
  analysisOf,
  type ComparedRows,
  type CompletedRows,
  type EncodedMeaning,
} from './analysis.js';
import { omit, pick } from './fields.js';
import { findingsOf } from './findings.js';
import { noRowsToDraw } from './fit-and-ask.js';
import { asksForComponents, fitTable, type TableFit, type TableFitOptions } from './fit-table.js';
import { adjustedInertias, categories, mfaGroups } from './meaning/categories.js';
import { type ColumnContribution, columnContributions } from './meaning/column-contributions.js';
import { componentMeaning } from './meaning/component-meaning.js';
import { covariateRelations } from './meaning/covariate-relations.js';
import { countAboveLimit } from './meaning/inertias.js';
import { type Supplementary, supplementary } from './meaning/supplementary.js';
import { encodeTable } from './methods/encode-table.js';
import { type Rotation, type RotationMethod, rotate } from './methods/rotation.js';
import { withEncoding } from './methods/with-encoding.js';
import type { CompletedTable } from './missing/complete-table.js';
import {
  type AnalyzeMissing,
  fillOptionsFor,
  type PredictOptions,
  predictOptionsOf,
} from './missing/missing-options.js';
import type { RowLabels } from './reading/aligned.js';
import { type AnalysisTable, readParts, type TablePart } from './reading/analysis-table.js';
import { tableBeside } from './reading/table-beside.js';
import { type AnalysisPart, hasVariance, type Reason } from './reasons.js';
import type { SecondLook } from './robust/second-look.js';
import { type ComparedModel, withoutComponents } from './rows/compared-model.js';
import { answerRowQuestions, type Listed, type RowAnswers, type RowQuestions } from './rows/read-rows.js';
import { rowContributionBlocks, type SupplementaryRows } from './rows/row-contributions.js';
import type { RowFacts } from './rows/row-facts.js';
import type { RowsOf } from './rows/row-limits.js';
import { findUnusualRows } from './rows/unusual-rows.js';

/** Options of `analyze`: those of `pca`, and those of the other parts of the analysis. */
export interface AnalyzeOptions<Name extends string = string>
  extends Omit<TableFitOptions, 'columnNames' | 'between' | 'fitted' | 'read' | 'scale' | 'missing'> {
  /**
   * Rows that miss values: `'error'` (default), `'drop'`, `'mean'`, or a method that predicts them: `'iterative'`, `'em'`, `'nipals'`, or
   * `{ method, k: 'auto', draws: 20 }`.
   */
  readonly missing?: AnalyzeMissing | undefined;
  /**
   * How columns are scaled. Default `'auto'`: `'unit'` if their units or spreads differ, and `'none'` for columns of one instrument; the
   * field `scaling` says which and why.
   */
  readonly scale?: TableFitOptions['scale'];
  /** Names of the columns, if the data do not carry them; for records, the columns to use. */
  readonly columnNames?: NonNullable<PcaOptions<Name>['columnNames']> | undefined;
  /** One name per row. */
  readonly names?: RowLabels | undefined;
  /** Supplementary columns, groups and rows, which are not fitted. */
  readonly supplementary?: {
    /** Columns of numbers, in the order of the rows. NaN is a missing value. */
    readonly columns?: Data | undefined;
    readonly columnNames?: readonly string[];
    /** Columns of labels by name: one label per row. */
    readonly groups?: Readonly<Record<string, RowLabels>>;
    /** Rows with the columns of the data. */
    readonly rows?: Data;
    /** One name per supplementary row. */
    readonly rowNames?: RowLabels;
  };
  /** How to rotate the kept components. Default: not at all. */
  readonly rotate?: RotationMethod | undefined;
  /** Set to false to leave out the contributions of each row, which are listed for up to 10,000 rows. Default true. */
  readonly listRows?: boolean | undefined;
  /** Set to false to leave out the second look, which asks whether few rows made the answer. Default true. */
  readonly secondLook?: boolean | undefined;
}

/** Options of `analyzeTable`. Names and supplementary columns are part of the table. */
export interface AnalyzeTableOptions
  extends Omit<AnalyzeOptions, 'names' | 'supplementary' | 'columnTransform'>,
    Pick<TableFitOptions, 'between' | 'fitted' | 'read'>,
    Pick<RowQuestions, 'figures' | 'colours'> {}

/** Most rows whose contributions are listed. */
export const MOST_LISTED_ROWS = 10_000;

/**
 * Answers every question about a table and its principal components in one record: the model, how many components to keep, how stable
 * they are, what they mean, which rows are unusual, and the findings.
 *
 * The model is the one that `pca` fits with the same options. In addition to the solver's passes, the data are read once for the
 * criteria and once for all questions about rows. Rows that fit into a quarter of the memory are kept after the first reading.
 *
 * ```ts
 * const analysis = await analyze(records, { k: 'auto', columns: 'numeric' });
 * console.log(analysis, analysis.kept, analysis.compared?.found.unusual);
 * ```
 */
export function analyze(data: Data | Moments, options: AnalyzeOptions = {}): Promise<Analysis> {
  return keepAlive(async () => {
    checkObject(options);
    const { names, supplementary: beside, columnTransform = 'none', columnNames, missing = 'error' } = options;
    if (data instanceof Moments) return analyzeMoments(data, options);
    const progress = new ProgressTracker(options);
    const gaps = missing !== 'error';
    const predict = predictOptionsOf(missing);
    if (gaps)
      checkOptions({
        missing: predict
          ? fillOptionsFor(predict, typeof predict.k === 'number' ? predict.k : 1)
          : (missing as 'drop' | 'mean'),
      });
    const rows = await openSource(data, progress, columnNames, options.columns === 'numeric', gaps);
    // A method that predicts values sees the table with its options: `analyzeTable` runs it.
    const rule = predict ? 'error' : (missing as 'error' | 'drop' | 'mean');
    if (predict && columnTransform !== 'none') checkedTransform(columnTransform, predict.method);
    const given = { missing: rule, columnNames, weights: options.weights };
    const { source: opened, settings, kept } = await completeRows(rows, given, progress);
    const { weights } = settings;
    try {
      const own = { ...pick(options, 'columnTransform', 'columnNames', 'threads', 'signal', 'onProgress'), weights };
      const encoded = columnTransform === 'none' ? undefined : await encodeTable('pca', opened, own);
      const table = await tableBeside(encoded?.source ?? opened, { names, ...beside, kept }, columnNames);
      const asked = {
        ...omit(options, 'names', 'supplementary', 'columnTransform', 'columns', 'missing'),
        weights,
        ...(predict ? { missing } : {}),
      };
      return encoded
        ? await analyzeTable({ ...table, coding: encoded.coding, fit: encoded.options }, omit(asked, 'columnNames'))
        : await analyzeTable(table, asked);
    } finally {
      await opened.close?.();
    }
  });
}

/** `analyze` for a table whose rows carry their numbers and names, such as files and databases. The caller closes it. */
export function analyzeTable(incomplete: AnalysisTable, given: AnalyzeTableOptions = {}): Promise<Analysis> {
  return keepAlive(async () => {
    const {
      rotate: rotation,
      listRows = true,
      figures,
      colours,
      secondLook: look = true,
      missing: rule,
      ...asked
    } = given;
    const predict = predictOptionsOf(rule);
    const whole = predict
      ? await (await import('./missing/complete-table.js')).completeTable(incomplete, predict, asked)
      : undefined;
    const table = whole?.table ?? incomplete;
    const options = whole ? { ...asked, ...whole.fit } : asked;
    const plain = await fitTable(table, { ...options, scale: options.scale ?? 'auto' });
    const fitted = whole && predict ? await withImputationDraws(plain, whole, predict, options) : plain;
    const kept = keptComponents(fitted, table, options);
    const progress = new ProgressTracker(options);
    const questions = {
      ...{ weights: options.weights, mostListed: listRows ? MOST_LISTED_ROWS : 0, figures, colours },
      memory: memoryOfRows(options.memory),
    };
    const rows = await rowsOfFit(table, fitted, kept, questions, progress);
    const second = look ? await lookAgain(table, fitted, kept, rows, options, progress) : NOT_ASKED;
    const apart = await supplementaryRowsOf(table, fitted.model, progress);
    return recordOf(
      table,
      fitted,
      kept,
      {
        rows,
        second,
        apart,
        listRows,
        rotation,
        missing: whole && withDrawCount(whole, fitted !== plain ? drawsOf(whole, predict) : 0),
      },
      options,
    );
  });
}

/** The number of draws of multiple imputation: those that were asked for, or by the size of the table. */
function drawsOf({ missing, predictor }: CompletedTable, predict: PredictOptions | undefined): number {
  if (!missing || !predictor) return 0;
  const numbers = missing.rows * missing.columns.length;
  return predict?.draws ?? (numbers <= 1e5 ? 20 : numbers <= 1e6 ? 5 : 0);
}

function withDrawCount(whole: CompletedTable, draws: number): CompletedTable {
  return whole.missing ? { ...whole, missing: { ...whole.missing, draws } } : whole;
}

/** Adds the spread of the draws of multiple imputation to the bootstrap. Returns `fitted` itself if nothing is drawn. */
async function withImputationDraws(
  fitted: TableFit,
  whole: CompletedTable,
  predict: PredictOptions,
  options: Omit<AnalyzeTableOptions, 'missing'>,
): Promise<TableFit> {
  const { model } = fitted;
  const asked = options.scale ?? 'auto';
  const scale = asked === 'auto' ? fitted.scaling?.rule : asked;
  const draws = drawsOf(whole, predict);
  const { missing, predictor, given } = whole;
  if (draws < 2 || !missing || !predictor || !model.stability || fitted.between) return fitted;
  const { imputationDraws } = await import('./missing/imputation-draws.js');
  const { poolDraws } = await import('./missing/pool-draws.js');
  const models = await imputationDraws(given, predictor, {
    ...{ draws, fill: fillOptionsFor(predict, missing.k), seed: options.seed ?? 0, signal: options.signal },
    options: {
      ...pick(options, 'center', 'ddof', 'weights', 'columnWeights', 'threads', 'engine'),
      ...(scale === undefined ? {} : { scale }),
      k: model.k,
    },
  });
  return { ...fitted, model: new Model({ ...model, stability: poolDraws(model.stability, model, models) }) };
}

const NOT_ASKED: Reason = { code: 'NOT_ASKED' };

/** Whether few rows made the answer, or the reason why that was not examined. */
async function lookAgain(
  table: AnalysisTable,
  { model, source, between, scaling }: TableFit,
  kept: number,
  rows: RowAnswers | Reason,
  options: AnalyzeTableOptions,
  progress: ProgressTracker,
): Promise<SecondLook | Reason> {
  if (between) return { code: 'GROUP_MEANS' };
  if (model.robust) return { code: 'ROBUST' };
  if (isReason(rows)) return rows;
  const { secondLook } = await import('./robust/second-look.js');
  const { scale = 'auto', missing: _, ...others } = options;
  const asked = { ...others, scale: scale === 'auto' ? (scaling?.rule ?? 'none') : scale, ...table.fit };
  return secondLook({ source, model, kept, facts: rows.facts, coding: table.coding, options: asked }, progress);
}

/** Bytes for what is known of single rows: half of the results, because rows that are read again take the other half. */
export function memoryOfRows(memory: number | undefined): number {
  return new MemoryBudget(memory).share('results') / 2;
}

/** Throws, because a method that predicts values needs the transformed columns, whose missing values would stop the transform. */
function checkedTransform(value: unknown, method: string): never {
  throw new OptionError(
    'BAD_OPTION',
    `columnTransform cannot be combined with missing: '${method}'. Transform the columns first, or use missing: 'drop'.`,
    { option: 'columnTransform', value },
  );
}

/** `analyze` for moments, which have no rows. */
async function analyzeMoments(moments: Moments, options: AnalyzeOptions): Promise<Analysis> {
  if (options.bootstrap !== undefined && options.bootstrap !== 0) throw noRowsToDraw();
  const source = tableWithoutRows(moments, options.columnNames);
  const fitted = await fitTable(source, {
    inspectColumns: true,
    ...omit(options, 'names', 'supplementary', 'listRows', 'rotate', 'missing'),
    scale: options.scale ?? 'auto',
    bootstrap: 0,
    read: async () => moments,
  });
  const noRows: Reason = { code: 'NO_ROWS' };
  const notComputed = { ...fitted.notComputed, stability: noRows };
  const kept = keptComponents(fitted, source, options);
  return recordOf(
    source,
    { ...fitted, notComputed },
    kept,
    { rows: noRows, second: noRows, apart: undefined, listRows: true, rotation: options.rotate },
    options,
  );
}

/** The table of moments: its shape and names, without rows. */
export function tableWithoutRows(
  { rows, cols, columnNames }: { rows?: number | undefined; cols: number; columnNames?: readonly string[] | undefined },
  given?: readonly string[],
): AnalysisTable {
  return {
    source: { rows, cols, dtype: 'float64', rereadable: false, resident: false, blocks: () => [] },
    columns: given ?? columnNames ?? Array.from({ length: cols }, (_, j) => String(j)),
    supplementary: [],
    groups: [],
    leftOut: [],
    dropped: 0,
  };
}

/** The number of kept components: the requested number, or else the recommended one; 0 if no component stands out of noise. */
export function keptComponents(
  { model: { k, choice, variances } }: Pick<TableFit, 'model'>,
  { coding: encoding }: Pick<AnalysisTable, 'coding'>,
  { k: asked }: Pick<AnalyzeOptions, 'k'>,
): number {
  if (asksForComponents(asked)) return k;
  if (!encoding || encoding.method === 'pca') return Math.min(k, choice?.k ?? k);
  return countAboveLimit(variances, encoding);
}

/**
 * Compares the rows of a table with the first k components of its fit: T², Q, their limits, and the rows beyond them. With k = 0 rows
 * are compared with the mean alone. `analyze` does this for the kept components.
 */
export async function compareRows(
  table: AnalysisTable,
  models: Pick<TableFit, 'model' | 'first'>,
  k: number,
  { weights, signal, onProgress, memory }: Pick<AnalyzeOptions, 'weights' | 'signal' | 'onProgress' | 'memory'> = {},
): Promise<ComparedRows | Reason> {
  const reason = whyNotCompared(models.model);
  if (reason) return reason;
  const { source } = table;
  const model = comparedModel(models, k);
  const known = k === 0 ? models.model : models.first(k);
  const questions = {
    ...{ weights, compared: model, supplementary: [], groups: [], mostListed: 0 },
    memory: memoryOfRows(memory),
  };
  const progress = new ProgressTracker({ signal, onProgress });
  const { compared } = await answerRowQuestions(
    known,
    readParts(table, source),
    source.rows ?? known.n,
    questions,
    progress,
  );
  return { model, facts: compared, found: findUnusualRows(model, compared, 'fit') };
}

/** The reason if rows cannot be compared with limits of T² and Q. */
export function whyNotCompared(
  model: Pick<Model, 'totalVariance' | 'singularValues' | 'coding'>,
  kind: RowsOf = 'fit',
): Reason | undefined {
  const { coding: encoding } = model;
  if (!hasVariance(model)) return { code: 'NO_VARIANCE', ...(kind === 'new' ? { details: { rows: kind } } : {}) };
  if (encoding && hasCategories(encoding)) return { code: 'CATEGORIES' };
  return undefined;
}

/** Reads the rows of the fit once, or says why they cannot be read. */
async function rowsOfFit(
  table: AnalysisTable,
  fitted: TableFit,
  kept: number,
  questions: RowsAsked,
  progress: ProgressTracker,
): Promise<RowAnswers | Reason> {
  const { source } = fitted;
  const again = source.rereadable || (table.parts !== undefined && table.source.rereadable);
  return again ? rowsOf(table, fitted, kept, questions, progress) : { code: 'READ_ONCE' };
}

type RowsAsked = Pick<RowQuestions, 'weights' | 'mostListed' | 'figures' | 'colours' | 'memory'>;

/** Reads the rows of a table once and answers all questions about them. */
export async function rowsOf(
  table: AnalysisTable,
  fitted: Pick<TableFit, 'model' | 'first' | 'source' | 'between'>,
  kept: number,
  questions: RowsAsked,
  progress: ProgressTracker,
): Promise<RowAnswers> {
  const { model, source, between } = fitted;
  const compared = between ? model : comparedModel(fitted, kept);
  const known = hasVariance(model);
  const answers = await answerRowQuestions(
    model,
    readParts(table, source, !source.rereadable),
    source.rows ?? model.n,
    {
      ...questions,
      compared,
      supplementary: known ? table.supplementary : [],
      groups: known ? table.groups : [],
      mostListed: between || !known ? 0 : questions.mostListed,
    },
    progress,
  );
  await refuseChanged(table.source);
  return answers;
}

/** The model of the kept components. Components of noise would hide rows that the others do not describe. */
function comparedModel({ model, first }: Pick<TableFit, 'model' | 'first'>, kept: number): ComparedModel {
  if (kept === 0) return withoutComponents(model);
  return kept === model.k ? model : first(kept);
}

/** Facts about each supplementary row. */
export async function supplementaryRowsOf(
  { supplementaryRows: table }: AnalysisTable,
  model: Model,
  progress: ProgressTracker,
): Promise<Listed<SupplementaryRows> | Reason | undefined> {
  if (!table) return undefined;
  if (!hasVariance(model)) return { code: 'NO_VARIANCE' };
  const questions = { supplementary: [], groups: [], mostListed: MOST_LISTED_ROWS };
  let rows = 0;
  const counted = mapAsync(readParts(table, table.source, true), (part) => {
    rows += part.block.rows;
    return part;
  });
  const { listed } = await answerRowQuestions(model, counted, table.source.rows ?? 0, questions, progress);
  if (!listed) return { code: 'MANY_ROWS', details: { rows, most: MOST_LISTED_ROWS } };
  return { ...listed, found: omit(listed.found, 'contributions') };
}

/** The answers about rows, and how to rotate. */
export interface Answers {
  readonly rows: RowAnswers | Reason;
  readonly second: SecondLook | Reason;
  readonly apart: Listed<SupplementaryRows> | Reason | undefined;
  readonly listRows: boolean;
  readonly rotation: RotationMethod | undefined;
  /** The table with its missing values predicted. */
  readonly missing?: CompletedTable | undefined;
  /** Default `'fit'`. */
  readonly kind?: RowsOf;
}

/** Puts the parts of an analysis together. */
export async function recordOf(
  table: AnalysisTable,
  fitted: Omit<TableFit, 'seconds'> & Partial<Pick<TableFit, 'seconds'>>,
  kept: number,
  { rows, second, apart, listRows, rotation, missing, kind = 'fit' }: Answers,
  options: AnalyzeTableOptions,
): Promise<Analysis> {
  const { coding: encoding } = table;
  const plain = fitted.model;
  const stored = withEncoding(plain, encoding);
  const columns = plain.columnVariances ? columnContributions(plain) : [];
  const related = fitted.between ? await correlateWithRows(columns, fitted, options) : columns;
  const turned = await rotated(plain, kept, rotation, options);
  const read = isReason(rows) ? undefined : rows;
  const beside = read?.supplementary ?? { columns: [], groups: [] };
  const facts = {
    columns: nameColumns(related, table.columns),
    ...(kind === 'fit' ? { supplementary: withColours(beside, read?.facts) } : {}),
  };
  const compared = comparedRows(rows, fitted, stored, kept, kind);
  const found: Omit<AnalysisRecord, 'findings'> = {
    table: {
      rows: read?.facts.rows ?? plain.n,
      columns: encoding?.columns.map(({ name }) => name) ?? table.columns,
      leftOut: table.leftOut,
      dropped: table.dropped,
      ...(table.merged ? { parts: table.merged } : {}),
    },
    model: stored,
    kept,
    kind,
    missing: missing?.missing,
    seconds: fitted.seconds,
    columns,
    related,
    meaning: Array.from({ length: plain.k }, (_, c) => componentMeaning(stored, c, facts)),
    coded: encodedMeaning(stored),
    rowFacts: read?.facts,
    compared: isReason(compared) ? undefined : compared,
    secondLook: isReason(second) ? undefined : second,
    rowContributions: read?.listed,
    supplementary: beside,
    covariates: covariateRelations(beside, plain.uniqueness.rank),
    supplementaryRows: isReason(apart) ? undefined : apart,
    rotation: isReason(turned) ? undefined : turned,
    between: fitted.between,
    scaling: fitted.scaling,
    notComputed: reasons({
      ...fitted.notComputed,
      secondLook: isReason(second) ? second : undefined,
      unusual: isReason(compared) ? compared : undefined,
      rows: listRows && !read?.listed ? whyNotListed(rows, fitted) : undefined,
      supplementaryRows: isReason(apart) ? apart : undefined,
      rotation: isReason(turned) ? turned : undefined,
    }),
  };
  const first = (k: number): Model => withEncoding(fitted.first(k), encoding);
  return analysisOf(
    { ...found, findings: findingsOf(found) },
    {
      first,
      rows: (which = 'fit') => allRows(which, table, fitted, options),
      completed: () => completedRows(table, missing),
    },
  );
}

/** Supplementary columns and groups, and the groups by which rows are coloured. */
function withColours({ columns, groups }: Supplementary, facts: RowFacts | undefined): Supplementary {
  const own = facts?.groups;
  return { columns, groups: own && !groups.some(({ name }) => name === own.name) ? [...groups, own] : groups };
}

function comparedRows(
  rows: RowAnswers | Reason,
  fitted: Pick<TableFit, 'model' | 'first' | 'between'>,
  stored: Model,
  kept: number,
  kind: RowsOf,
): ComparedRows | Reason {
  const reason = whyNotCompared(stored, kind);
  if (reason) return reason;
  if (isReason(rows)) return rows;
  if (fitted.between) return { code: 'GROUP_MEANS' };
  const model = comparedModel(fitted, kept);
  return { model, facts: rows.compared, found: findUnusualRows(model, rows.compared, kind) };
}

function whyNotListed(rows: RowAnswers | Reason, { model, between }: Pick<TableFit, 'model' | 'between'>): Reason {
  if (between) return { code: 'GROUP_MEANS' };
  if (!hasVariance(model)) return { code: 'NO_VARIANCE' };
  if (isReason(rows)) return rows;
  return { code: 'MANY_ROWS', details: { rows: rows.facts.rows, most: MOST_LISTED_ROWS } };
}

/** Rotates the kept components. Components of noise would change the rotation. */
async function rotated(
  model: Model,
  kept: number,
  method: RotationMethod | undefined,
  options: AnalyzeTableOptions,
): Promise<Rotation | Reason | undefined> {
  if (method === undefined) return undefined;
  const k = Math.min(kept, model.uniqueness.rank);
  if (!hasVariance(model)) return { code: 'NO_VARIANCE' };
  if (k === 0) return { code: 'NO_STRUCTURE' };
  return rotate(model, { method, k, ...pick(options, 'seed', 'signal', 'onProgress') });
}

/** The columns with their correlations over all rows. Correlations over a few means are large even by chance. */
async function correlateWithRows(
  columns: readonly ColumnContribution[],
  { model, source }: Pick<TableFit, 'model' | 'source'>,
  options: AnalyzeTableOptions,
): Promise<ColumnContribution[]> {
  const control = pick(options, 'signal', 'onProgress');
  const { columns: overRows } = await supplementary(model, source, { columns: source, ...control });
  return columns.map((column, j) => ({ ...column, correlation: overRows[j].correlation }));
}

/** Categories, blocks and inertias of a model of encoded columns. */
function encodedMeaning(model: Model): EncodedMeaning | undefined {
  const { coding: encoding } = model;
  if (!encoding || encoding.method === 'pca') return undefined;
  return {
    categories: categories(model),
    blocks: encoding.method === 'mfa' ? mfaGroups(model) : [],
    inertias: encoding.method === 'mca' && encoding.columns.length > 1 ? adjustedInertias(model) : undefined,
  };
}

/** Reads all rows once more, and fills in what was predicted. */
async function* completedRows(
  table: AnalysisTable,
  whole: CompletedTable | undefined,
): AsyncGenerator<CompletedRows, void, void> {
  const { given = table.source, complete = async (block: Block) => block } = whole ?? {};
  const names = given.columnNames ?? table.columns;
  let first = 0;
  for await (const block of given.blocks()) {
    const { rows, cols } = block;
    const filled = Uint8Array.from(packedRows(block), (value) => (Number.isNaN(value) ? 1 : 0));
    const values = new RowMatrix(rows, cols, Float64Array.from(packedRows(await complete(block))), names);
    const places = Array.from({ length: rows }, (_, i) => first + i);
    first += rows;
    yield { numbers: ((await table.placesOf?.(places)) ?? places).map((place) => place + 1), values, filled };
  }
}

/** Reads all rows once more and yields them with their contributions. */
async function* allRows(
  which: 'fit' | 'supplementary',
  table: AnalysisTable,
  { model, source }: Pick<TableFit, 'model' | 'source'>,
  options: AnalyzeTableOptions,
): AsyncGenerator<AnalysedRows, void, void> {
  const apart = table.supplementaryRows;
  const parts =
    which === 'fit' ? readParts(table, source, true) : apart ? readParts(apart, apart.source, true) : undefined;
  if (!parts) return;
  let part: TablePart | undefined;
  const { cols, columnNames } = source;
  const named = columnNames ? { columnNames } : {};
  const rows = {
    ...{ cols, dtype: 'float64' as const, rereadable: false, resident: false, ...named },
    async *blocks() {
      for await (part of parts) yield part.block;
    },
  };
  const own = { ...(which === 'fit' ? pick(options, 'weights') : {}), ...pick(options, 'signal', 'onProgress') };
  for await (const found of rowContributionBlocks(model, rows, own)) {
    const { places, names } = part as TablePart;
    yield { ...found, numbers: places.map((place) => place + 1), names };
  }
  await refuseChanged(table.source);
}

/**
 * Gives a name to every column, for sentences. A column without a name is called `column "0"`, by its title in the table or by its
 * index.
 */
export function nameColumns(
  columns: readonly ColumnContribution[],
  titles: readonly string[] = [],
): ColumnContribution[] {
  return columns.map((each, j) => ({ ...each, name: each.name ?? `column "${titles[j] ?? j}"` }));
}

function isReason(found: object | undefined): found is Reason {
  return found !== undefined && 'code' in found;
}

function reasons(all: { readonly [Part in AnalysisPart]?: Reason | undefined }): { [Part in AnalysisPart]?: Reason } {
  return pick(all, ...(Object.keys(all) as AnalysisPart[]));
}
