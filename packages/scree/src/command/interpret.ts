import {
  type ColumnContribution,
  columnContributions,
  type Model,
  type RowContributions,
  rowContributions,
} from '@scree/core';
import { count, describeComponent, several } from '@scree/core/describe';
import type { DataFile } from '../disk/index.js';
import type { Call } from './command.js';
import type { FittedFile } from './fit-file.js';
import { namesOf } from './look-at-rows.js';
import type { Terminal } from './terminal.js';

/** What the components have to do with columns and rows. */
export interface Interpretation {
  readonly columns: readonly ColumnContribution[];
  /** The rows of the fit, or why they are not listed. */
  readonly rows: ListedRows | string;
  /** One sentence per component; null where there is nothing to say. */
  readonly descriptions: readonly (string | null)[];
}

export interface ListedRows {
  readonly contributions: RowContributions;
  /** Their numbers in the file, from 1 up, and their names; null where a row has none. */
  readonly numbers: readonly number[];
  readonly names: readonly (string | null)[];
}

/** Most rows that one JSON object lists. */
export const MOST_LISTED_ROWS = 10_000;

/** Columns, rows and sentences of a fit. Rows are only read where `--json` lists them. */
export async function interpret(
  file: DataFile,
  fitted: FittedFile,
  { flags, signal }: Call,
  terminal: Terminal,
): Promise<Interpretation> {
  const { model } = fitted;
  const columns = columnContributions(model);
  const rows = flags.json ? await listRows(file, fitted, { signal, onProgress: terminal.onProgress }) : '';
  terminal.clear();
  const descriptions = Array.from({ length: model.k }, (_, c) => describeComponent(model, c, { columns }) ?? null);
  return { columns, rows, descriptions };
}

async function listRows(
  file: DataFile,
  { model, source, weights }: FittedFile,
  control: { readonly signal: AbortSignal; readonly onProgress: Terminal['onProgress'] },
): Promise<ListedRows | string> {
  if (model.totalVariance === 0) return 'All rows are the same.';
  if (!source.rereadable) return 'The rows can be read only once, and are too many to keep.';
  const { rows = model.n } = source;
  if (rows > MOST_LISTED_ROWS)
    return `${several(rows, 'row')} are too many for one JSON object, which lists up to ${count(MOST_LISTED_ROWS)}.`;
  // Core closes the source that it was given; the file closes this one.
  const contributions = await rowContributions(model, source, { ...control, ...(weights ? { weights } : {}) });
  const all = Array.from({ length: contributions.squaredDistances.length }, (_, i) => i);
  const again = file.source.rereadable;
  const places = again || file.dropped === 0 ? await file.placesOf(all) : all;
  const names = file.label === undefined || !again ? undefined : await namesOf(file, all);
  return {
    contributions,
    numbers: places.map((place) => place + 1),
    names: all.map((row) => names?.get(row) ?? null),
  };
}

/** The same for `--json`: lists over components, contributions in percent. */
export function interpretationJson(model: Model, { columns, rows, descriptions }: Interpretation): object {
  return {
    columns: columns.map(({ name, correlation, cos2, contribution, communality }, j) => ({
      name: name ?? String(j),
      correlation,
      cos2,
      contribution,
      communality,
    })),
    rows: typeof rows === 'string' ? null : rowsJson(model.k, rows),
    descriptions,
  };
}

function rowsJson(k: number, { contributions, numbers, names }: ListedRows): object[] {
  const { cos2, contributions: shares } = contributions;
  const line = (data: Float64Array, i: number): number[] => Array.from(data.subarray(i * k, (i + 1) * k));
  return numbers.map((row, i) => ({
    row,
    name: names[i],
    cos2: line(cos2.data, i),
    contribution: line(shares.data, i),
  }));
}
