import { columnContributions, type Label, type SupplementaryOptions, supplementary } from '@scree/analysis';
import { describeComponent } from '@scree/analysis/describe';
import type { Matrix, NumberArray, Stability } from '@scree/core';
import type { NestedModels } from '@scree/core/pipeline';
import { shorten } from '../shorten.js';
import type { Control, LoadedTable } from './loaded-table.js';

/** Most columns of groups, and of other numbers, that components are compared with. */
const MAX_GROUP_COLUMNS = 5;
const MAX_NUMBER_COLUMNS = 10;
/** Most groups of a column, and the rows per group at least on average: otherwise its cells are names rather than groups. */
const MAX_LEVELS = 20;
const ROWS_PER_GROUP = 3;
/** Most cells that are compared: columns of text are read from the file, and numbers are copied. */
const MAX_CELLS = 5e6;
/** Longest names in a sentence. */
const NAME_LENGTH = 40;

export interface MeaningRequest {
  readonly table: LoadedTable;
  readonly models: NestedModels;
  readonly matrix: Matrix<NumberArray>;
  /** Rows of the table that were fitted; undefined when all were. */
  readonly keptRows: Uint32Array | undefined;
  /** Columns of the table that were fitted. */
  readonly columns: readonly number[];
  /** Columns that identify rows: nothing is related to them. */
  readonly identifiers: ReadonlySet<number>;
  readonly stability: Stability | undefined;
  /** Number of components. */
  readonly k: number;
}

/**
 * What each component means, from core's `describeComponent`: the columns of the fit, and the groups and numbers that were not
 * fitted, as far as they are significant. Null where nothing is. Single pixels of pictures are not named.
 */
export async function meaningOf(request: MeaningRequest, control: Control): Promise<(string | null)[]> {
  const { table, models, matrix, columns, stability, k } = request;
  const { info } = table;
  const model = models.first(k);
  const found = await supplementary(model, matrix, { ...(await others(request)), ...control });
  const nameOf = (column: number): string => {
    const name = shorten(info.columns[column].name, NAME_LENGTH);
    return info.named ? name : `column "${name}"`;
  };
  const facts = {
    columns: info.picture ? [] : columnContributions(model).map((each, i) => ({ ...each, name: nameOf(columns[i]) })),
    supplementary: {
      columns: found.columns.map((each) => ({ ...each, name: shorten(each.name ?? '', NAME_LENGTH) })),
      groups: found.groups.map((group) => ({
        ...group,
        name: shorten(group.name, NAME_LENGTH),
        levels: group.levels.map((level) => ({ ...level, level: shorten(level.level, NAME_LENGTH) })),
      })),
    },
    ...(stability ? { correlationIntervals: stability.correlations } : {}),
  };
  return Array.from({ length: k }, (_, c) => describeComponent(model, c, facts) ?? null);
}

/** The columns that had no part in the fit: those of groups, and those of other numbers. */
async function others({
  table,
  matrix,
  keptRows,
  columns,
  identifiers,
}: MeaningRequest): Promise<Pick<SupplementaryOptions, 'groups' | 'columns' | 'columnNames'>> {
  const rows = matrix.rows;
  const rowOf = (i: number): number => (keptRows ? keptRows[i] : i);
  const groups: [name: string, labels: readonly Label[]][] = [];
  const numbers: { readonly name: string; readonly at: (row: number) => number }[] = [];
  const most = Math.floor(MAX_CELLS / table.rows);
  let texts = 0;
  for (const [index, { name, kind }] of table.info.columns.entries()) {
    if (kind === 'other' || columns.includes(index) || identifiers.has(index)) continue;
    const column = table.column(index);
    if (!column && texts++ >= most) continue;
    const cells = column ? undefined : await table.texts(index);
    const labels = Array.from({ length: rows }, (_, i) =>
      column ? column.at(rowOf(i)) : cells?.[rowOf(i)],
    ) satisfies Label[];
    if (isGrouping(labels)) groups.push([name, labels]);
    else if (column) numbers.push({ name, at: column.at });
  }
  const used = numbers.slice(0, Math.min(MAX_NUMBER_COLUMNS, most));
  const chosen = { groups: Object.fromEntries(groups.slice(0, MAX_GROUP_COLUMNS)) };
  if (used.length === 0) return chosen;
  const data = Float64Array.from({ length: rows * used.length }, (_, at) =>
    used[at % used.length].at(rowOf(Math.floor(at / used.length))),
  );
  return { ...chosen, columns: { rows, cols: used.length, data }, columnNames: used.map(({ name }) => name) };
}

/** Whether labels make groups: two or more, of enough rows each; of numbers, whole ones only. */
function isGrouping(labels: readonly Label[]): boolean {
  const levels = new Set<Label>();
  let present = 0;
  for (const label of labels) {
    if (label === null || label === undefined || label === '' || Number.isNaN(label)) continue;
    if (typeof label === 'number' && !Number.isInteger(label)) return false;
    present++;
    levels.add(label);
    if (levels.size > MAX_LEVELS) return false;
  }
  return levels.size >= 2 && present >= ROWS_PER_GROUP * levels.size;
}
