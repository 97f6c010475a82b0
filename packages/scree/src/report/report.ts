import {
  type ColumnContribution,
  columnContributions,
  type Rotation,
  type RowsOf,
  type Supplementary,
} from '@scree/analysis';
import type { Model, Progress, TableData, Warning } from '@scree/core';
import type { Labels } from '@scree/files';
import { checkLabels, chooseColours } from './figures/colouring.js';
import { plainText } from './plain-text.js';
import { checkImage, type Facts, type RowFacts, readRows } from './read-rows.js';
import { areRowsOfFit, findUnusualRows, OF_MEANS, whyNotCompared } from './unusual-rows.js';

/** What a report is made of. */
export interface ReportInput {
  readonly model: Model;
  /**
   * The model of the first components alone, with which rows are compared for T² and Q: components of noise would hide rows that
   * the others do not describe. Default `model`.
   */
  readonly compared?: Model | undefined;
  /** The rows that the model was fitted to, or others of the same columns: of a model with a coding, the user's own table. They are read once. */
  readonly source: TableData;
  /**
   * Whether these are the rows that the model was fitted to. Whatever the report says of rows is computed from these rows;
   * of others it says so. By default rows are those of the fit if their number and their sums of squares are the same.
   */
  readonly rows?: RowsOf | undefined;
  /** What the rows are called in sentences: the name of their file. */
  readonly rowsName?: string | undefined;
  readonly title: string;
  /** One line about the data: `describe()` of a file. */
  readonly description?: string | undefined;
  /** One label per row of the source. */
  readonly labels?: Labels | undefined;
  /** The name of the column of labels. */
  readonly labelName?: string | undefined;
  /** One name per row of the source. They stand beside the rows' numbers where most of them differ. */
  readonly names?: Labels | undefined;
  /** The weights of the rows in the fit, where they have some: groups are weighted by them. */
  readonly weights?: ArrayLike<number> | undefined;
  /** What `supplementary` says of columns and groups that had no part in the fit. */
  readonly supplementary?: Supplementary | undefined;
  /** Rows that had no part in the fit, with their scores: they are drawn among the others. */
  readonly supplementaryRows?: readonly { readonly name: string; readonly scores: ArrayLike<number> }[] | undefined;
  /** The rotated components of the model. */
  readonly rotation?: Rotation | undefined;
  /** Where the model is one of the means of groups of these rows. */
  readonly means?: GroupMeans | undefined;
  /** The size of the pictures, if rows are pictures, line by line. */
  readonly image?: { readonly width: number; readonly height: number } | undefined;
  /** Why the model does not say how many components to keep, or how stable they are: sentences. */
  readonly notComputed?: { readonly choice?: string; readonly stability?: string } | undefined;
  /** The sentence for a warning. Default its message, which names options of the library. */
  readonly describeWarning?: ((warning: Warning) => string) | undefined;
  /** The command that makes this report again. */
  readonly command?: string | undefined;
  /** The indexes of rows of the source in the original data, if some rows were left out. Default: the same. */
  readonly rowsInFile?: ((rows: readonly number[]) => Promise<number[]>) | undefined;
  /** Seconds that the fit took. */
  readonly seconds?: number | undefined;
  readonly threads?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The means of groups that a model was fitted to. */
export interface GroupMeans {
  readonly groups: number;
  /** Share of the variance that is between the groups. */
  readonly share: number;
  /** What was analysed. */
  readonly sentence: string;
  /** How columns are related to the components over all rows. Correlations over a few means are large even by chance. */
  readonly columns: readonly ColumnContribution[];
}

/** A figure of a report. */
export interface ReportFigure {
  /** File name without extension. */
  readonly name: string;
  readonly title: string;
  /** A complete SVG file with a background. */
  readonly svg: string;
}

/** A report: the page and its figures. */
export interface Report {
  /** A complete page that needs no network and has no scripts. */
  readonly html: string;
  readonly figures: readonly ReportFigure[];
}

/**
 * Makes a page about a model in sentences, figures and tables: what it found in the data, how certain that is, and how it was
 * computed. How many components to keep and how much other samples would differ it says where the model knows:
 * `model.choice` and `model.stability`.
 *
 * Rows are read once, block by block. Scores are computed for an even sample, reconstruction errors for all rows. The code that draws
 * figures is loaded afterwards.
 */
export async function makeReport(input: ReportInput): Promise<Report> {
  const { model, source, labels, image, signal, onProgress } = input;
  checkImage(image, model.d);
  const colouring = chooseColours(labels, input.labelName, labels !== undefined && labels === input.names);
  const { weights } = input;
  const how = { colouring, weights, pictures: image !== undefined, signal, onProgress };
  const { facts: read, compared } = await readRows(model, source, how, input.compared);
  checkLabels(labels, read.rows);
  checkLabels(input.names, read.rows);
  const nameOf = rowNames(input.names, read.rows);
  const titles = { numberOf: await rowNumbers([read, compared], input.rowsInFile), ...(nameOf ? { nameOf } : {}) };
  const facts: RowFacts = { ...read, ...titles };
  const kind = input.rows ?? (areRowsOfFit(model, read) ? 'fit' : 'new');
  const kept = input.compared ?? model;
  const { composeReport } = await import('./compose.js');
  const report = composeReport({
    model,
    facts,
    kind,
    compared: (input.means ? OF_MEANS : whyNotCompared(model, kind)) ?? {
      model: kept,
      facts: { ...compared, ...titles },
      found: findUnusualRows(kept, compared, kind),
    },
    columns: model.columnVariances && columnContributions(model),
    supplementary: input.supplementary ?? { columns: [], groups: [] },
    supplementaryRows: (input.supplementaryRows ?? []).map(({ name, scores }) => ({ name: plainText(name), scores })),
    rotation: input.rotation,
    means: input.means,
    rowsName: input.rowsName === undefined ? undefined : plainText(input.rowsName),
    colouring,
    image,
    title: plainText(input.title),
    description: input.description === undefined ? undefined : plainText(input.description, 2000),
    command: input.command,
    notComputed: input.notComputed ?? {},
    describeWarning: input.describeWarning ?? (({ message }) => message),
    seconds: input.seconds,
    threads: input.threads,
  });
  signal?.throwIfAborted();
  return report;
}

/** Names of rows, where they tell rows apart: at least every other row has one of its own. */
function rowNames(names: Labels | undefined, rows: number): RowFacts['nameOf'] {
  if (!names || names.names.length < rows / 2) return undefined;
  return (row) => {
    const name = names.names[names.codes[row]];
    return name === undefined ? undefined : plainText(name, 60);
  };
}

/** The numbers of the rows that are shown individually. One lookup for all of them. */
async function rowNumbers(
  facts: readonly Facts[],
  rowsInFile: ReportInput['rowsInFile'],
): Promise<RowFacts['numberOf']> {
  if (!rowsInFile) return (row) => row + 1;
  const all = facts.flatMap(({ sample, worst, farthest, examples }) => [...sample, ...worst, ...farthest, ...examples]);
  const shown = [...new Set(all.map(({ row }) => row))];
  const places = await rowsInFile(shown);
  const known = new Map(shown.map((row, i) => [row, places[i]]));
  return (row) => (known.get(row) ?? row) + 1;
}
