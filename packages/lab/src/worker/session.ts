import {
  adviseColumns,
  type ColumnAdvice,
  columnContributions,
  type GroupOutline,
  groupOutlines,
  type Reason,
  type RowShares,
  rowShares,
  tellsRowsApart,
} from '@scree/analysis';
import { DataError, type Matrix, type NumberArray, type RowSource, ScreeError, type Warning } from '@scree/core';
import { openSource } from '@scree/core/data';
import { type NestedModels, nestedModels, ProgressTracker, withDetails } from '@scree/core/pipeline';
import { openOrigin } from '../data/open-origin.js';
import { groupCodes, numberCodes, shadeCodes } from './colour-codes.js';
import { csvOf } from './csv.js';
import { Distances } from './distances.js';
import { FitAnalysis } from './fit-analysis.js';
import { type Control, type ExtraColumn, LoadedTable } from './loaded-table.js';
import {
  type AnalysisReply,
  type Cells,
  type ChooseReply,
  type ColourCodes,
  type ColumnShares,
  type ComparedReply,
  type FarRows,
  type FitReply,
  type FitRequest,
  type MethodName,
  MIN_ELLIPSE_ROWS,
  type Origin,
  type Query,
  type Reply,
  type TableInfo,
} from './messages.js';

/** Components fitted: enough for the scree plot and for any k that a person chooses by hand. */
const MAX_COMPONENTS = 100;
/** Scores kept, of all rows together: with many rows there are fewer components. */
const MAX_SCORES = 5e7;
const MIN_COMPONENTS = 10;

/** Created on first use: it takes longer than starting the rest of the worker. */
let collator: Intl.Collator | undefined;
function compare(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b);
}

type Handlers = { [Name in MethodName]: (query: Query<Name>, control: Control) => Promise<Reply<Name>> };

/** A fit, and what is computed from it. */
interface FitState {
  readonly id: number;
  /** Id of the table. */
  readonly data: number;
  readonly table: LoadedTable;
  readonly models: NestedModels;
  readonly matrix: Matrix<NumberArray>;
  readonly keptRows: Uint32Array | undefined;
  readonly scores: Matrix;
  readonly distances: Distances;
  /** What is computed after the fit. */
  readonly analysis: FitAnalysis;
}

/**
 * The tables and the fits in the worker, and all queries about them.
 *
 * A cancellation may arrive too late, after the work is done. Then the worker has a newer table or fit than the page,
 * which still shows the old one and asks about it. Both therefore have ids, and old ones are released when the page asks
 * about new ones.
 */
export class Session implements Handlers {
  #lastId = 0;
  readonly #tables = new Map<number, LoadedTable>();
  readonly #advice = new Map<number, ColumnAdvice>();
  /** The newest table, until one is fitted. */
  #opened: number | undefined;
  /** The table of the last request for a fit. */
  #requested: number | undefined;
  #newest: FitState | undefined;
  #shown: FitState | undefined;

  async open(origin: Origin, control: Control): Promise<TableInfo> {
    const table = await loadTable(origin, control).catch((error) => {
      throw withFacts(error, { path: origin.name });
    });
    const id = ++this.#lastId;
    this.#tables.set(id, table);
    this.#opened = id;
    await this.#closeUnusedTables();
    return { ...table.info, id };
  }

  async advise(data: number, control: Control): Promise<ColumnAdvice> {
    const table = this.#tables.get(data);
    if (!table) throw new DataError('EMPTY_DATA', 'Open a file first.');
    const advice = await adviseColumns(table.access, control);
    this.#advice.set(data, advice);
    return advice;
  }

  async fit(
    { data, columns, scale, missing, solver, engine = 'auto' }: FitRequest,
    control: Control,
  ): Promise<FitReply> {
    const table = this.#tables.get(data);
    if (!table) throw new DataError('EMPTY_DATA', 'Open a file first.');
    this.#requested = data;
    this.#opened = undefined;
    await this.#closeUnusedTables();
    const { info } = table;
    const names = columns.map((column) => info.columns[column].name);
    const named = (error: unknown): unknown => withColumnName(error, names);
    const selection = await table.select(columns, missing).catch((error) => {
      throw named(error);
    });
    const { matrix, keptRows, incompleteRows, warnings, explain } = selection;
    const most = Math.max(MIN_COMPONENTS, Math.floor(MAX_SCORES / matrix.rows));
    const k = Math.max(1, Math.min(matrix.cols, matrix.rows - 1, MAX_COMPONENTS, most));
    // Column numbers are not names: the model of an array has no names, as with the command.
    const columnNames = info.named && new Set(names).size === names.length ? { columnNames: names } : {};
    const started = performance.now();
    const rows = await withWarnings(matrix, warnings);
    const models = await nestedModels(rows, { k, scale, solver, engine, ...columnNames, ...control }).catch(
      async (error) => {
        throw named(await explain(error));
      },
    );
    const milliseconds = performance.now() - started;
    const { model } = models;
    const scores = await model.transform(matrix, control);
    const distances = await Distances.of(model, matrix, scores, control);
    throwIfCancelled(control);
    const id = ++this.#lastId;
    const { leftOut = [] } = this.#advice.get(data) ?? {};
    const identifiers = new Set(leftOut.flatMap(({ column, reason }) => (tellsRowsApart(reason) ? [column] : [])));
    const analysis = new FitAnalysis({ table, models, matrix, scale, keptRows, columns, identifiers });
    this.#newest = { id, data, table, models, matrix, keptRows, scores, distances, analysis };
    return { id, model: model.toBinary(), incompleteRows, milliseconds, ...(keptRows ? { keptRows } : {}) };
  }

  /** The queries that follow are about this fit. */
  show(id: number): void {
    if (this.#newest?.id === id && this.#shown !== this.#newest) {
      this.#shown = this.#newest;
      void this.#closeUnusedTables();
    }
    if (this.#shown?.id !== id) throw new DataError('EMPTY_DATA', 'That model is no longer there.');
  }

  async scores(component: number): Promise<Float64Array> {
    return scoresOn(this.#currentFit().scores, component);
  }

  async distances({ rows, k }: Query<'distances'>): Promise<Float64Array> {
    const { distances } = this.#currentFit();
    return Float64Array.from(rows, (row) => distances.at(row, k));
  }

  async distanceColours(k: number): Promise<ColourCodes> {
    return shadeCodes(this.#currentFit().distances.all(k));
  }

  async shareColours({ of, components }: Query<'shareColours'>, control: Control): Promise<ColourCodes> {
    const { models, matrix } = this.#currentFit();
    const shares = await rowShares(modelUpTo(models, components), matrix, components, control);
    // Of cos² the whole scale means something: 0 is not shown at all, 1 completely.
    return of === 'cos2' ? shadeCodes(shares.cos2, { low: 0, high: 1 }) : shadeCodes(shares.contribution);
  }

  async rowShares({ rows, components }: Query<'rowShares'>, control: Control): Promise<RowShares> {
    const { models, matrix } = this.#currentFit();
    const { cols, data } = matrix;
    const some = rows.map((row) => Array.from(data.subarray(row * cols, (row + 1) * cols)));
    const values = { rows: rows.length, cols, data: Float64Array.from(some.flat()) };
    return rowShares(modelUpTo(models, components), values, components, control);
  }

  async columnShares(components: readonly number[]): Promise<ColumnShares> {
    const columns = columnContributions(modelUpTo(this.#currentFit().models, components));
    const lines = (values: 'correlation' | 'cos2' | 'contribution'): Float64Array =>
      Float64Array.from(components.flatMap((c) => columns.map((column) => column[values][c])));
    return { correlation: lines('correlation'), cos2: lines('cos2'), contribution: lines('contribution') };
  }

  async outlines(
    { column, components, kind, level }: Query<'outlines'>,
    control: Control,
  ): Promise<readonly GroupOutline[]> {
    const [x, y] = components.map((component) => scoresOn(this.#currentFit().scores, component));
    const found = await this.colourCodes(column);
    if (found.kind !== 'groups') return [];
    const { codes, names, others, missing } = found;
    const outlines = await groupOutlines(
      { scores: [x, y], codes, groups: names.length, kind, level, fewest: MIN_ELLIPSE_ROWS },
      control,
    );
    // Rows without a value and the remaining groups that share a colour are no groups.
    return outlines.filter(({ group }) => group !== missing && !(others && group === names.length - 1));
  }

  async farRows(k: number): Promise<FarRows> {
    return this.#currentFit().distances.far(k);
  }

  async choose(_: null, control: Control): Promise<ChooseReply> {
    return this.#currentFit().analysis.choose(control);
  }

  async analysis({ label }: Query<'analysis'>, control: Control): Promise<AnalysisReply> {
    return this.#currentFit().analysis.analyze(label, control);
  }

  async compare({ k, label }: Query<'compare'>, control: Control): Promise<ComparedReply | Reason> {
    return this.#currentFit().analysis.compare(k, label, control);
  }

  async modelOf(k: number): Promise<Uint8Array> {
    return this.#currentFit().models.first(k).toBinary();
  }

  async exportedModel(k: number): Promise<Uint8Array> {
    return this.#currentFit().analysis.exported(k).toBinary();
  }

  async colourCodes(column: number): Promise<ColourCodes> {
    const { table } = this.#currentFit();
    const rows = this.#tableRows();
    const numbers = table.column(column);
    if (numbers) return numberCodes(Float64Array.from({ length: rows.length }, (_, i) => numbers.at(rows.at(i))));
    const texts = await table.texts(column);
    return groupCodes(
      Array.from({ length: rows.length }, (_, i) => texts[rows.at(i)]),
      compare,
    );
  }

  async cells({ rows, columns }: Query<'cells'>): Promise<Cells> {
    const { table } = this.#currentFit();
    const tableRows = this.#tableRows();
    const readers = await Promise.all(
      columns.map(async (column) => {
        const numbers = table.column(column);
        if (numbers) return (row: number) => numbers.format(row) ?? '';
        const texts = await table.texts(column);
        return (row: number) => texts[row] ?? '';
      }),
    );
    return rows.map((row) => readers.map((cell) => cell(tableRows.at(row))));
  }

  async row(index: number): Promise<Float64Array> {
    const { data, cols } = this.#currentFit().matrix;
    return Float64Array.from(data.subarray(index * cols, (index + 1) * cols));
  }

  async search({ text, columns, limit }: Query<'search'>): Promise<Uint32Array> {
    const { table } = this.#currentFit();
    const rows = this.#tableRows();
    const wanted = text.trim().toLowerCase();
    const found = new Set<number>();
    if (wanted === '') return new Uint32Array();
    const number = /^#?\d+$/.test(wanted) ? Number(wanted.replace('#', '')) : undefined;
    for (let i = 0; number !== undefined && i < rows.length; i++) if (rows.at(i) + 1 === number) found.add(i);
    for (const column of columns) {
      const texts = await table.texts(column);
      for (let i = 0; i < rows.length && found.size < limit; i++) {
        if (texts[rows.at(i)]?.toLowerCase().includes(wanted)) found.add(i);
      }
    }
    return Uint32Array.from([...found].sort((a, b) => a - b));
  }

  async scoresCsv({ k, labels }: Query<'scoresCsv'>): Promise<Blob> {
    const { table, scores } = this.#currentFit();
    const rows = this.#tableRows();
    const texts = await Promise.all(labels.map((column) => table.texts(column)));
    const names = ['row', ...labels.map((column) => table.info.columns[column].name)];
    for (let c = 1; c <= k; c++) names.push(`PC${c}`);
    return csvOf(names, rows.length, (i) => [
      rows.at(i) + 1,
      ...texts.map((text) => text[rows.at(i)] ?? ''),
      ...scores.data.subarray(i * scores.cols, i * scores.cols + k),
    ]);
  }

  async sample({ rows, components }: Query<'sample'>): Promise<Float64Array> {
    const { data, rows: n, cols } = this.#currentFit().scores;
    const count = Math.min(rows, n);
    const width = Math.min(components, cols);
    return Float64Array.from({ length: count * width }, (_, at) => {
      const row = Math.floor((Math.floor(at / width) * n) / count);
      return data[row * cols + (at % width)];
    });
  }

  #currentFit(): FitState {
    if (!this.#shown) throw new DataError('EMPTY_DATA', 'There is no model yet.');
    return this.#shown;
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

  /** Rows of the fit as rows of the table. */
  #tableRows(): { readonly length: number; at(index: number): number } {
    const { keptRows, matrix } = this.#currentFit();
    return { length: matrix.rows, at: keptRows ? (i) => keptRows[i] : (i) => i };
  }
}

/** Scores of all rows on one component. */
function scoresOn({ data, rows, cols }: Matrix, component: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => data[i * cols + component]);
}

/** The model of the first components, as many as these need. */
function modelUpTo({ first }: NestedModels, components: readonly number[]): NestedModels['model'] {
  return first(Math.max(...components) + 1);
}

async function loadTable(origin: Origin, control: Control): Promise<LoadedTable> {
  const content = await fetchContent(origin, control);
  const labels = origin.kind === 'url' ? origin.labels : undefined;
  const extra = labels && (await loadLabels(labels, control));
  const table = await openOrigin(content, origin.name);
  try {
    const loaded = await LoadedTable.read(table, origin.name, extra, control);
    throwIfCancelled(control);
    return loaded;
  } catch (error) {
    await table.close();
    throw error;
  }
}

async function fetchContent(origin: Origin, { signal }: Control): Promise<Blob | Uint8Array> {
  if (origin.kind === 'blob') return origin.blob;
  if (origin.kind === 'text') return new TextEncoder().encode(origin.text);
  const response = await fetch(origin.url, signal ? { signal } : {});
  if (!response.ok) {
    throw new DataError('NO_FILE', `${origin.name} could not be fetched: the server answered ${response.status}.`);
  }
  return response.blob();
}

function throwIfCancelled({ signal }: Control): void {
  if (signal?.aborted) throw signal.reason;
}

/** The matrix as a source whose model has these warnings. */
async function withWarnings(
  matrix: Matrix<NumberArray>,
  warnings: readonly Warning[],
): Promise<Matrix<NumberArray> | RowSource> {
  if (warnings.length === 0) return matrix;
  const source = await openSource(matrix, new ProgressTracker({}));
  return {
    ...source,
    sample: source.sample,
    warnings: async () => [...warnings, ...((await source.warnings?.()) ?? [])],
  };
}

/** Labels of pictures, from a file of their own. */
async function loadLabels({ name, url }: { name: string; url: string }, control: Control): Promise<ExtraColumn> {
  const table = await openOrigin(await fetchContent({ kind: 'url', name, url }, control), name);
  try {
    const labels = await LoadedTable.read(table, name, undefined, control);
    const column = labels.column(0);
    if (!column) throw new DataError('NOT_A_NUMBER', `${name} holds no numbers.`);
    return { name, numbers: Float64Array.from({ length: labels.rows }, (_, i) => column.at(i)) };
  } finally {
    await table.close();
  }
}

/** The error with more facts; errors of other kinds, such as a cancellation, are left as they are. */
function withFacts(error: unknown, details: ScreeError['details']): unknown {
  return error instanceof ScreeError ? withDetails(error, details) : error;
}

/** The error with the name of the column that it is about. */
function withColumnName(error: unknown, names: readonly string[]): unknown {
  const column = error instanceof ScreeError ? error.details.column : undefined;
  return column === undefined ? error : withFacts(error, { columnName: names[column] });
}
