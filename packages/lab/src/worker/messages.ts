import type { Choice, ErrorCode, ErrorDetails, PcaOptions, Progress, Scale, Stability, Warning } from '@scree/core';

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
  readonly firstNonNumber?: Cell;
}

export interface Cell {
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

/**
 * Why a column of the user's file is left out at first: the reasons of the warning ID_COLUMN, a number that starts again within
 * groups, a calendar year or another part of a date, the index that the file itself declares, or because it colours the points.
 */
export type LeftOutReason =
  | 'counting'
  | 'one-way'
  | 'unique'
  | 'name'
  | 'restarts'
  | 'year'
  | 'date'
  | 'index'
  | 'colour';

/** A column that is left out at first, and why. */
export interface LeftOut {
  readonly column: number;
  readonly reason: LeftOutReason;
}

/** The settings that suit a file of the user's, and the reasons, as data. Columns are indexes into the table. */
export interface Advice {
  readonly leftOut: readonly LeftOut[];
  /** The column that names rows: the first of text without a value that is missing or there twice. */
  readonly label?: number;
  /** The columns with the largest and the smallest standard deviation, where they differ more than tenfold: then columns are divided by it. */
  readonly unequal?: {
    readonly largest: { readonly column: number; readonly deviation: number };
    readonly smallest: { readonly column: number; readonly deviation: number };
  };
  /** The column whose groups colour the points, and the share of the variance of the standardised columns between them. */
  readonly colour?: { readonly column: number; readonly groups: number; readonly share: number };
}

export type Missing = 'drop' | 'mean';

/** A request for a fit. */
export interface FitRequest {
  /** Id of the data: the newest data need not be those that the page shows. */
  readonly data: number;
  /** Indexes of the columns, ascending. */
  readonly columns: readonly number[];
  readonly scale: Scale;
  readonly missing: Missing;
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

/** How rows or columns and some components are related, over these components together. */
export interface Shares {
  /** Share of the squared distance from the mean (of a row) or of the variance (of a column) that the components show. */
  readonly cos2: Float64Array;
  /** Percentage of the variance of the components that the row or column contributes. */
  readonly contribution: Float64Array;
}

/** How columns and components are related: one line of d numbers per component. */
export interface ColumnShares extends Shares {
  readonly correlation: Float64Array;
}

/**
 * What is drawn around each group: where its mean is (`confidence`), where its rows are (`concentration`), or the convex hull of
 * its rows.
 */
export type OutlineKind = 'confidence' | 'concentration' | 'hull';

/** Rows of a group from which it has an ellipse, as in reports: of fewer, it would be larger than the figure and say nothing. */
export const MIN_ELLIPSE_ROWS = 6;

/** A closed line around a group. */
export interface GroupOutline {
  /** Index into the names of the groups. */
  readonly group: number;
  /** x and y alternating, in the units of the scores. */
  readonly points: Float64Array;
}

/** Rows that differ from the others: by their distance from the reconstruction, and by the limits of T² and Q. */
export interface Outliers {
  /** The rows farthest from their reconstruction, farthest first. */
  readonly worst: Uint32Array;
  /** Distances from the reconstruction. */
  readonly median: number;
  readonly largest: number;
  /** Rows beyond a limit, farthest beyond first; of very many, the first. */
  readonly unusual: Uint32Array;
  /** How many rows are beyond the limit of T², of Q, and of either; null where there is no limit. */
  readonly counts: { readonly t2: number | null; readonly q: number | null; readonly either: number };
}

/** Cells as text: one list per row, in the order of the requested columns. */
export type Cells = readonly (readonly string[])[];

/** The methods of the worker. Rows are indexes into the fit, columns are indexes into the table. */
export interface WorkerMethods {
  open(origin: Origin): TableInfo;
  /** The settings that suit opened data. */
  advise(data: number): Advice;
  fit(request: FitRequest): FitReply;
  /** Scores along one component, one per row. */
  scores(component: number): Float64Array;
  /** Distances of some rows from their reconstructions by k components. */
  distances(what: { readonly rows: readonly number[]; readonly k: number }): Float64Array;
  /** The distances of all rows as colours. */
  distanceColours(k: number): ColourCodes;
  /** cos² or contributions of all rows, over some components together, as colours. */
  shareColours(what: { readonly of: keyof Shares; readonly components: readonly number[] }): ColourCodes;
  /** The same of some rows, as numbers. */
  rowShares(what: { readonly rows: readonly number[]; readonly components: readonly number[] }): Shares;
  /** Correlations, cos² and contributions of the columns, per component. */
  columnShares(components: readonly number[]): ColumnShares;
  /** Ellipses or hulls of the groups of a column, on two components. */
  outlines(what: {
    readonly column: number;
    readonly components: readonly [number, number];
    readonly kind: OutlineKind;
    readonly level: number;
  }): readonly GroupOutline[];
  /** The rows that differ from the others, for a model of k components. */
  outliers(k: number): Outliers;
  /** The model of the first k components, for its certificate. */
  modelOf(k: number): Uint8Array;
  /** The same with what is known by now of its stability and of the choice of k, for export. */
  exportedModel(k: number): Uint8Array;
  /** What a statistician would want to know of the columns. Not part of the fit, which it would slow down. */
  columnWarnings(what: null): readonly Warning[];
  /** How many components parallel analysis and the elbow advise; undefined where both would take too long. */
  choose(what: null): Choice | undefined;
  /** How stable the first components are; undefined for tables that are too large to do it without being asked. */
  stability(what: null): Stability | undefined;
  /** What the first components mean, one sentence each; null where nothing is significant. */
  meaning(what: null): readonly (string | null)[];
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

export type MethodName = keyof WorkerMethods;
export type Query<Name extends MethodName> = Parameters<WorkerMethods[Name]>[0];
export type Reply<Name extends MethodName> = ReturnType<WorkerMethods[Name]>;

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
