import { DataError, type Encoding, type PcaOptions, type RowSource, type Warning } from '@scree/core';
import {
  changeTable,
  columnsAsText,
  encodeColumns,
  encodedSource,
  mapSource,
  selectColumns,
  type Table,
  toRowSource,
} from '@scree/core/data';
import type { ColumnRoles } from './column-roles.js';
import type { FileRows } from './file-rows.js';
import { type KeptColumns, keptColumns } from './kept-columns.js';
import { remoteRows } from './remote-rows.js';

/** What the columns of a table of parts are for, by their indexes. */
export interface PartRoles extends Pick<ColumnRoles, 'used' | 'cols' | 'categories' | 'supplementary' | 'groups'> {
  /** The column that names the rows beside others: it is not analysed. */
  readonly rowNames: number | undefined;
}

/** The rows of a file as they are analysed: as they are, or encoded. */
export interface FileView {
  readonly source: RowSource;
  /** The same rows with the columns that are not analysed. */
  readonly parts: Table;
  readonly roles: PartRoles;
  /** A table with the columns `used`, and the column that names its rows. */
  readonly labelled: { readonly table: Table; readonly name: number | undefined };
  readonly shape: readonly number[] | undefined;
  /** Every column of the file, if the options keep them. */
  readonly kept: KeptColumns | undefined;
  /** The encoding, and the options with which PCA of `source` is the method that it was made for. */
  readonly coding?: Encoding | undefined;
  readonly fit?: Pick<PcaOptions, 'k' | 'scale' | 'ddof'> | undefined;
}

/** The rows as they are. */
export function plainView(rows: FileRows): FileView {
  const { table, complete, cells, roles } = rows;
  const { used, categories } = roles;
  const analysed = rows.followed(complete);
  const source = mapSource(toRowSource(used === 'all' ? analysed : selectColumns(analysed, used)), {
    get rows() {
      return rows.rows;
    },
    remote: remoteRows(rows),
    expectedRows: () => table.rows ?? table.expectedRows?.(),
    warnings: () => rows.warnings(),
    close: () => {},
  });
  return {
    source,
    parts: categories.length > 0 ? rows.followed(cells) : analysed,
    roles: { ...roles, rowNames: besideName(roles) },
    labelled: { table: analysed, name: roles.name },
    shape: categories.length > 0 ? cells.shape : table.shape,
    kept: rows.kept && keptColumns(analysed, roles, rows.kept),
  };
}

/** A column that is analysed names no rows beside them. */
function besideName({ used, supplementary, name }: ColumnRoles): number | undefined {
  return name === undefined || used === 'all' || [...used, ...supplementary].includes(name) ? undefined : name;
}

/** How a file is encoded. */
export interface EncodeFileOptions extends Pick<FileView, 'fit'> {
  /** The encoded rows of a fit, if they were opened with the encoding. */
  readonly source?: RowSource;
  /** Present for the rows of the fit, whose number is known then. Levels without weight in the fit are not in its encoding. */
  readonly fitted?: { readonly rows: number };
  /** Warnings of the fit of the encoding. */
  readonly warnings?: readonly Warning[];
  /** The supplementary columns and the groups that remain, by their names; all of them if left out. */
  readonly supplementary?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** The rows with their columns encoded. Supplementary columns, groups, names and categories stay as they are. */
export function encodedView(rows: FileRows, coding: Encoding, options: EncodeFileOptions): FileView {
  const { roles } = rows;
  const { source, fitted, warnings = [], fit } = options;
  const table = tableWithTexts(rows, [...roles.categories, ...roles.groups], coding.method !== 'pca');
  const inputs = inputsOf(coding, rows);
  const named = (columns: readonly number[], names: readonly string[] | undefined): readonly number[] =>
    names ? names.map((name) => columnOf(name, columns, rows)) : columns;
  const supplementary = named(roles.supplementary, options.supplementary);
  const groups = named(roles.groups, options.groups);
  const name = besideName(roles);
  const { kept } = rows;
  const others = [
    ...new Set([
      ...supplementary,
      ...groups,
      ...roles.categories,
      ...(roles.name === undefined ? [] : [roles.name]),
      ...(kept ? [...kept.numbers, ...kept.texts, ...kept.verbatim] : []),
    ]),
  ];
  // A level without weight in the fit counts as the average here.
  const lenient: Encoding = source || fitted ? { ...coding, unseen: 'mean' } : coding;
  const parts = encodeColumns(table, lenient, { inputs, others });
  const cols = parts.width - others.length;
  const places = new Map(others.map((column, at) => [column, cols + at]));
  const placesOf = (columns: readonly number[]): number[] => columns.flatMap((column) => places.get(column) ?? []);
  const [labelName] = placesOf(roles.name === undefined ? [] : [roles.name]);
  return {
    source: source ?? encodedSource(selectColumns(table, inputs), coding, { ...(fitted ? { fitted } : {}), warnings }),
    parts,
    roles: {
      used: [...Array(cols).keys()],
      cols,
      categories: placesOf(roles.categories),
      supplementary: placesOf(supplementary),
      groups: placesOf(groups),
      rowNames: name === undefined ? undefined : labelName,
    },
    labelled: { table: parts, name: labelName },
    shape: undefined,
    kept:
      kept &&
      keptColumns(
        parts,
        { used: [...Array(cols).keys()], cols },
        {
          columns: kept.columns,
          numbers: placesOf(kept.numbers),
          texts: placesOf(kept.texts),
          verbatim: placesOf(kept.verbatim),
        },
      ),
    coding,
    fit,
  };
}

/** The rows with some columns as text. `gaps`: missing values are passed on if the encoding has rules for them. */
function tableWithTexts(rows: FileRows, texts: readonly number[], gaps = false): Table {
  const { cells, complete, roles } = rows;
  const table = rows.followed(gaps || roles.categories.length > 0 ? cells : complete);
  const typed = texts.length === 0 ? table : columnsAsText(table, texts);
  return changeTable(typed, { warnings: () => rows.warnings(), close: async () => {} });
}

/** The analysed columns in their order, with categories as text. */
export function tableOfCells(rows: FileRows): Table {
  return selectColumns(tableWithTexts(rows, rows.roles.categories, true), rows.roles.mixed());
}

/** The supplementary columns, and the groups as text. Columns of an array are named by their numbers. */
export function supplementaryTable(rows: FileRows): Table {
  const { supplementary, groups } = rows.roles;
  const table = changeTable(tableWithTexts(rows, groups), { named: true, uniform: false });
  return selectColumns(table, [...supplementary, ...groups]);
}

/** The columns that an encoding reads: by name, or by position if they have none or other names. Its covariates follow. */
function inputsOf({ named, columns, regression }: Encoding, rows: FileRows): number[] {
  const { table, roles, facts } = rows;
  const mixed = roles.mixed();
  if (mixed.length !== columns.length) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `${facts.path} has ${mixed.length} columns to encode, and the encoding has ${columns.length}.`,
      { value: mixed.length, expected: columns.length },
    );
  }
  const byName = new Map(named ? mixed.map((j) => [table.columns[j].name, j]) : []);
  const covariates = (regression?.covariates ?? []).map(({ name, levels }) =>
    columnOf(name, levels ? roles.groups : roles.supplementary, rows),
  );
  return [...columns.map(({ name }, j) => byName.get(name) ?? mixed[j]), ...covariates];
}

function columnOf(name: string, columns: readonly number[], { table, facts }: FileRows): number {
  const found = columns.find((j) => table.columns[j].name === name);
  if (found !== undefined) return found;
  throw new DataError('MISSING_COLUMN', `${facts.path} has no supplementary column or group ${JSON.stringify(name)}.`, {
    columnName: name,
  });
}
