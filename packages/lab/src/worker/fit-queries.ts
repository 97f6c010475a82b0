import {
  columnContributions,
  type FarthestRows,
  type GroupOutline,
  groupOutlines,
  type Reason,
  type RowDistances,
  type RowShares,
  type RowsOfTable,
  rowShares,
} from '@scree/analysis';
import type { Matrix, NumberArray } from '@scree/core';
import type { NestedModels } from '@scree/core/pipeline';
import { groupCodes, numberCodes, shadeCodes } from './colour-codes.js';
import { csvOf } from './csv.js';
import type { FitAnalysis } from './fit-analysis.js';
import type { LoadedTable } from './loaded-table.js';
import {
  type AnalysisReply,
  type Cells,
  type ChooseReply,
  type ColourCodes,
  type ColumnShares,
  type ComparedReply,
  type Control,
  type FitMethods,
  type Handlers,
  MIN_ELLIPSE_ROWS,
  type Query,
} from './messages.js';

/** Cache: a collator takes longer to create than the rest of the worker takes to start. */
let collator: Intl.Collator | undefined;
function compareNames(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b);
}

/** A fit, and what is computed from it. */
export interface FitState {
  readonly id: number;
  /** Id of the table. */
  readonly data: number;
  readonly table: LoadedTable;
  readonly models: NestedModels;
  readonly matrix: Matrix<NumberArray>;
  readonly keptRows: Uint32Array | undefined;
  readonly scores: Matrix;
  readonly distances: RowDistances;
  /** The analysis, which is computed after the fit. */
  readonly analysis: FitAnalysis;
}

/** The queries of the page about one fit. */
export class FitQueries implements Handlers<FitMethods> {
  readonly id: number;
  readonly data: number;
  readonly #fit: FitState;
  /** Rows of the fit as rows of the table. */
  readonly #tableRows: RowsOfTable;

  constructor(fit: FitState) {
    const { id, data, keptRows, matrix } = fit;
    this.id = id;
    this.data = data;
    this.#fit = fit;
    this.#tableRows = { length: matrix.rows, at: keptRows ? (i) => keptRows[i] : (i) => i };
  }

  async scores(component: number): Promise<Float64Array> {
    return scoresOn(this.#fit.scores, component);
  }

  async distances({ rows, k }: Query<'distances'>): Promise<Float64Array> {
    const { distances } = this.#fit;
    return Float64Array.from(rows, (row) => distances.at(row, k));
  }

  async distanceColours(k: number): Promise<ColourCodes> {
    return shadeCodes(this.#fit.distances.all(k));
  }

  async shareColours({ of, components }: Query<'shareColours'>, control: Control): Promise<ColourCodes> {
    const { models, matrix } = this.#fit;
    const shares = await rowShares(modelUpTo(models, components), matrix, components, control);
    // cos² has a fixed scale: 0 means that the components show nothing of a row, and 1 that they show it completely.
    return of === 'cos2' ? shadeCodes(shares.cos2, { low: 0, high: 1 }) : shadeCodes(shares.contribution);
  }

  async rowShares({ rows, components }: Query<'rowShares'>, control: Control): Promise<RowShares> {
    const { models, matrix } = this.#fit;
    const { cols, data } = matrix;
    const some = rows.map((row) => Array.from(data.subarray(row * cols, (row + 1) * cols)));
    const values = { rows: rows.length, cols, data: Float64Array.from(some.flat()) };
    return rowShares(modelUpTo(models, components), values, components, control);
  }

  async columnShares(components: readonly number[]): Promise<ColumnShares> {
    const columns = columnContributions(modelUpTo(this.#fit.models, components));
    const lines = (values: 'correlation' | 'cos2' | 'contribution'): Float64Array =>
      Float64Array.from(components.flatMap((c) => columns.map((column) => column[values][c])));
    return { correlation: lines('correlation'), cos2: lines('cos2'), contribution: lines('contribution') };
  }

  async outlines(
    { column, components, kind, level }: Query<'outlines'>,
    control: Control,
  ): Promise<readonly GroupOutline[]> {
    const [x, y] = components.map((component) => scoresOn(this.#fit.scores, component));
    const found = await this.colourCodes(column);
    if (found.kind !== 'groups') return [];
    const { codes, names, others, missing } = found;
    const outlines = await groupOutlines(
      { scores: [x, y], codes, groups: names.length, kind, level, fewest: MIN_ELLIPSE_ROWS },
      control,
    );
    // Rows without a value get no outline, nor do the remaining groups, which share a colour.
    return outlines.filter(({ group }) => group !== missing && !(others && group === names.length - 1));
  }

  async farRows(k: number): Promise<FarthestRows> {
    return this.#fit.distances.farthest(k);
  }

  async choose(_: null, control: Control): Promise<ChooseReply> {
    return this.#fit.analysis.choose(control);
  }

  async analysis({ label }: Query<'analysis'>, control: Control): Promise<AnalysisReply> {
    return this.#fit.analysis.analyze(label, control);
  }

  async compare({ k, label }: Query<'compare'>, control: Control): Promise<ComparedReply | Reason> {
    return this.#fit.analysis.compare(k, label, control);
  }

  async modelOf(k: number): Promise<Uint8Array> {
    return this.#fit.models.first(k).toBinary();
  }

  async exportedModel(k: number): Promise<Uint8Array> {
    return this.#fit.analysis.exported(k).toBinary();
  }

  async colourCodes(column: number): Promise<ColourCodes> {
    const { table } = this.#fit;
    const rows = this.#tableRows;
    const numbers = table.column(column);
    if (numbers) return numberCodes(Float64Array.from({ length: rows.length }, (_, i) => numbers.at(rows.at(i))));
    const texts = await table.texts(column);
    return groupCodes(
      Array.from({ length: rows.length }, (_, i) => texts[rows.at(i)]),
      compareNames,
    );
  }

  async cells({ rows, columns }: Query<'cells'>): Promise<Cells> {
    const { table } = this.#fit;
    const tableRows = this.#tableRows;
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
    const { data, cols } = this.#fit.matrix;
    return Float64Array.from(data.subarray(index * cols, (index + 1) * cols));
  }

  async search({ text, columns, limit }: Query<'search'>): Promise<Uint32Array> {
    const { table } = this.#fit;
    const rows = this.#tableRows;
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
    const { table, scores } = this.#fit;
    const rows = this.#tableRows;
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
    const { data, rows: n, cols } = this.#fit.scores;
    const count = Math.min(rows, n);
    const width = Math.min(components, cols);
    return Float64Array.from({ length: count * width }, (_, at) => {
      const row = Math.floor((Math.floor(at / width) * n) / count);
      return data[row * cols + (at % width)];
    });
  }
}

/** Scores of all rows on one component. */
function scoresOn({ data, rows, cols }: Matrix, component: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => data[i * cols + component]);
}

/** The model of the first components, up to the last of `components`. */
function modelUpTo({ first }: NestedModels, components: readonly number[]): NestedModels['model'] {
  return first(Math.max(...components) + 1);
}
