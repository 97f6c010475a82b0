import { DataError, type Model, type Progress, type TableData } from '@scree/core';
import { openForModel } from '@scree/core/data';
import { checkObject, checkOption, keepAlive, ProgressTracker } from '@scree/core/pipeline';
import type { Analysis } from './analysis.js';
import {
  type AnalyzeTableOptions,
  keptComponents,
  MOST_LISTED_ROWS,
  memoryOfRows,
  recordOf,
  rowsOf,
  supplementaryRowsOf,
} from './analyze.js';
import { checkModel } from './check-model.js';
import { whyNoChoice } from './choice-and-stability.js';
import { plural } from './describe/numbers.js';
import { pick } from './fields.js';
import { withoutEncoding } from './methods/with-encoding.js';
import type { RowLabels } from './reading/aligned.js';
import type { AnalysisTable } from './reading/analysis-table.js';
import { tableBeside } from './reading/table-beside.js';
import type { NotComputed } from './reasons.js';
import type { RowsOf } from './rows/row-limits.js';
import { areRowsOfFit } from './rows/unusual-rows.js';

/** Options of `analyzeModel`. */
export interface AnalyzeModelOptions
  extends Pick<AnalyzeTableOptions, 'figures' | 'colours' | 'listRows' | 'rotate' | 'seed' | 'memory'> {
  /**
   * `'fit'` if the model was fitted to these rows, otherwise `'new'`. Default: `'fit'` if the number of rows and their sums of squares
   * agree with the model. Rows of a weighted fit then count as new.
   */
  readonly rows?: RowsOf | undefined;
  /** The number of kept components. Default: the number that the model recommends, or all of them. */
  readonly kept?: number | undefined;
  /** One name per row, if the data do not carry names. */
  readonly names?: RowLabels | undefined;
  /** The weights of the rows in the fit. */
  readonly weights?: ArrayLike<number> | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The record of `analyze` for a fitted model and the rows of its fit, or other rows. The rows are read once. The number of components
 * and their stability are in the record if the model has them.
 *
 * `data` is the user's own rows, which the model encodes if it has an encoding; or a table whose `source` is encoded already. The
 * caller closes a table.
 */
export function analyzeModel(
  model: Model,
  data: TableData | AnalysisTable,
  options: AnalyzeModelOptions = {},
): Promise<Analysis> {
  checkModel(model);
  checkObject(options);
  const { rows, kept } = options;
  checkOption('rows', rows ?? 'fit', { must: "'fit' or 'new'", test: (v) => v === 'fit' || v === 'new' });
  checkOption('kept', kept ?? 0, {
    must: `a whole number from 0 to ${model.k}`,
    test: (v) => Number.isInteger(v) && (v as number) >= 0 && (v as number) <= model.k,
  });
  return keepAlive(async () => {
    const progress = new ProgressTracker(options);
    if (isTable(data)) return analyzeRows(model, data, options, progress);
    const opened = await openForModel(data, model, progress);
    try {
      const table = await tableBeside(opened, { names: options.names }, model.columnNames);
      return await analyzeRows(model, { ...table, coding: model.coding }, options, progress);
    } finally {
      await opened.close?.();
    }
  });
}

function isTable(data: TableData | AnalysisTable): data is AnalysisTable {
  return typeof data === 'object' && data !== null && 'source' in data && 'leftOut' in data;
}

async function analyzeRows(
  stored: Model,
  table: AnalysisTable,
  options: AnalyzeModelOptions,
  progress: ProgressTracker,
): Promise<Analysis> {
  const { rows: asked, kept: wanted, weights, figures, colours, listRows = true, rotate: rotation } = options;
  const { source } = table;
  if (source.cols !== stored.d) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `These rows have ${plural(source.cols, 'column')}, but the model was fitted to ${stored.d}. Pass the same columns in the same order.`,
      { value: source.cols, expected: stored.d },
    );
  }
  const model = withoutEncoding(stored);
  const first = (k: number): Model => model.first(k);
  const fitted = { model, first, source, notComputed: unknownOf(stored) };
  const kept = wanted ?? keptComponents(fitted, table, {});
  const mostListed = listRows ? MOST_LISTED_ROWS : 0;
  const memory = memoryOfRows(options.memory);
  const rows = await rowsOf(table, fitted, kept, { weights, figures, colours, mostListed, memory }, progress);
  const apart = await supplementaryRowsOf(table, model, progress);
  const kind = asked ?? (areRowsOfFit(model, rows.facts) ? 'fit' : 'new');
  return recordOf(
    { ...table, coding: stored.coding },
    fitted,
    kept,
    { rows, second: { code: 'STORED' }, apart, listRows, rotation, kind },
    pick(options, 'figures', 'colours', 'listRows', 'rotate', 'seed', 'weights', 'signal', 'onProgress'),
  );
}

/** Reasons for a choice and a stability that a model does not have. */
function unknownOf(model: Model): NotComputed {
  return {
    ...(model.choice ? {} : { choice: whyNoChoice(model, model.coding) ?? { code: 'STORED' } }),
    ...(model.stability ? {} : { stability: { code: 'STORED' } }),
  };
}
