import { adviseColumns, type ColumnAdvice, RowDistances, tellsRowsApart } from '@scree/analysis';
import { DataError, type Matrix, type NumberArray, type RowSource, ScreeError, type Warning } from '@scree/core';
import { mapSource, matrixSource } from '@scree/core/data';
import { nestedModels, withDetails } from '@scree/core/pipeline';
import { FitAnalysis } from './fit-analysis.js';
import { FitQueries } from './fit-queries.js';
import { loadTable, throwIfCancelled } from './load-table.js';
import type { LoadedTable } from './loaded-table.js';
import type { Control, DataOrigin, FitReply, FitRequest, Handlers, SessionMethods, TableInfo } from './messages.js';
import { withTableRow } from './rows-to-fit.js';

/** Components fitted: enough for the scree plot and for any k that a person chooses by hand. */
const MAX_COMPONENTS = 100;
/** Scores kept, of all rows together: with many rows there are fewer components. */
const MAX_SCORES = 5e7;
const MIN_COMPONENTS = 10;

/**
 * The tables and the fits in the worker.
 *
 * A cancellation may arrive too late, after the work is done. Then the worker has a newer table or fit than the page,
 * which still shows the old one and asks about it. Both therefore have ids, and old ones are released when the page asks
 * about new ones.
 */
export class Session implements Handlers<SessionMethods> {
  #lastId = 0;
  readonly #tables = new Map<number, LoadedTable>();
  readonly #advice = new Map<number, ColumnAdvice>();
  /** The newest table, until one is fitted. */
  #opened: number | undefined;
  /** The table of the last request for a fit. */
  #requested: number | undefined;
  #newest: FitQueries | undefined;
  #shown: FitQueries | undefined;

  async open(origin: DataOrigin, control: Control): Promise<TableInfo> {
    const table = await loadTable(origin, control).catch((error) => {
      throw error instanceof ScreeError ? withDetails(error, { path: origin.name }) : error;
    });
    const id = ++this.#lastId;
    this.#tables.set(id, table);
    this.#opened = id;
    await this.#closeUnusedTables();
    return { ...table.info, id };
  }

  async advise(data: number, control: Control): Promise<ColumnAdvice> {
    const advice = await adviseColumns(this.#table(data).access, control);
    this.#advice.set(data, advice);
    return advice;
  }

  async fit(request: FitRequest, control: Control): Promise<FitReply> {
    const { data, columns, scale, missing, solver, engine = 'auto' } = request;
    const table = this.#table(data);
    this.#requested = data;
    this.#opened = undefined;
    await this.#closeUnusedTables();
    const { info } = table;
    const names = columns.map((column) => info.columns[column].name);
    const rows = await table.rowsToFit(columns, missing).catch((error) => {
      throw withColumnName(error, names);
    });
    const { matrix, keptRows, incompleteRows, warnings } = rows;
    const most = Math.max(MIN_COMPONENTS, Math.floor(MAX_SCORES / matrix.rows));
    const k = Math.max(1, Math.min(matrix.cols, matrix.rows - 1, MAX_COMPONENTS, most));
    // Column numbers are not names: the model of an array has no names, as with the command.
    const columnNames = info.named && new Set(names).size === names.length ? { columnNames: names } : {};
    const options = { k, scale, solver, engine, ...columnNames, ...control };
    const started = performance.now();
    const models = await nestedModels(withWarnings(matrix, warnings), options).catch((error) => {
      throw withColumnName(withTableRow(error, keptRows, info.name), names);
    });
    const milliseconds = performance.now() - started;
    const { model } = models;
    const scores = await model.transform(matrix, control);
    const distances = await RowDistances.of(model, matrix, scores, control);
    throwIfCancelled(control);
    const id = ++this.#lastId;
    const { leftOut = [] } = this.#advice.get(data) ?? {};
    const identifiers = new Set(leftOut.flatMap(({ column, reason }) => (tellsRowsApart(reason) ? [column] : [])));
    const analysis = new FitAnalysis({ table, models, matrix, scale, keptRows, columns, identifiers });
    this.#newest = new FitQueries({ id, data, table, models, matrix, keptRows, scores, distances, analysis });
    return { id, model: model.toBinary(), incompleteRows, milliseconds, ...(keptRows ? { keptRows } : {}) };
  }

  /** Shows a fit: the queries that follow are about it. */
  show(id: number): void {
    if (this.#newest?.id === id && this.#shown !== this.#newest) {
      this.#shown = this.#newest;
      void this.#closeUnusedTables();
    }
    if (this.#shown?.id !== id) throw new DataError('EMPTY_DATA', 'That model is no longer there.');
  }

  /** The fit that the page shows. */
  get shown(): FitQueries {
    if (!this.#shown) throw new DataError('EMPTY_DATA', 'There is no model yet.');
    return this.#shown;
  }

  #table(id: number): LoadedTable {
    const table = this.#tables.get(id);
    if (!table) throw new DataError('EMPTY_DATA', 'Open a file first.');
    return table;
  }

  /** Closes the tables that no query can be about any more. */
  async #closeUnusedTables(): Promise<void> {
    const used = new Set([this.#opened, this.#requested, this.#newest?.data, this.#shown?.data]);
    for (const [id, table] of [...this.#tables]) {
      if (used.has(id)) continue;
      this.#tables.delete(id);
      this.#advice.delete(id);
      await table.close();
    }
  }
}

/** The matrix as a source whose model has these warnings. */
function withWarnings(matrix: Matrix<NumberArray>, warnings: readonly Warning[]): Matrix<NumberArray> | RowSource {
  if (warnings.length === 0) return matrix;
  const source = matrixSource(matrix);
  return mapSource(source, { warnings: async () => [...warnings, ...((await source.warnings?.()) ?? [])] });
}

/** The error with the name of the column that it is about. */
function withColumnName(error: unknown, names: readonly string[]): unknown {
  const column = error instanceof ScreeError ? error.details.column : undefined;
  return column === undefined ? error : withDetails(error as ScreeError, { columnName: names[column] });
}
