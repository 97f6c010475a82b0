import { OptionError, type RowSource } from '@scree/core';
import { type Block, hasCategories, mapAsync, mapSource } from '@scree/core/data';
import { checkOptions, completeRows, type FillReport, type Predictor, ProgressTracker } from '@scree/core/pipeline';
import { pick } from '../fields.js';
import type { TableFitOptions } from '../fit-table.js';
import type { AnalysisTable } from '../reading/analysis-table.js';
import { rememberRows } from '../reading/remember-rows.js';
import { gapGcv, observedResidual } from './choose-fill-k.js';
import { type GapSummary, gapSummary } from './gap-summary.js';
import { fillOptionsFor, type PredictOptions } from './missing-options.js';

/** What was missing in a table, and how it was filled in. */
export interface MissingValuesRecord
  extends Pick<FillReport, 'method' | 'k' | 'iterations' | 'converged' | 'change'>,
    GapSummary {
  /** GCV of 0, 1, 2, … components, if k was chosen by it. null where the values do not suffice. */
  readonly gcv?: readonly (number | null)[];
  /** Draws of multiple imputation that widened the intervals of the bootstrap. */
  readonly draws: number;
}

/** A table whose missing values were predicted. */
export interface CompletedTable {
  readonly table: AnalysisTable;
  /** Options that the fit must have, such as fixed scales. */
  readonly fit: Pick<TableFitOptions, 'scale' | 'columnWeights'>;
  /** The rows as they were given, with NaN for missing values, kept in memory if they are few. */
  readonly given: RowSource;
  /** A block of `given` with its missing values filled in. */
  readonly complete?: (block: Block) => Promise<Block>;
  readonly missing: MissingValuesRecord | undefined;
  readonly predictor: Predictor | undefined;
}

/** Most components that k: 'auto' tries. */
const MOST_TRIED = 10;
/** The search ends after this many values of k that did not improve. */
const PATIENCE = 3;

type Control = Pick<
  TableFitOptions,
  | 'scale'
  | 'center'
  | 'ddof'
  | 'weights'
  | 'columnWeights'
  | 'threads'
  | 'engine'
  | 'seed'
  | 'memory'
  | 'signal'
  | 'onProgress'
>;

/** Predicts the missing values of a table. Returns the table itself if it has none. */
export async function completeTable(
  table: AnalysisTable,
  options: PredictOptions,
  control: Control,
): Promise<CompletedTable> {
  refuseCategories(table, options);
  const progress = new ProgressTracker(pick(control, 'signal', 'onProgress'));
  const given = table.source.resident ? table.source : rememberRows(table.source, (control.memory ?? 1e9) / 8);
  const summary = await gapSummary(given, table.source.columnNames ?? table.columns);
  const fit = pick(control, 'scale', 'columnWeights');
  // Values are predicted in units of standard deviations, unless another scaling was asked for.
  const { scale: asked = 'auto' } = control;
  const scale = asked === 'auto' ? 'unit' : asked;
  if (summary.values === 0)
    return { table: { ...table, source: given }, fit, given, missing: undefined, predictor: undefined };
  const settings = checkOptions({
    ...pick(control, 'center', 'ddof', 'weights', 'columnWeights', 'threads', 'engine', 'seed'),
    scale,
  });
  const run = (k: number): ReturnType<typeof completeRows> =>
    completeRows(mapSource(given, { close: () => {} }), { ...settings, missing: fillOptionsFor(options, k) }, progress);
  const { k = 'auto' } = options;
  const chosen = k === 'auto' ? await chooseK(given, summary, options, run) : { k, rows: await run(k) };
  const { source, settings: own, filled, filling } = chosen.rows;
  if (!filled || !filling) throw new TypeError('values are missing, and none was predicted');
  const record: MissingValuesRecord = {
    method: filled.method,
    k: filled.k,
    iterations: filled.iterations,
    converged: filled.converged,
    change: filled.change,
    ...summary,
    ...('gcv' in chosen ? { gcv: chosen.gcv } : {}),
    draws: 0,
  };
  const { parts, supplementaryRows: apart } = table;
  const complete = filling.complete;
  const completed: AnalysisTable = Object.create(table, {
    source: { value: source, enumerable: true },
    ...(parts
      ? {
          parts: {
            value: () => mapAsync(parts.call(table), async (part) => ({ ...part, block: await complete(part.block) })),
          },
        }
      : {}),
    ...(apart ? { supplementaryRows: { value: completedBy(apart, complete) } } : {}),
  });
  return {
    table: completed,
    // EM keeps the scales of the observed values.
    fit:
      filled.method === 'em' && own.scale !== undefined ? { scale: own.scale, columnWeights: own.columnWeights } : fit,
    given,
    complete,
    missing: record,
    predictor: filling.predictor,
  };
}

/** Other rows of the table, whose missing values the same model predicts. */
function completedBy(
  table: AnalysisTable,
  complete: (block: Parts['block']) => Promise<Parts['block']>,
): AnalysisTable {
  const { parts, source } = table;
  return Object.create(table, {
    source: { value: mapSource(source, { blocks: () => mapAsync(source.blocks(), complete), resident: false }) },
    ...(parts
      ? {
          parts: {
            value: () => mapAsync(parts.call(table), async (part) => ({ ...part, block: await complete(part.block) })),
          },
        }
      : {}),
  });
}

type Parts = NonNullable<AnalysisTable['parts']> extends () => AsyncIterable<infer Part> ? Part : never;

/** Tries 1, 2, … components and returns the rows of the smallest GCV. */
async function chooseK(
  given: RowSource,
  { rows, values, columns }: GapSummary,
  { method }: PredictOptions,
  run: (k: number) => ReturnType<typeof completeRows>,
): Promise<{ k: number; rows: Awaited<ReturnType<typeof completeRows>>; gcv: readonly (number | null)[] }> {
  const d = columns.length;
  const unit = await observedDeviations(given);
  const none = await observedResidual(given, unit.deviation, { mean: unit.mean });
  const tried: number[] = [gapGcv(none.square, none.values, rows, d, 0)];
  let best: { k: number; rows: Awaited<ReturnType<typeof completeRows>>; value: number } | undefined;
  const most = Math.max(1, Math.min(MOST_TRIED, d - 1, rows - 2));
  for (let k = 1; k <= most; k++) {
    if (k > 1 && gapGcv(1, rows * d - values, rows, d, k) === Number.POSITIVE_INFINITY) break;
    const found = await run(k);
    const { predictor } = found.filling ?? {};
    // NIPALS has no model of the rows: two components, as missMDA does by default.
    if (!predictor) return { k: 2, rows: k === Math.min(2, most) ? found : await run(Math.min(2, most)), gcv: [] };
    const { square } = await observedResidual(given, unit.deviation, predictor);
    const value = gapGcv(square, none.values, rows, d, k);
    tried.push(value);
    if (!best || value < best.value) best = { k, rows: found, value };
    else if (k - best.k >= PATIENCE) break;
  }
  if (!best) throw new TypeError(`no component was tried for ${method}`);
  return { k: best.k, rows: best.rows, gcv: tried.map((value) => (Number.isFinite(value) ? value : null)) };
}

/** Mean and standard deviation of the observed values of each column; 1 for a constant column. */
async function observedDeviations(source: RowSource): Promise<{ mean: Float64Array; deviation: Float64Array }> {
  const { cols } = source;
  const [first, sum, square, count] = [Number.NaN, 0, 0, 0].map((value) => new Float64Array(cols).fill(value));
  for await (const block of source.blocks()) {
    if (block.kind === 'sparse' || block.half) continue;
    for (let i = 0; i < block.rows; i++) {
      for (let j = 0; j < cols; j++) {
        const value = block.data[i * block.stride + j];
        if (Number.isNaN(value)) continue;
        if (Number.isNaN(first[j])) first[j] = value;
        const x = value - first[j];
        sum[j] += x;
        square[j] += x * x;
        count[j]++;
      }
    }
  }
  return {
    mean: first.map((value, j) => value + sum[j] / count[j]),
    deviation: square.map((value, j) => Math.sqrt(Math.max(0, value - (sum[j] * sum[j]) / count[j]) / count[j]) || 1),
  };
}

function refuseCategories({ coding: encoding }: AnalysisTable, { method }: PredictOptions): void {
  if (!encoding) return;
  const what = hasCategories(encoding) ? 'categories' : 'transformed columns';
  throw new OptionError(
    'BAD_OPTION',
    `missing: '${method}' predicts columns of numbers, and this table has ${what}. ${hasCategories(encoding) ? "Use missing: 'level' or 'mean' of famd and mca" : 'Transform the columns first'}, or missing: 'drop'.`,
    { option: 'missing', value: method },
  );
}
