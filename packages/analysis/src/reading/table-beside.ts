import type { Data, RowSource } from '@scree/core';
import { openSource, type RowSet } from '@scree/core/data';
import { ProgressTracker } from '@scree/core/pipeline';
import { AlignedLabels, AlignedRows, type RowLabels } from './aligned.js';
import { type AnalysisTable, partsOf, type TablePart } from './analysis-table.js';

/** Names, groups and supplementary columns of rows in memory, and supplementary rows. */
export interface BesideRows {
  readonly names?: RowLabels | undefined;
  readonly columns?: Data | undefined;
  readonly columnNames?: readonly string[] | undefined;
  readonly groups?: Readonly<Record<string, RowLabels>> | undefined;
  readonly rows?: Data | undefined;
  readonly rowNames?: RowLabels | undefined;
  /** The rows of the table that `source` has, if rows with missing values were left out. */
  readonly kept?: RowSet | undefined;
}

/** Rows and what stands beside them, as a table. `names` are those of its columns. */
export async function tableBeside(
  source: RowSource,
  { names, columns, columnNames, groups = {}, rows, rowNames, kept }: BesideRows,
  given?: readonly string[],
): Promise<AnalysisTable> {
  const progress = new ProgressTracker({});
  const own = given ?? source.columnNames ?? Array.from({ length: source.cols }, (_, j) => String(j));
  const beside = columns === undefined ? undefined : await openSource(columns, progress, columnNames);
  const titles = beside
    ? (beside.columnNames ?? columnNames ?? Array.from({ length: beside.cols }, (_, j) => String(j)))
    : [];
  const apart = rows === undefined ? undefined : await openSource(rows, progress, own);
  const plain = { columns: own, supplementary: [], groups: [], leftOut: [], dropped: 0 };
  return {
    ...plain,
    source,
    ...(names === undefined ? {} : { label: 'name' }),
    supplementary: titles,
    groups: Object.keys(groups),
    ...(apart ? { supplementaryRows: { ...plain, source: apart, ...namedRows(apart, rowNames) } } : {}),
    ...(kept ? { dropped: kept.rows - kept.chosen, placesOf: async (of) => of.map((row) => kept.nth(row)) } : {}),
    parts: () => partsBeside(source, { names, beside, groups, kept }),
  };
}

/** Rows with names and nothing else beside them. */
function namedRows(source: RowSource, names: RowLabels | undefined): Pick<AnalysisTable, 'label' | 'parts'> {
  if (names === undefined) return {};
  return { label: 'name', parts: () => partsBeside(source, { names, beside: undefined, groups: {}, kept: undefined }) };
}

async function* partsBeside(
  source: RowSource,
  {
    names,
    beside,
    groups,
    kept,
  }: {
    names: RowLabels | undefined;
    beside: RowSource | undefined;
    groups: Readonly<Record<string, RowLabels>>;
    kept: RowSet | undefined;
  },
): AsyncGenerator<TablePart, void, void> {
  const title = names === undefined ? undefined : new AlignedLabels('names', names);
  const numbers = beside && new AlignedRows(beside);
  const labels = Object.entries(groups).map(([name, own]) => new AlignedLabels(name, own));
  const orNull = (list: readonly (string | undefined)[]): (string | null)[] => list.map((text) => text ?? null);
  let rows = 0;
  try {
    for await (const part of partsOf(source)) {
      // All rows of the table up to the last one of this part: what stands beside rows that were left out is skipped.
      const places = kept ? part.places.map((row) => kept.nth(row)) : part.places;
      const count = (places.at(-1) ?? rows - 1) + 1 - rows;
      const positions = places.map((row) => row - rows);
      const own = async (each: AlignedLabels): Promise<(string | null)[]> => {
        const taken = orNull(await each.take(count));
        return positions.map((at) => taken[at]);
      };
      rows += count;
      const found: (readonly (string | null)[])[] = [];
      for (const each of labels) found.push(await own(each));
      yield {
        ...part,
        places,
        names: title && (await own(title)),
        columns: numbers ? rowsAt(await numbers.take(count), numbers.cols, positions) : part.columns,
        groups: found,
      };
    }
    const left = kept ? kept.rows - rows : 0;
    if (left > 0) for (const each of [...labels, title, numbers]) await each?.take(left);
    await numbers?.end(rows + left);
    for (const each of [...labels, ...(title ? [title] : [])]) await each.end(rows + left);
  } finally {
    for (const each of [...labels, ...(title ? [title] : [])]) await each.close();
    await numbers?.close();
  }
}

/** Some of the rows of packed numbers. */
function rowsAt(values: Float64Array, cols: number, positions: readonly number[]): Float64Array {
  if (positions.length * cols === values.length) return values;
  const out = new Float64Array(positions.length * cols);
  positions.forEach((at, i) => {
    out.set(values.subarray(at * cols, (at + 1) * cols), i * cols);
  });
  return out;
}
