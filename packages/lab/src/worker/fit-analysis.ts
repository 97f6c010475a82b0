import {
  type AnalysisTable,
  type AnalyzeTableOptions,
  analyzeTable,
  type ComparedRows,
  compareRows,
  fitTable,
  keptComponents,
  type OtherColumns,
  otherColumns,
  type Reason,
  type TableFit,
} from '@scree/analysis';
import { type Choice, type Matrix, Model, type NumberArray, type Scale, type Stability } from '@scree/core';
import { type NestedModels, stabilityOfFirst } from '@scree/core/pipeline';
import { analysisTable } from './analysis-table.js';
import type { LoadedTable } from './loaded-table.js';
import type { AnalysisReply, ChooseReply, ComparedReply, Control } from './messages.js';

/** The largest table, in numbers, for which all criteria are computed. For larger tables the slow criteria are left out. */
const ALL_CRITERIA = 1e6;

/** The parts of a fit that an analysis needs. */
export interface AnalysedFit {
  readonly table: LoadedTable;
  readonly models: NestedModels;
  readonly matrix: Matrix<NumberArray>;
  readonly scale: Scale;
  /** Rows of the table that were fitted; undefined if all were fitted. */
  readonly keptRows: Uint32Array | undefined;
  /** Indexes of the columns that were fitted. */
  readonly columns: readonly number[];
  /** Columns that only identify rows. They are not related to components. */
  readonly identifiers: ReadonlySet<number>;
}

/** The index of the column that names the rows. */
type Label = number | undefined;

/**
 * The record of `analyzeTable` about a fit, computed in two steps, so that the number of components is known before the bootstrap.
 * `choose` evaluates the criteria and inspects the columns; `analyze` adds everything else. The numbers are those of one call of
 * `analyzeTable`.
 */
export class FitAnalysis {
  readonly #fit: AnalysedFit;
  #others: OtherColumns | undefined;
  /** The fit with the choice and the warnings about columns; undefined before `choose`. */
  #chosen: TableFit | undefined;
  #stability: Stability | undefined;
  #compared: { readonly label: Label; readonly kept: number; readonly rows: ComparedRows } | undefined;

  constructor(fit: AnalysedFit) {
    this.#fit = fit;
  }

  async choose(control: Control): Promise<ChooseReply> {
    const { models, matrix, scale } = this.#fit;
    const table = await this.#table(undefined);
    const chosen = await fitTable(table, {
      ...options(matrix, scale, control),
      fitted: models,
      inspectColumns: true,
      bootstrap: 0,
    });
    this.#chosen = chosen;
    const { model, notComputed } = chosen;
    const known = new Set(models.first(model.k).warnings.map(({ message }) => message));
    return {
      kept: keptComponents(chosen, table, {}),
      choice: model.choice,
      reason: notComputed.choice,
      warnings: model.warnings.filter(({ message }) => !known.has(message)),
    };
  }

  async analyze(label: Label, control: Control): Promise<AnalysisReply> {
    const { models, matrix, scale } = this.#fit;
    if (!this.#chosen) await this.choose(control);
    const chosen = (this.#chosen as TableFit).model;
    const fitted = { model: models.model, first: (k: number) => (k === chosen.k ? chosen : models.first(k)) };
    // `choose` has inspected the columns already.
    const asked = { ...options(matrix, scale, control), fitted, inspectColumns: false, listRows: false };
    const analysis = await analyzeTable(await this.#table(label), asked);
    const { table, model, kept, meaning, supplementary, compared, notComputed, findings } = analysis;
    this.#stability = model.stability;
    this.#compared = compared && { label, kept, rows: compared };
    return {
      table,
      label,
      model: model.toBinary(),
      kept,
      meaning,
      supplementary,
      compared: compared && plain(compared),
      notComputed,
      findings,
    };
  }

  /** The rows compared with the first k components. If k is 0, they are compared with the mean. */
  async compare(k: number, label: Label, control: Control): Promise<ComparedReply | Reason> {
    const known = this.#compared;
    if (known?.kept === k && known.label === label) return plain(known.rows);
    const found = await compareRows(await this.#table(label), this.#fit.models, k, control);
    return 'code' in found ? found : plain(found);
  }

  /** The model of the first k components, with the choice of k and the stability if they are computed by now. */
  exported(k: number): Model {
    const model = this.#fit.models.first(k);
    const choice: Choice | undefined = this.#chosen?.model.choice;
    const stability = this.#stability;
    const isKnown = stability !== undefined && k <= stability.variances.length;
    return new Model({
      ...model,
      ...(choice ? { choice } : {}),
      ...(isKnown ? { stability: stabilityOfFirst(stability, k, model.d) } : {}),
    });
  }

  async #table(label: Label): Promise<AnalysisTable> {
    const { table, matrix, keptRows, columns, identifiers } = this.#fit;
    const rows = { length: matrix.rows, at: (row: number) => (keptRows ? keptRows[row] : row) };
    this.#others ??= await otherColumns(table.access, rows, columns, identifiers);
    const nameOf = (column: number): string => table.info.columns[column].name;
    return analysisTable({
      matrix,
      columns: columns.map(nameOf),
      rows,
      dropped: table.rows - matrix.rows,
      others: this.#others,
      label: label === undefined ? undefined : { name: nameOf(label), texts: await table.texts(label) },
    });
  }
}

function options(
  { rows, cols }: Matrix<NumberArray>,
  scale: Scale,
  control: Control,
): Omit<AnalyzeTableOptions, 'missing'> {
  return { scale, criteria: rows * cols <= ALL_CRITERIA ? 'all' : 'quick', ...control };
}

/** Compared rows as a message. It has no functions, and contains the names of the rows that sentences mention. */
function plain({ model, facts, found }: ComparedRows): ComparedReply {
  const { k, d, n, centered, uniqueness, noiseVariance, totalVariance } = model;
  const names = found.ranked.flatMap(({ row }) => {
    const name = facts.nameOf?.(row);
    return name === undefined ? [] : [[row, name] as const];
  });
  return {
    model: { k, d, n, centered, uniqueness, noiseVariance, totalVariance },
    found,
    rows: facts.rows,
    names: new Map(names),
  };
}
