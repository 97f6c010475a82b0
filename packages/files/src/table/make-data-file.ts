import { DataError, OptionError } from '@scree/core';
import {
  filterRows,
  mapAsync,
  type ReadRequest,
  readSeveralTexts,
  selectRows,
  type Table,
  type Text,
} from '@scree/core/data';
import { DEFAULT_MEMORY, type FileOptions } from '../options.js';
import { type ColumnRoles, chooseRoles, labelNames } from './column-roles.js';
import type { DataFile, LabelledBlock } from './data-file.js';
import { describeFile } from './describe-file.js';
import { explainError } from './explain-error.js';
import { type FileFacts, FileRows } from './file-rows.js';
import { encodedView, type FileView, plainView, supplementaryTable, tableOfCells } from './file-view.js';
import { keepColumns, rolesBeside } from './kept-columns.js';
import { collectLabels, type LabelOptions, type Labels } from './labels.js';
import { readWeights } from './read-weights.js';
import { supplementaryBlocks } from './supplementary-blocks.js';
import { noLabel, refuseForSparse } from './table-errors.js';

/** Labels that are kept take at most this part of the memory. */
const LABEL_SHARE = 8;

/** The table as a data file: the table steps that the options ask for, and the roles of its columns. */
export function makeDataFile(given: Table, options: FileOptions, facts: FileFacts): DataFile {
  const { path } = facts;
  const { supplementaryRows: ranges, only } = options;
  const sparse = given.nonzeros !== undefined;
  if (sparse) refuseForSparse(options);
  const whole = readSeveralTexts(given);
  const table = only ? rowsOfLevel(whole, options, path) : whole;
  if (!ranges) return asFile(fileRows(table, only !== undefined));
  if (sparse) {
    throw new OptionError('BAD_OPTION', 'Rows of a sparse matrix cannot be chosen as supplementary.', {
      option: 'supplementaryRows',
    });
  }
  const outOfRange = (last: number, rows: number): OptionError =>
    new OptionError(
      'BAD_OPTION',
      `supplementaryRows has row ${last + 1}, and ${path} has ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
      { option: 'supplementaryRows', value: last + 1, expected: rows },
    );
  const rows = fileRows(selectRows(table, { ranges, which: 'outside', outOfRange }), true);
  const apart = fileRows(selectRows(table, { ranges, which: 'inside', outOfRange }), true, rows);
  return asFile(rows, asFile(apart));

  function asFile(own: FileRows, supplementaryRows?: DataFile): DataFile {
    return dataFile(own, plainView(own), options, supplementaryRows);
  }

  function fileRows(own: Table, filtered: boolean, fitted?: FileRows): FileRows {
    const roles = chooseRoles(own, options, path);
    checkFill(options, roles, path);
    const rest = { options, facts, filtered, fitted };
    if (!options.keep) return new FileRows({ ...rest, table: own, roles });
    const { table, kept } = keepColumns(own, options.keep);
    return new FileRows({ ...rest, table, roles: rolesBeside(roles), kept });
  }
}

/** The rows that have the text of the option `only` in its column. */
function rowsOfLevel(table: Table, options: FileOptions, path: string): Table {
  const { by } = chooseRoles(table, options, path);
  const level = options.only?.level;
  return filterRows(table, {
    numbers: [],
    texts: by === undefined ? [] : [by],
    begin: () => (i, _, texts) => texts[0][i] === level,
  });
}

function checkFill({ fill }: FileOptions, { cols }: ColumnRoles, path: string): void {
  if (!fill || fill.length === cols) return;
  throw new DataError(
    'WIDTH_MISMATCH',
    `${path} has ${cols} numeric columns, and there are ${fill.length} numbers to fill gaps with.`,
    { value: cols, expected: fill.length },
  );
}

function dataFile(rows: FileRows, view: FileView, options: FileOptions, supplementaryRows?: DataFile): DataFile {
  const { table, roles, facts } = rows;
  const { source, parts, labelled } = view;
  const { name: label, color } = labelNames(options);
  const namesOf = ({ columns }: Table, indexes: readonly number[]): string[] => indexes.map((j) => columns[j].name);
  const file: DataFile = {
    source,
    get table() {
      return tableOfCells(rows);
    },
    get supplementaryTable() {
      return supplementaryTable(rows);
    },
    coding: view.coding,
    fit: view.fit,
    get columns() {
      return roles.names();
    },
    categories: namesOf(table, roles.categories),
    leftOut: roles.leftOut,
    label,
    color,
    weight: options.weight,
    supplementary: namesOf(parts, view.roles.supplementary),
    groups: namesOf(parts, view.roles.groups),
    supplementaryRows,
    format: table.format,
    bytes: facts.bytes,
    shape: view.shape,
    get rows() {
      return rows.rows;
    },
    get dropped() {
      return rows.dropped;
    },
    labelled: () => labelledBlocks(labelled.table, view.roles.used, labelled.name),
    withSupplementary: () => supplementaryBlocks(parts, view.roles),
    encode: (coding, given = {}) => {
      const { supplementary, groups } = given;
      const apart = supplementaryRows?.encode(coding, { supplementary, groups });
      return dataFile(rows, encodedView(rows, coding, given), options, apart);
    },
    kept: view.kept,
    labels: (given = {}) => labelsOf(rows, given, options.memory),
    weights: async () => (roles.weight === undefined ? undefined : readWeights(rows, roles.weight)),
    countMissing: () => rows.countMissing(),
    rowsInFile: (some) => rows.rowsInFile(some),
    explain: (error) => explainError(error, rows),
    describe: () => describeFile(rows, supplementaryRows?.rows),
    close: () => table.close(),
  };
  return file;
}

/** The rows with their names. */
function labelledBlocks(
  table: Table,
  numbers: ReadRequest['numbers'],
  name: number | undefined,
): AsyncIterable<LabelledBlock> {
  if (name === undefined) throw noLabel('name');
  return mapAsync(table.read({ numbers, texts: [name] }), ({ block, texts: [labels] }) => ({ block, labels }));
}

/** The name or the color of every row as codes. */
function labelsOf(
  { table, complete, roles }: FileRows,
  options: LabelOptions,
  memory = DEFAULT_MEMORY,
): Promise<Labels> {
  const { of = 'name' } = options;
  const column = roles[of];
  if (column === undefined) return Promise.reject(noLabel(of));
  const numeric = table.columns[column].kind === 'number';
  const batches = complete.read({ numbers: [], texts: [column] });
  const texts = mapAsync(batches, ({ texts: [own] }): readonly Text[] => own);
  return collectLabels(texts, numeric, { ...options, bytes: memory / LABEL_SHARE });
}
