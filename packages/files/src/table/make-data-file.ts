import { DataError, OptionError } from '@scree/core';
import {
  changeTable,
  columnsAsText,
  filterRows,
  mapAsync,
  mapSource,
  readSeveralTexts,
  selectColumns,
  selectRows,
  type Table,
  type Text,
  toRowSource,
} from '@scree/core/data';
import { DEFAULT_MEMORY, type FileOptions } from '../options.js';
import { type ColumnRoles, chooseRoles, labelNames } from './column-roles.js';
import type { DataFile, LabelledBlock } from './data-file.js';
import { describeFile } from './describe-file.js';
import { explainError } from './explain-error.js';
import { type FileFacts, FileRows } from './file-rows.js';
import { collectLabels, type LabelOptions, type Labels } from './labels.js';
import { readWeights } from './read-weights.js';
import { remoteRows } from './remote-rows.js';
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
  if (!ranges) return dataFile(fileRows(table, only !== undefined), options);
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
  return dataFile(rows, options, dataFile(apart, options));

  function fileRows(own: Table, filtered: boolean, fitted?: FileRows): FileRows {
    const roles = chooseRoles(own, options, path);
    checkFill(options, roles, path);
    return new FileRows({ table: own, roles, options, facts, filtered, fitted });
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

function dataFile(rows: FileRows, options: FileOptions, supplementaryRows?: DataFile): DataFile {
  const { table, complete, roles, facts } = rows;
  const { used, cols, categories, leftOut } = roles;
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
  const { name: label, color } = labelNames(options);
  const namesOf = (columns: readonly number[]): string[] => columns.map((j) => table.columns[j].name);
  async function* labelled(): AsyncGenerator<LabelledBlock, void, void> {
    const { name } = roles;
    if (name === undefined) throw noLabel('name');
    for await (const { block, texts } of analysed.read({ numbers: used, texts: [name] }))
      yield { block, labels: texts[0] };
  }
  const file: DataFile = {
    source,
    get table() {
      return tableOfCells(rows);
    },
    get columns() {
      return roles.names();
    },
    categories: namesOf(categories),
    leftOut,
    label,
    color,
    weight: options.weight,
    supplementary: namesOf(roles.supplementary),
    groups: namesOf(roles.groups),
    supplementaryRows,
    format: table.format,
    bytes: facts.bytes,
    shape: categories.length > 0 ? rows.cells.shape : table.shape,
    get rows() {
      return rows.rows;
    },
    get dropped() {
      return rows.dropped;
    },
    labelled,
    withSupplementary: () => supplementaryBlocks(categories.length > 0 ? rows.followed(rows.cells) : analysed, roles),
    labels: (given = {}) => labelsOf(rows, given, options.memory),
    weights: async () => (roles.weight === undefined ? undefined : readWeights(rows, roles.weight)),
    countMissing: () => rows.countMissing(),
    rowsInFile: (some) => rows.rowsInFile(some),
    explain: (error) => explainError(error, rows),
    describe: () => {
      const counts = { dropped: rows.dropped, supplementary: supplementaryRows?.rows };
      return describeFile(facts.path, file, { cols, categories: categories.length, ...counts });
    },
    close: () => table.close(),
  };
  return file;
}

/** The analysed columns in their order, with categories as text. */
function tableOfCells(rows: FileRows): Table {
  const { cells, roles } = rows;
  const mixed = roles.mixed();
  const chosen = selectColumns(rows.followed(cells), mixed);
  const categories = mixed.flatMap((j, at) => (roles.categories.includes(j) ? [at] : []));
  const typed = categories.length === 0 ? chosen : columnsAsText(chosen, categories);
  return changeTable(typed, { warnings: () => rows.warnings(), close: async () => {} });
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
