import type {
  AnalysisRecord,
  ColumnAdvice,
  FarthestRows,
  GroupOutline,
  OutlineKind,
  Reason,
  RowShares,
  UnusualRows,
} from '@scree/analysis';
import type { DescribedModel } from '@scree/analysis/describe';
import type { Choice, ErrorCode, ErrorDetails, PcaOptions, Progress, Scale, Warning } from '@scree/core';

/** The messages between the page and its worker. The worker holds the data and the models; the page queries the numbers that it shows. */

/** The origin of data. */
export type DataOrigin =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: Blob }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'url';
      readonly name: string;
      readonly url: string;
      /** Labels of the rows in a separate file, as MNIST has them. */
      readonly labels?: { readonly name: string; readonly url: string };
    };

/** Progress and cancellation of long work. */
export interface Control {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ColumnInfo {
  readonly name: string;
  readonly kind: 'number' | 'text' | 'other';
  /** The name of the type in the file format. */
  readonly type: string;
  /** The number of missing values. */
  readonly missing: number;
  /** True if the column can be fitted. Labels from another file cannot be fitted. */
  readonly usable: boolean;
  /** True if the column numbers the rows. It is fitted only if the user chooses it. */
  readonly index?: boolean;
  /** For a column of numbers that counts as text because of some cells: the first cell that is not a number. */
  readonly firstNonNumber?: TableCell;
}

/** A cell of the table. */
export interface TableCell {
  /** Row of the table, from 0. */
  readonly row: number;
  readonly value: unknown;
}

export interface TableInfo {
  /** A new id every time data are opened. */
  readonly id: number;
  readonly name: string;
  readonly format: string;
  readonly rows: number;
  readonly columns: readonly ColumnInfo[];
  /** True if the names come from the file. Otherwise they are numbers from 0. */
  readonly named: boolean;
  /** Height and width, if rows are pictures. */
  readonly picture?: readonly [height: number, width: number];
}

/** How missing values are handled: rows without them are fitted, or each is filled in with the mean of its column. */
export type GapRule = 'drop' | 'mean';

/** A request for a fit. */
export interface FitRequest {
  /** Id of the data. The newest data need not be the data that the page shows. */
  readonly data: number;
  /** Indexes of the columns, ascending. */
  readonly columns: readonly number[];
  readonly scale: Scale;
  readonly missing: GapRule;
  readonly solver: NonNullable<PcaOptions['solver']>;
  /** 'wasm' if the user does not want the GPU to be used. */
  readonly engine?: 'auto' | 'wasm';
}

export interface FitReply {
  /** A new id for each fit. */
  readonly id: number;
  /** The model in its binary form, because a model object cannot be posted. */
  readonly model: Uint8Array;
  /** Rows of the table that were fitted, in order; undefined if all were fitted. */
  readonly keptRows?: Uint32Array;
  /** Rows that were dropped or filled in because a value is missing. */
  readonly incompleteRows: number;
  /** Duration of the fit in the worker, without reading and scores. */
  readonly milliseconds: number;
}

/** Steps of a colour scale, enough to look continuous. One more code stands for missing values. */
export const SHADES = 32;

/** The colours of rows: steps of a scale, or indexes into a list of groups. */
export type ColourCodes =
  | { readonly kind: 'shades'; readonly codes: Uint8Array; readonly low: number; readonly high: number }
  | {
      readonly kind: 'groups';
      /** Index into `names` per row; the last name may stand for all remaining groups. */
      readonly codes: Uint8Array;
      readonly names: readonly string[];
      /** Rows per group. */
      readonly counts: readonly number[];
      /** True if the last name stands for all remaining groups. */
      readonly others: boolean;
      /** Index of the name for rows without a value, if there are such rows. */
      readonly missing?: number;
    };

/** The relations of columns with components: one line of d numbers per component. */
export interface ColumnShares {
  readonly correlation: Float64Array;
  readonly cos2: Float64Array;
  readonly contribution: Float64Array;
}

/** The fewest rows of a group with an ellipse, as in reports. With fewer rows an ellipse would be larger than the figure. */
export const MIN_ELLIPSE_ROWS = 6;

/** The recommended number of components. */
export interface ChooseReply {
  /** The recommended number; 0 if no component stands out from noise. */
  readonly kept: number;
  readonly choice: Choice | undefined;
  /** The reason for a missing choice. */
  readonly reason: Reason | undefined;
  /** Warnings about the columns. They are computed after the fit, so that the fit is not slower. */
  readonly warnings: readonly Warning[];
}

/** `ComparedRows` of an analysis as a message. */
export interface ComparedReply {
  readonly model: DescribedModel;
  readonly found: UnusualRows;
  /** The number of compared rows. */
  readonly rows: number;
  /** The names of rows of `found`, if names identify rows. */
  readonly names: ReadonlyMap<number, string>;
}

/** The record of an analysis as a message. */
export interface AnalysisReply
  extends Pick<AnalysisRecord, 'table' | 'kept' | 'meaning' | 'supplementary' | 'notComputed' | 'findings'> {
  /** The column that names the rows. */
  readonly label: number | undefined;
  /** The model in its binary form, with the choice, the stability and all warnings. */
  readonly model: Uint8Array;
  readonly compared: ComparedReply | undefined;
}

/** Cells as text: one list per row, in the order of the requested columns. */
export type Cells = readonly (readonly string[])[];

/** The methods of the worker that open and fit data. Columns are indexes into the table. */
export interface SessionMethods {
  open(origin: DataOrigin): TableInfo;
  /** The settings that suit opened data. */
  advise(data: number): ColumnAdvice;
  fit(request: FitRequest): FitReply;
}

/** The methods of the worker about the fit that the page shows. Rows are indexes into the fit, columns into the table. */
export interface FitMethods {
  /** Scores along one component, one per row. */
  scores(component: number): Float64Array;
  /** Distances of some rows from their reconstructions by k components. */
  distances(what: { readonly rows: readonly number[]; readonly k: number }): Float64Array;
  /** The distances of all rows as colours. */
  distanceColours(k: number): ColourCodes;
  /** cos² or contributions of all rows, over some components together, as colours. */
  shareColours(what: { readonly of: keyof RowShares; readonly components: readonly number[] }): ColourCodes;
  /** cos² and contributions of some rows, as numbers. */
  rowShares(what: { readonly rows: readonly number[]; readonly components: readonly number[] }): RowShares;
  /** Correlations, cos² and contributions of the columns, per component. */
  columnShares(components: readonly number[]): ColumnShares;
  /** Ellipses or hulls of the groups of a column, on two components. */
  outlines(what: {
    readonly column: number;
    readonly components: readonly [number, number];
    readonly kind: OutlineKind;
    readonly level: number;
  }): readonly GroupOutline[];
  /** The rows that are far from their reconstructions by k components. */
  farRows(k: number): FarthestRows;
  /** The model of the first k components, for its certificate. */
  modelOf(k: number): Uint8Array;
  /** The model of the first k components, with its stability and the choice of k if they are computed by now, for export. */
  exportedModel(k: number): Uint8Array;
  /** The recommended number of components, and warnings about the columns: the first part of the analysis. */
  choose(what: null): ChooseReply;
  /** The whole analysis of the fit. The column `label` names the rows. */
  analysis(what: { readonly label?: number | undefined }): AnalysisReply;
  /** The rows compared with the first k components, as the analysis compares them with the components that are kept. */
  compare(what: { readonly k: number; readonly label?: number | undefined }): ComparedReply | Reason;
  colourCodes(column: number): ColourCodes;
  cells(where: { readonly rows: readonly number[]; readonly columns: readonly number[] }): Cells;
  /** One row of the fit: the numbers of the chosen columns. */
  row(index: number): Float64Array;
  /** The rows whose number is the text, and the first rows in which a column contains the text, up to `limit` rows. */
  search(what: { readonly text: string; readonly columns: readonly number[]; readonly limit: number }): Uint32Array;
  /** Scores of all rows as CSV, after the label columns. */
  scoresCsv(what: { readonly k: number; readonly labels: readonly number[] }): Blob;
  /** Scores of an even sample of rows on the first components. */
  sample(what: { readonly rows: number; readonly components: number }): Float64Array;
}

export type WorkerMethods = SessionMethods & FitMethods;
export type MethodName = keyof WorkerMethods;
export type Query<Name extends MethodName> = Parameters<WorkerMethods[Name]>[0];
export type Reply<Name extends MethodName> = ReturnType<WorkerMethods[Name]>;

/** The worker's side of some methods. */
export type Handlers<Methods extends Partial<WorkerMethods>> = {
  [Name in keyof Methods & MethodName]: (query: Query<Name>, control: Control) => Promise<Reply<Name>>;
};

export type ToWorker =
  | {
      readonly id: number;
      readonly method: MethodName;
      readonly query: unknown;
      /** Id of the fit that the query is about. */
      readonly fit?: number | undefined;
    }
  | { readonly id: number; readonly cancel: true };

/** An error as data; the page renders the sentence. Errors of the browser have only a message. */
export interface WorkerProblem {
  readonly message: string;
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}

export type FromWorker =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly problem: WorkerProblem }
  | { readonly id: number; readonly progress: Progress };
