import type { ProgressTracker } from '../base/progress.js';
import { decoded } from '../data/blocks/float16.js';
import { checkBlockWidth, mapSource, type RowSource } from '../data/blocks/row-source.js';
import { fillOptionsOf } from '../data/inputs/missing-option.js';
import { keepRows } from '../data/inputs/open-source.js';
import { type RowWeights, rowWeights } from '../data/statistics/weights.js';
import { DataError, describeColumn } from '../errors.js';
import { rereadable } from '../fit/reading.js';
import { checkOptions, type Settings } from '../options.js';
import { keepRowSet } from '../table/filter-rows.js';
import { GapCounts } from '../table/gap-counts.js';
import { fillMissing, missingIn, rowHasMissing } from '../table/missing-values.js';
import { RowSet } from '../table/row-set.js';
import type { Table } from '../table/table.js';
import { sourceTable, toRowSource } from '../table/to-row-source.js';
import type { Warning } from '../warning.js';
import type { FillReport } from './fill-by-model.js';
import type { FilledFit } from './method.js';

/** The options that `handleMissing` needs. */
export type GapSettings = Pick<Settings, 'missing' | 'weights' | 'columnNames'> & Partial<Settings>;

/** Rows without missing values, and the settings for them. */
export interface CompleteRows<Given> {
  readonly source: RowSource;
  readonly settings: Given;
  /** The rows that were kept; undefined if all were. */
  readonly kept?: RowSet | undefined;
  /** How missing values were predicted; undefined if none was. */
  readonly filled?: FillReport | undefined;
  /** Fills in other blocks of the same rows, and predicts rows. */
  readonly filling?: Pick<FilledFit, 'complete' | 'predictor'> | undefined;
}

/** One reading of a source: which rows are complete, and the mean of the values of each column that are there. */
interface Survey {
  readonly complete: RowSet;
  /** Missing values as `drop` counts them, and as `mean` counts them. */
  readonly dropped: GapCounts;
  readonly filled: GapCounts;
  readonly means: Float64Array;
}

/** The table steps of the option `missing`: one for each rule but 'error', which leaves the source as it is. */
const RULES: Readonly<Record<'drop' | 'mean', (...given: StepInput) => Step>> = {
  drop: (table, { complete, dropped }) => {
    if (complete.chosen > 0) return { table: keepRowSet(table, complete), counts: dropped, kept: complete };
    throw new DataError(
      'EMPTY_DATA',
      "No row is complete: nothing is left when rows with missing values are dropped. Use missing: 'mean', or leave out columns.",
      { reason: 'no-complete-row' },
    );
  },
  mean: (table, { filled, means }, names) => {
    const empty = means.findIndex(Number.isNaN);
    if (empty >= 0) {
      throw new DataError(
        'MISSING_VALUES',
        `Column ${describeColumn(empty, names)} has no value at all, so it has no mean. Leave it out.`,
        { column: empty, ...(names ? { columnName: names[empty] } : {}), reason: 'empty-column' },
      );
    }
    const step = { columns: 'all', values: async () => means, from: 'mean', onRead: () => {} } as const;
    return { table: fillMissing(table, step), counts: filled };
  },
};

type StepInput = [table: Table<never>, survey: Survey, names: readonly string[] | undefined];

interface Step {
  readonly table: Table<never>;
  readonly counts: GapCounts;
  readonly kept?: RowSet;
}

/**
 * Applies the option `missing` to a source whose missing values are NaN. One reading counts them; the rows of a stream are kept for it.
 * Rows in memory are copied without their gaps, and other rows are dropped or filled whenever they are read. Sparse rows are left as
 * they are.
 */
export async function handleMissing<Given extends GapSettings>(
  given: RowSource,
  settings: Given,
  progress: ProgressTracker,
): Promise<CompleteRows<Given>> {
  const done: Given = { ...settings, missing: 'error' };
  if (settings.missing === 'error') return { source: given, settings: done };
  if (given.nonzeros !== undefined) {
    if (given.resident) await refuseSparseGaps(given);
    return { source: given, settings: done };
  }
  try {
    const options = fillOptionsOf(settings.missing);
    if (options) {
      const { fillByModel } = await import('./fill-by-model.js');
      const {
        source,
        settings: own,
        report,
        filled,
      } = await fillByModel(given, { ...checkOptions({}), ...settings }, options, progress);
      return { source, settings: { ...settings, ...changed(own), missing: 'error' }, filled: report, filling: filled };
    }
    const source = await rereadable(given, progress);
    const names = settings.columnNames ?? source.columnNames;
    const weights = rowWeights(settings.weights, source.rows);
    const found = await survey(source, weights, progress);
    if (found.complete.chosen === found.complete.rows) return { source, settings: done };
    const { table, counts, kept } = RULES[settings.missing as 'drop' | 'mean'](
      sourceTable(source) as Table<never>,
      found,
      names,
    );
    const warnings = async (): Promise<Warning[]> => [
      ...((await source.warnings?.()) ?? []),
      ...counts.warnings((column) => names?.[column] ?? `column ${column + 1}`),
    ];
    const rows = toRowSource(table, { warnings });
    const copy = source.resident ? await keepRows(rows, (count) => progress.step(count)) : undefined;
    return {
      source: copy ? mapSource(copy, { warnings, close: async () => rows.close?.() }) : rows,
      settings: { ...done, weights: kept && settings.weights ? keptWeights(settings.weights, kept) : settings.weights },
      kept,
    };
  } catch (error) {
    await given.close?.();
    throw error;
  }
}

/** Throws if sparse rows in memory store a missing value. They have no gaps to drop or fill: entries that are not stored are 0. */
async function refuseSparseGaps(source: RowSource): Promise<void> {
  let first = 0;
  for await (const block of source.blocks()) {
    const at = block.kind === 'sparse' ? block.data.findIndex(Number.isNaN) : -1;
    if (block.kind === 'sparse' && at >= 0) {
      const row = first + block.indptr.findIndex((end) => end > at) - 1;
      const column = block.indices[at];
      await source.close?.();
      throw new DataError(
        'MISSING_VALUES',
        `The sparse rows hold NaN at row ${row + 1}, column ${describeColumn(column, source.columnNames)}, and the option missing is for rows that are not sparse. Leave such rows out, or pass a dense matrix.`,
        { row, column },
      );
    }
    first += block.rows;
  }
}

/** Sums are about the first value of each column, so that data far from zero lose no digits. Rows of weight 0 do not count. */
async function survey(source: RowSource, weights: RowWeights, progress: ProgressTracker): Promise<Survey> {
  const { cols } = source;
  const [complete, dropped, filled] = [new RowSet(), new GapCounts(), new GapCounts()];
  const first = new Float64Array(cols).fill(Number.NaN);
  const [sums, totals] = [new Float64Array(cols), new Float64Array(cols)];
  progress.begin('missing values', source.rows, source.expectedRows);
  for await (const given of source.blocks()) {
    checkBlockWidth(given, source, complete.rows);
    const own = weights.slice(complete.rows, given.rows);
    if (given.kind === 'sparse') {
      for (let i = 0; i < given.rows; i++) complete.push(true);
      continue;
    }
    const block = decoded(given);
    for (let i = 0; i < block.rows; i++) {
      const isComplete = !rowHasMissing(block, i);
      complete.push(isComplete);
      dropped.rows++;
      filled.rows++;
      if (!isComplete) {
        const gaps = missingIn(block, i);
        dropped.drop(gaps);
        for (const j of gaps) filled.fill(j);
      }
      const weight = own ? own[i] : 1;
      for (let j = 0, at = i * block.stride; j < cols && weight > 0; j++, at++) {
        const value = block.data[at];
        if (Number.isNaN(value)) continue;
        if (Number.isNaN(first[j])) first[j] = value;
        sums[j] += weight * (value - first[j]);
        totals[j] += weight;
      }
    }
    const pause = progress.step(block.rows);
    if (pause) await pause;
  }
  weights.end(complete.rows);
  progress.end();
  return { complete, dropped, filled, means: first.map((value, j) => value + sums[j] / totals[j]) };
}

/** The settings that a method of filling may change. */
function changed({ scale, scaling, columnWeights }: Settings): Partial<Settings> {
  return { scale, columnWeights, ...(scaling ? { scaling } : {}) };
}

function keptWeights(weights: ArrayLike<number>, kept: RowSet): Float64Array {
  return Float64Array.from(weights).filter((_, i) => kept.has(i));
}
