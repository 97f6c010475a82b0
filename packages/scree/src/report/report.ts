import {
  type Analysis,
  type AnalyzeTableOptions,
  analyzeModel,
  type NotComputed,
  type Reason,
  type RowFacts,
  type RowsOf,
} from '@scree/analysis';
import { describeReason, plural } from '@scree/analysis/describe';
import { type Model, OptionError, type Progress, type TableData, type Warning } from '@scree/core';
import type { Labels } from '@scree/files';
import { checkLabels, chooseColours } from './figures/colouring.js';
import { plainText } from './plain-text.js';

/** Options of every report. */
interface ReportOptions {
  readonly title: string;
  /** One line about the data: `describe()` of a file. */
  readonly description?: string | undefined;
  /** The name of the rows in sentences: usually the name of their file. */
  readonly rowsName?: string | undefined;
  /** One label per row. Rows without names are named by their labels if most labels differ. */
  readonly labels?: Labels | undefined;
  /** The name of the column of labels. */
  readonly labelName?: string | undefined;
  /** The size of the pictures, if rows are pictures, line by line. */
  readonly image?: { readonly width: number; readonly height: number } | undefined;
  /** The sentence for a warning. Default its message, which names options of the library. */
  readonly describeWarning?: ((warning: Warning) => string) | undefined;
  /** The sentence for a part that was not computed. Default that of the library. */
  readonly describeReason?: ((part: keyof NotComputed, reason: Reason) => string) | undefined;
  /** The command that makes this report again. */
  readonly command?: string | undefined;
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A report of an analysis. */
interface ReportOfAnalysis extends ReportOptions {
  /** The record that `analyze` or `analyzeTable` returned. It must be an analysis of rows, not of moments. */
  readonly analysis: Analysis;
}

/** A report of a model that was fitted before. */
interface ReportOfModel extends ReportOptions {
  readonly model: Model;
  /**
   * The rows that the model was fitted to, or other rows with the same columns. If the model has an encoding, these are rows of the table
   * before it was encoded. They are read once.
   */
  readonly source: TableData;
  /**
   * States if these are the rows that the model was fitted to. Everything about rows is computed from these rows, and if they are new rows
   * the report says so. By default they are the rows of the fit if their number and their sums of squares agree with the model.
   */
  readonly rows?: RowsOf | undefined;
  /** The number of kept components. Default: the number that the model recommends, or all components if it recommends none. */
  readonly kept?: number | undefined;
  /** One name per row of the source. Names are shown beside the rows' numbers if most of them differ. */
  readonly names?: Labels | undefined;
  /** The weights of the rows in the fit, if they have some: groups are weighted by them. */
  readonly weights?: ArrayLike<number> | undefined;
  /** Seconds that the fit took. */
  readonly seconds?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The input of a report: an analysis, or a model and rows. */
export type ReportInput = ReportOfAnalysis | ReportOfModel;

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
 * Makes a page about an analysis with sentences, figures and tables: the findings, their certainty, and the method. The report itself
 * computes nothing. If it gets a model and rows, `analyzeModel` analyses them first, and reads the rows once.
 *
 * The code that draws figures is loaded when it is needed.
 */
export async function makeReport(input: ReportInput): Promise<Report> {
  const { labels, image, signal } = input;
  const own = 'analysis' in input ? input.analysis : await analysisOf(input);
  const { rowFacts, compared } = own;
  if (!rowFacts) {
    throw new OptionError(
      'BAD_OPTION',
      'This analysis has no rows to draw. Make it from rows that can be read again, not from moments.',
      { option: 'analysis' },
    );
  }
  checkImage(image, own.model.d);
  checkLabels(labels, rowFacts.rows);
  const nameOf =
    rowFacts.nameOf ?? namesOf('names' in input ? input.names : undefined, rowFacts) ?? namesOf(labels, rowFacts);
  const titles = nameOf ? { nameOf } : {};
  const analysis = {
    ...own,
    rowFacts: { ...rowFacts, ...titles },
    compared: compared && { ...compared, facts: { ...compared.facts, ...titles } },
  };
  const { composeReport } = await import('./compose.js');
  const report = composeReport({
    analysis,
    colouring: chooseColours(labels, input.labelName),
    image,
    rowsName: input.rowsName === undefined ? undefined : plainText(input.rowsName),
    title: plainText(input.title),
    description: input.description === undefined ? undefined : plainText(input.description, 2000),
    command: input.command,
    describeWarning: input.describeWarning ?? (({ message }) => message),
    describeReason: input.describeReason ?? describeReason,
    seconds: 'seconds' in input ? input.seconds : own.seconds,
    threads: input.threads,
  });
  signal?.throwIfAborted();
  return report;
}

/** The options of `analyzeTable` that keep the data that figures need. */
export function questionsOfFigures({
  labels,
  labelName,
  image,
}: Pick<ReportOptions, 'labels' | 'labelName' | 'image'>): Pick<AnalyzeTableOptions, 'figures' | 'colours'> {
  const colouring = chooseColours(labels, labelName);
  const { groups, groupOf, hasLevels } = colouring;
  const exampleOf = (row: number): number | undefined => {
    const group = groupOf(row);
    return groups[group]?.named ? group : undefined;
  };
  return { figures: { pictures: image !== undefined, exampleOf }, colours: hasLevels ? colouring : undefined };
}

/** Analyses a model that was fitted before. */
async function analysisOf(input: ReportOfModel): Promise<Analysis> {
  const { model, source, rows, kept, weights, signal, onProgress } = input;
  checkImage(input.image, model.d);
  const analysis = await analyzeModel(model, source, {
    ...questionsOfFigures(input),
    ...{ rows, kept, weights, signal, onProgress },
    listRows: false,
  });
  checkLabels(input.names, analysis.rowFacts?.rows ?? 0);
  return analysis;
}

/** Names of rows, if at least half of them are different. */
function namesOf(names: Labels | undefined, { rows }: RowFacts): RowFacts['nameOf'] {
  if (!names || names.names.length < rows / 2) return undefined;
  return (row) => {
    const name = names.names[names.codes[row]];
    return name === undefined ? undefined : plainText(name, 60);
  };
}

/** Pictures have as many pixels as rows have columns. */
function checkImage(image: ReportOptions['image'], d: number): void {
  if (!image) return;
  const { width, height } = image;
  if (Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && width * height === d) return;
  throw new OptionError(
    'BAD_OPTION',
    `A picture of ${width} × ${height} has ${width * height} pixels, but the rows have ${plural(d, 'column')}.`,
    { option: 'image', value: image, expected: d },
  );
}
