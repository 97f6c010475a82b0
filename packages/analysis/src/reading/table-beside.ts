import type { Data, RowSource } from '@scree/core';
import { openSource } from '@scree/core/data';
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
}

/** Rows and what stands beside them, as a table. `names` are those of its columns. */
export async function tableBeside(
  source: RowSource,
  { names, columns, columnNames, groups = {}, rows, rowNames }: BesideRows,
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
    parts: () => partsBeside(source, { names, beside, groups }),
  };
}

/** Rows with names and nothing else beside them. */
function namedRows(source: RowSource, names: RowLabels | undefined): Pick<AnalysisTable, 'label' | 'parts'> {
  if (names === undefined) return {};
  return { label: 'name', parts: () => partsBeside(source, { names, beside: undefined, groups: {} }) };
}

async function* partsBeside(
  source: RowSource,
  {
    names,
    beside,
    groups,
  }: { names: RowLabels | undefined; beside: RowSource | undefined; groups: Readonly<Record<string, RowLabels>> },
): AsyncGenerator<TablePart, void, void> {
  const title = names === undefined ? undefined : new AlignedLabels('names', names);
  const numbers = beside && new AlignedRows(beside);
  const labels = Object.entries(groups).map(([name, own]) => new AlignedLabels(name, own));
  const orNull = (list: readonly (string | undefined)[]): (string | null)[] => list.map((text) => text ?? null);
  let rows = 0;
  try {
    for await (const part of partsOf(source)) {
      const count = part.block.rows;
      rows += count;
      const own: (readonly (string | null)[])[] = [];
      for (const each of labels) own.push(orNull(await each.take(count)));
      yield {
        ...part,
        names: title && orNull(await title.take(count)),
        columns: numbers ? await numbers.take(count) : part.columns,
        groups: own,
      };
    }
    await numbers?.end(rows);
    for (const each of [...labels, ...(title ? [title] : [])]) await each.end(rows);
  } finally {
    for (const each of [...labels, ...(title ? [title] : [])]) await each.close();
    await numbers?.close();
  }
}
