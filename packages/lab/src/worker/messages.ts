import type { ErrorCode, ErrorDetails, PcaOptions, Progress, Scale } from '@scree/core';

/** What the page and its worker say to each other. Data and model live in the worker; the page asks for what it shows. */

/** Where data come from. */
export type Origin =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: Blob }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'address';
      readonly name: string;
      readonly url: string;
      /** Labels of the rows in a file of their own, as MNIST has them. */
      readonly labels?: { readonly name: string; readonly url: string };
    };

export interface ColumnInfo {
  readonly name: string;
  readonly kind: 'number' | 'text' | 'other';
  /** The type in the format's own words. */
  readonly type: string;
  /** Numbers that are missing. */
  readonly missing: number;
  /** Whether it may be a column of the fit; labels from another file may not. */
  readonly usable: boolean;
  /** Whether it numbers the rows: it is not taken unless somebody asks for it. */
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
  /** Another for every opening. */
  readonly id: number;
  readonly name: string;
  readonly format: string;
  readonly rows: number;
  readonly columns: readonly ColumnInfo[];
  /** Whether names are the file's own; otherwise they are numbers from 0 up. */
  readonly named: boolean;
  /** Rows are pictures: their height and width. */
  readonly picture?: readonly [height: number, width: number];
}

export type Missing = 'drop' | 'mean';

/** What is fitted, and how. */
export interface FitRequest {
  /** Which data: the newest need not be those that the page shows. */
  readonly data: number;
  /** Places of the columns, in their order. */
  readonly columns: readonly number[];
  readonly scale: Scale;
  readonly missing: Missing;
  readonly solver: NonNullable<PcaOptions['solver']>;
}

export interface FitReply {
  /** Another for every fit. */
  readonly id: number;
  /** The model in its binary form: a model itself cannot be posted. */
  readonly model: Uint8Array;
  /** Rows of the table that the fit has, in order; undefined when it has all. */
  readonly keptRows?: Uint32Array;
  /** Rows that were left out or filled in because a value was missing. */
  readonly incompleteRows: number;
  /** Time of the fit in the worker, without reading and without scores. */
  readonly milliseconds: number;
}

/** Steps of a scale of colours: as good as continuous to the eye. One more stands for missing values. */
export const SHADES = 32;

/** What colours rows: steps of a scale, or places in a list of names. */
export type ColourCodes =
  | { readonly kind: 'shades'; readonly codes: Uint8Array; readonly low: number; readonly high: number }
  | {
      readonly kind: 'groups';
      /** Place in `names` of each row; the last one is for all groups that have no name of their own. */
      readonly codes: Uint8Array;
      readonly names: readonly string[];
      /** Rows of each. */
      readonly counts: readonly number[];
      /** Whether the last name stands for many. */
      readonly others: boolean;
    };

/** Distances of rows from their reconstructions, in short. */
export interface Outliers {
  /** The farthest rows, farthest first. */
  readonly worst: Uint32Array;
  readonly median: number;
  readonly largest: number;
  /** Tukey's fence: the upper quartile and one and a half times the distance between the quartiles. */
  readonly fence: number;
  /** Rows beyond it. */
  readonly beyond: number;
}

/** Cells of some rows, as text, a list for each row in the order of the columns asked for. */
export type Cells = readonly (readonly string[])[];

/** What the worker can be asked. Rows are counted as the fit has them, columns as the table has them. */
export interface WorkerMethods {
  open(origin: Origin): TableInfo;
  fit(request: FitRequest): FitReply;
  /** Scores along one component, one a row. */
  scores(component: number): Float64Array;
  /** Distances of some rows from their reconstructions by k components. */
  distances(what: { readonly rows: readonly number[]; readonly k: number }): Float64Array;
  /** The distances of all rows, as colours. */
  distanceColours(k: number): ColourCodes;
  /** What stands out among these distances. */
  outliers(k: number): Outliers;
  /** A model of k components, as a fit of its own gives it: for its certificate, and to take away. */
  modelOf(k: number): Uint8Array;
  colourCodes(column: number): ColourCodes;
  cells(where: { readonly rows: readonly number[]; readonly columns: readonly number[] }): Cells;
  /** One row as the fit sees it: numbers of the chosen columns. */
  row(index: number): Float64Array;
  /** Rows in whose text or label columns, or row number, a text occurs; at most so many. */
  search(what: { readonly text: string; readonly columns: readonly number[]; readonly limit: number }): Uint32Array;
  /** Scores of all rows as CSV, with the label columns in front. */
  scoresCsv(what: { readonly k: number; readonly labels: readonly number[] }): Blob;
  /** Scores of a few hundred rows, spread evenly, on the first components. */
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
      /** The fit that is asked about, where it is about one. */
      readonly fit?: number | undefined;
    }
  | { readonly id: number; readonly cancel: true };

/** An error as data: the page makes the sentence. Errors of the browser itself have a message only. */
export interface Problem {
  readonly message: string;
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}

export type FromWorker =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly problem: Problem }
  | { readonly id: number; readonly progress: Progress };
