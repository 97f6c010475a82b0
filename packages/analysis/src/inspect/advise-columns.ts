import { type Matrix, type NumberArray, type PcaOptions, ScreeError, type Warning } from '@scree/core';
import type { DenseBlock } from '@scree/core/data';
import { bestColour, type ColourColumn } from '../meaning/best-colour.js';
import type { ScaleChoice } from './choose-scale.js';
import { type ColumnAccess, textsToRead } from './column-access.js';
import type { ColumnFacts, InspectedColumns } from './column-inspector.js';
import { inspectColumns } from './inspect-columns.js';
import {
  type ColumnToLeaveOut,
  columnsToLeaveOut,
  countsWithinGroups,
  type LeftOutReason,
  rowMarkers,
  surelyMarkers,
} from './row-markers.js';

/** Most rows of a table in which a column of names is searched. Comparing the texts of more rows would take too much memory. */
const MAX_NAMED_ROWS = 1e6;

type Control = Pick<PcaOptions, 'signal' | 'onProgress'>;

/** Suggested settings for a table, and the reasons, as data. Columns are indexes into the table. */
export interface ColumnAdvice {
  readonly leftOut: readonly ColumnToLeaveOut[];
  /** The column that names rows: the first column of text without missing or repeated values. */
  readonly label?: number;
  /** The scaling of the columns that are not left out, as `scale: 'auto'` chooses it, with the names of columns. */
  readonly scaling: ScaleChoice;
  /** The column whose groups colour the points, and the share of the variance of the standardised columns between the groups. */
  readonly colour?: ColourColumn;
}

/**
 * Suggests settings for a table. Columns that number, date or colour the rows are left out. Columns are scaled as `scale: 'auto'`
 * does. A column of groups colours the points, and a column of different texts names the rows. The library's
 * warnings decide which columns identify rows or hold codes of classes.
 */
export async function adviseColumns(table: ColumnAccess, control: Control = {}): Promise<ColumnAdvice> {
  const { columns } = table;
  const usable = columns.flatMap(({ usable: is }, column) => (is ? [column] : []));
  const declared = usable.filter((column) => columns[column].index);
  const { facts, warnings } = await lookAt(
    table,
    usable.filter((column) => !declared.includes(column)),
    control,
  );
  const index = declared.map((column) => [column, 'index'] as const);
  const markers = rowMarkers({
    facts,
    identifiers: new Map<number, LeftOutReason>([...index, ...identifiers(warnings, table)]),
    restarting: new Set(facts.filter(isRestarting(table)).map((each) => each.index)),
  });
  const sure = new Set(surelyMarkers(markers, facts).map(({ column }) => column));
  const codes = new Set(columnsOf(warnings, 'CATEGORY_CODES', table).filter((column) => !sure.has(column)));
  const candidates = facts.filter(({ index: column }) => !sure.has(column) && !codes.has(column));
  const colour = await bestColour(table, candidates, codes, control);
  const leftOut = columnsToLeaveOut(usable, markers, colour?.column);
  const left = new Set([...markers, ...leftOut].map(({ column }) => column));
  const label = await rowNames(table);
  const { chooseScale } = await import('./choose-scale.js');
  return {
    leftOut,
    scaling: chooseScale(
      await measuredOnce(
        table,
        candidates.filter(({ index: column }) => !left.has(column)),
        control,
      ),
      true,
    ),
    ...(colour ? { colour } : {}),
    ...(label === undefined ? {} : { label }),
  };
}

function isRestarting(table: ColumnAccess): (column: ColumnFacts) => boolean {
  return ({ index, integers }) => {
    const at = integers === true ? table.numbers(index) : undefined;
    return at !== undefined && countsWithinGroups(table.rows, at);
  };
}

/** The first column of text with a different value in every row. */
async function rowNames(table: ColumnAccess): Promise<number | undefined> {
  if (table.rows > MAX_NAMED_ROWS) return undefined;
  for (const column of textsToRead(table)) {
    const seen = new Set<string | null>([null, '']);
    const texts = await table.texts(column);
    if (texts.every((text) => !seen.has(text) && seen.add(text))) return column;
  }
  return undefined;
}

interface Looked {
  /** Facts about each column; `index` is its index in the table. */
  readonly facts: ColumnFacts[];
  readonly warnings: Warning[];
}

/** Inspects the values of each column that are not missing. */
async function lookAt(table: ColumnAccess, columns: readonly number[], control: Control): Promise<Looked> {
  const looked: Looked = { facts: [], warnings: [] };
  const look = async (group: readonly number[], data: Matrix<NumberArray>): Promise<void> => {
    const options = { columnNames: namesOf(table, group), ...control };
    // The fit reports an infinite value, with its position.
    const found = await inspectColumns(data, options).catch((error) => {
      if (error instanceof ScreeError) return undefined;
      throw error;
    });
    for (const each of found?.columns ?? []) looked.facts.push({ ...each, index: group[each.index] });
    looked.warnings.push(...(found?.warnings ?? []));
  };
  const complete = columns.filter((column) => table.columns[column].missing === 0);
  if (complete.length > 0) await look(complete, await table.matrix(complete));
  for (const column of columns) {
    const { missing } = table.columns[column];
    const rows = table.rows - missing;
    if (missing === 0 || rows === 0) continue;
    const at = table.numbers(column);
    const data = new Float64Array(rows);
    for (let i = 0, to = 0; i < table.rows; i++) {
      const value = at?.(i) ?? Number.NaN;
      if (!Number.isNaN(value)) data[to++] = value;
    }
    await look([column], { rows, cols: 1, data });
  }
  looked.facts.sort((a, b) => a.index - b.index);
  return looked;
}

/**
 * The names of columns, which may say what the numbers are. Names that are not unique are replaced, because a warning could not tell
 * the columns apart.
 */
function namesOf({ columns: all, named }: ColumnAccess, columns: readonly number[]): string[] {
  const names = all.map(({ name }) => name);
  const usable = named && new Set(names).size === names.length;
  return columns.map((column) => (usable ? names[column] : `#${column}`));
}

/** The columns that warnings with this code name. */
function columnsOf(warnings: readonly Warning[], code: Warning['code'], table: ColumnAccess): number[] {
  const all = table.columns.map((_, column) => column);
  const indexes = new Map(namesOf(table, all).map((name, column) => [name, column]));
  const named = warnings.filter((each) => each.code === code).flatMap(({ details }) => details?.columns as string[]);
  return named.map((name) => indexes.get(name) as number);
}

function identifiers(warnings: readonly Warning[], table: ColumnAccess): [column: number, reason: LeftOutReason][] {
  const found = warnings.filter(({ code }) => code === 'ID_COLUMN');
  const reasons = found.flatMap(({ details }) => details?.reasons as readonly LeftOutReason[]);
  return columnsOf(warnings, 'ID_COLUMN', table).map((column, i) => [column, reasons[i]]);
}

/** The inspection of some columns together: of their complete rows if values are missing, as they are fitted. */
async function measuredOnce(
  table: ColumnAccess,
  columns: readonly ColumnFacts[],
  { signal }: Control,
): Promise<InspectedColumns> {
  const rows = columns.length === 0 ? 0 : table.rows;
  const isComplete = columns.every(({ index }) => table.columns[index].missing === 0);
  const named = columns.map((column) => ({ ...column, name: table.columns[column.index].name }));
  const read = { rows, columns: named, duplicates: [], sampledRows: 0 };
  if (!isComplete || columns.length === 0) return read;
  const matrix = await table.matrix(columns.map(({ index }) => index));
  const { CorrelationSample } = await import('./duplicate-columns.js');
  const sample = new CorrelationSample(matrix.cols);
  sample.add(
    {
      kind: 'dense',
      rows: matrix.rows,
      cols: matrix.cols,
      stride: matrix.stride ?? matrix.cols,
      data: matrix.data,
    } as DenseBlock,
    undefined,
  );
  signal?.throwIfAborted();
  // In the sample, columns are numbered as in the matrix.
  return { ...read, columns: named.map((column, index) => ({ ...column, index })), sample };
}
