import type { Data, Model, Progress, RowsOf, Warning } from '@scree/core';
import type { Labels } from '@scree/files';
import { checkLabels, chooseColours } from './figures/colouring.js';
import { plainText } from './plain-text.js';
import { checkImage, type RowFacts, readRows } from './read-rows.js';
import { areRowsOfFit, findUnusualRows } from './unusual-rows.js';

export interface ReportInput {
  readonly model: Model;
  /** The rows that the model was fitted to, or others of the same columns. They are read once, whatever their number. */
  readonly source: Data;
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
  /** One label a row of the source. */
  readonly labels?: Labels | undefined;
  /** What the labels are: the name of their column. */
  readonly labelName?: string | undefined;
  /** Where rows are pictures, line by line: how large they are. */
  readonly image?: { readonly width: number; readonly height: number } | undefined;
  /** The sentence for a warning. Default its message, which names options of the library. */
  readonly describeWarning?: ((warning: Warning) => string) | undefined;
  /** The command that makes this report again. */
  readonly command?: string | undefined;
  /** Where rows of the source are in the data that people know; the same place otherwise. */
  readonly placesOf?: ((rows: readonly number[]) => Promise<number[]>) | undefined;
  /** How long the fit took. */
  readonly seconds?: number | undefined;
  readonly threads?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReportFigure {
  /** Name for a file, without an ending. */
  readonly name: string;
  readonly title: string;
  /** A whole SVG file, with a ground of its own. */
  readonly svg: string;
}

export interface Report {
  /** A whole page that needs nothing else: no network, no scripts. */
  readonly html: string;
  readonly figures: readonly ReportFigure[];
}

/**
 * Says in words, figures and tables what a model found in data, how sure that is, and how it was computed.
 *
 * Rows are read once, block by block: scores of an evenly spread sample, reconstruction errors of all. What draws is
 * loaded only now.
 */
export async function makeReport(input: ReportInput): Promise<Report> {
  const { model, source, labels, image, signal, onProgress } = input;
  checkImage(image, model.d);
  const colouring = chooseColours(labels, input.labelName);
  const read = await readRows(model, source, { colouring, pictures: image !== undefined, signal, onProgress });
  checkLabels(labels, read.rows);
  const facts: RowFacts = { ...read, numberOf: await rowNumbers(read, input.placesOf) };
  const kind = input.rows ?? (areRowsOfFit(model, read) ? 'fit' : 'new');
  const unusual = findUnusualRows(model, read, kind);
  const { composeReport } = await import('./compose.js');
  const report = composeReport({
    model,
    facts,
    unusual,
    rowsName: input.rowsName === undefined ? undefined : plainText(input.rowsName),
    colouring,
    image,
    title: plainText(input.title),
    description: input.description === undefined ? undefined : plainText(input.description, 2000),
    command: input.command,
    describeWarning: input.describeWarning ?? (({ message }) => message),
    seconds: input.seconds,
    threads: input.threads,
  });
  signal?.throwIfAborted();
  return report;
}

/** The numbers of the rows that are shown one by one, looked up together. */
async function rowNumbers(
  { sample, worst, farthest, examples }: Omit<RowFacts, 'numberOf'>,
  placesOf: ReportInput['placesOf'],
): Promise<RowFacts['numberOf']> {
  if (!placesOf) return (row) => row + 1;
  const shown = [...new Set([...sample, ...worst, ...farthest, ...examples].map(({ row }) => row))];
  const places = await placesOf(shown);
  const known = new Map(shown.map((row, i) => [row, places[i]]));
  return (row) => (known.get(row) ?? row) + 1;
}
