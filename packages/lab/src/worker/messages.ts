import type {
  AnalysisRecord,
  ColumnAdvice,
  GroupOutline,
  OutlineKind,
  Reason,
  RowShares,
  UnusualRows,
} from '@scree/analysis';
import type { DescribedModel } from '@scree/analysis/describe';
import type { Choice, ErrorCode, ErrorDetails, PcaOptions, Progress, Scale, Warning } from '@scree/core';

/** The messages between the page and its worker. The worker holds the data and the models; the page asks for what it shows. */

/** Where data are read from. */
export type Origin =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: Blob }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'url';
      readonly name: string;
      readonly url: string;
      /** Labels of the rows in a file of their own, as MNIST has them. */
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
  /** How many numbers are missing. */
  readonly missing: number;
  /** Whether it can be fitted; labels from another file cannot. */
  readonly usable: boolean;
  /** Whether it numbers the rows: then it is fitted only if the user chooses it. */
  readonly index?: boolean;
  /** The first cell that is not a number, of a column of numbers that counts as text because of such cells. */
  readonly firstNonNumber?: TableCell;
}

/** A cell of the table. */
export interface TableCell {
  /** Row of the table, from 0. */
  readonly row: number;
  readonly value: unknown;
}

export interface TableInfo {
  /** A new id each time data are opened. */
  readonly id: number;
  readonly name: string;
  readonly format: string;
  readonly rows: number;
  readonly columns: readonly ColumnInfo[];
  /** Whether the names come from the file; otherwise they are numbers from 0. */
  readonly named: boolean;
  /** Height and width, if rows are pictures. */
  readonly picture?: readonly [height: number, width: number];
}

/** How missing values are handled: rows without them are fitted, or each is filled in with the mean of its column. */
export type GapRule = 'drop' | 'mean';

/** A request for a fit. */
export interface FitRequest {
  /** Id of the data: the newest data need not be those that the page shows. */
  readonly data: number;
  /** Indexes of the columns, ascending. */
  readonly columns: readonly number[];
  readonly scale: Scale;
  readonly missing: GapRule;
  readonly solver: NonNullable<PcaOptions['solver']>;
  /** 'wasm' where the user does not want the GPU to be used. */
  readonly engine?: 'auto' | 'wasm';
}

export interface FitReply {
  /** A new id for each fit. */
  readonly id: number;
  /** The model in its binary form, because a model object cannot be posted. */
  readonly model: Uint8Array;
  /** Rows of the table that were fitted, in order; undefined when all were. */
  readonly keptRows?: Uint32Array;
  /** Rows that were dropped or filled in because a value is missing. */
  readonly incompleteRows: number;
  /** Duration of the fit in the worker, without reading and scores. */
  readonly milliseconds: number;
}

/** Steps of a colour scale, enough to look continuous. One more code stands for missing values. */
export const SHADES = 32;

/** Colours of rows: steps of a scale, or indexes into a list of groups. */
export type ColourCodes =
  | { readonly kind: 'shades'; readonly codes: Uint8Array; readonly low: number; readonly high: number }
  | {
      readonly kind: 'groups';
      /** Index into `names` per row; the last name may stand for all remaining groups. */
      readonly codes: Uint8Array;
      readonly names: readonly string[];
      /** Rows per group. */
      readonly counts: readonly number[];
      /** Whether the last name stands for all remaining groups. */
      readonly others: boolean;
      /** Index of the rows without a value, if there are any. */
      readonly missing?: number;
    };

/** How columns and components are related: one line of d numbers per component. */
export interface ColumnShares {
  readonly correlation: Float64Array;
  readonly cos2: Float64Array;
  readonly contribution: Float64Array;
}

/** Rows of a group from which it has an ellipse, as in reports: of fewer, it would be larger than the figure and say nothing. */
export const MIN_ELLIPSE_ROWS = 6;

/** The distances of rows from their reconstructions by k components. */
export interface FarRows {
  /** The rows with the largest distances, largest first. */
  readonly worst: Uint32Array;
  readonly median: number;
  readonly largest: number;
}

/** How many components to keep. */
export interface ChooseReply {
  /** As many as are recommended; 0 if none stands out of noise. */
  readonly kept: number;
  readonly choice: Choice | undefined;
  /** Why there is no choice. */
  readonly reason: Reason | undefined;
  /** Warnings about the columns. They are not part of the fit, which they would slow down. */
  readonly warnings: readonly Warning[];
}

/** `ComparedRows` of an analysis as a message. */
export interface ComparedReply {
  readonly model: DescribedModel;
  readonly found: UnusualRows;
  /** How many rows were compared. */
  readonly rows: number;
  /** The names of rows of `found`, if names tell rows apart. */
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
  open(origin: Origin): TableInfo;
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
  /** The same of some rows, as numbers. */
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
  farRows(k: number): FarRows;
  /** The model of the first k components, for its certificate. */
  modelOf(k: number): Uint8Array;
  /** The same with what is known by now of its stability and of the choice of k, for export. */
  exportedModel(k: number): Uint8Array;
  /** How many components to keep, and warnings about the columns: the first part of the analysis. */
  choose(what: null): ChooseReply;
  /** Everything that is known of the fit. Rows are named by the column `label`. */
  analysis(what: { readonly label?: number | undefined }): AnalysisReply;
  /** The rows compared with the first k components, as the analysis does it with those that are kept. */
  compare(what: { readonly k: number; readonly label?: number | undefined }): ComparedReply | Reason;
  colourCodes(column: number): ColourCodes;
  cells(where: { readonly rows: readonly number[]; readonly columns: readonly number[] }): Cells;
  /** One row of the fit: the numbers of the chosen columns. */
  row(index: number): Float64Array;
  /** At most `limit` rows whose number is the text, or in whose columns the text occurs. */
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
export interface Problem {
  readonly message: string;
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}

export type FromWorker =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly problem: Problem }
  | { readonly id: number; readonly progress: Progress };
