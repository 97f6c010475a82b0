import { DataError, type ErrorDetails, OptionError } from '@scree/core';
import type { Table, TableColumn } from '@scree/core/data';
import { DEFAULT_MEMORY, type FileOptions } from '../options.js';
import { columnRange, type ListOption } from './column-ranges.js';
import { checkColumns } from './most-columns.js';

/** A column that is not analysed, and the reason. */
export interface LeftOut {
  readonly name: string;
  readonly type: string;
  readonly why: string;
  /** The share of numbers among the values of a column of text, if it is a fifth or more. */
  readonly numericShare?: number;
}

/** The role of each column of a table, by the column's index. */
export interface ColumnRoles {
  /** The columns of numbers that are analysed. */
  readonly used: readonly number[] | 'all';
  /** The same columns, followed by the weight if there is one. */
  readonly usedAndWeight: readonly number[] | 'all';
  /** Number of the columns in `used`. */
  readonly cols: number;
  /** Names of the columns in `used`. */
  names(): readonly string[];
  /** The column that names the rows. */
  readonly name: number | undefined;
  /** The column that colours the rows. */
  readonly color: number | undefined;
  readonly weight: number | undefined;
  /** The column whose text decides which rows are read. */
  readonly by: number | undefined;
  /** The categories, in the order of the file. */
  readonly categories: readonly number[];
  /** Numbers and categories together, in the order of the option `columns` or of the file. */
  mixed(): readonly number[];
  /** The supplementary columns of numbers, and the columns that are groups. */
  readonly supplementary: readonly number[];
  readonly groups: readonly number[];
  readonly leftOut: readonly LeftOut[];
}

/** Every column is used. An array may have millions of columns, so they are not listed. */
function everyColumn({ width }: Table): ColumnRoles {
  return {
    used: 'all',
    usedAndWeight: 'all',
    cols: width,
    names: () => Array.from({ length: width }, (_, j) => String(j)),
    name: undefined,
    color: undefined,
    weight: undefined,
    by: undefined,
    categories: [],
    supplementary: [],
    groups: [],
    mixed: () => [...Array(width).keys()],
    leftOut: [],
  };
}

function checkSupplementary({ columns }: Table, supplementary: readonly number[], path: string): void {
  for (const j of supplementary) {
    if (columns[j].kind !== 'number')
      throw notNumeric(
        columns[j],
        path,
        'Supplementary columns must be numbers: name it in groups instead.',
        'supplementary-text',
      );
  }
}

/** Assigns roles to the columns of a table as the options say. */
export function chooseRoles(table: Table, options: FileOptions, path: string): ColumnRoles {
  const {
    columns: wanted,
    exclude,
    weight: weightName,
    categories: asked,
    codes,
    supplementary: besides,
    groups: grouping,
    only,
  } = options;
  const { name: nameName, color: colorName } = labelNames(options);
  if (
    [wanted, exclude, nameName, colorName, weightName, asked, codes, besides, grouping, only].every(
      (option) => option === undefined,
    ) &&
    table.uniform
  ) {
    return everyColumn(table);
  }
  checkColumns(table.width, options.memory ?? DEFAULT_MEMORY, path);
  const { find, findAll } = columnFinder(table, path);
  const name = nameName === undefined ? undefined : find(nameName);
  const color = colorName === undefined ? undefined : find(colorName);
  const weight = weightName === undefined ? undefined : find(weightName);
  if (weight !== undefined && table.columns[weight].kind !== 'number') {
    throw notNumeric(table.columns[weight], path, 'Weights must be numbers.');
  }
  const supplementary = [...new Set(findAll(besides ?? [], 'supplementary', ({ kind }) => kind === 'number'))];
  const groups = [...new Set(findAll(grouping ?? [], 'groups'))];
  checkSupplementary(table, supplementary, path);
  checkApart(table, { supplementary, groups, weight });
  const beside = new Set([...supplementary, ...groups]);
  const excluded = new Set(findAll(exclude ?? [], 'exclude'));
  const by = only === undefined ? undefined : find(only.column);
  const taken = new Set([name, color, weight, by, ...beside]);
  // A range has what would be analysed without the option: no row numbers, and text only if it is a category.
  const isMeant = ({ kind, index, partition }: TableColumn, j: number): boolean =>
    !index &&
    !partition &&
    !taken.has(j) &&
    (kind === 'number' || (kind === 'text' && (asked === true || asked === 'only')));
  const chosen = new Set(wanted ? findAll(wanted, 'columns', isMeant) : []);
  const isCategory = ({ kind, index }: TableColumn, j: number): boolean =>
    asked === 'only' && wanted
      ? chosen.has(j)
      : (asked === true || asked === 'only') && kind === 'text' && !index && (!wanted || chosen.has(j));
  const named = new Set([
    ...findAll(Array.isArray(asked) ? asked : [], 'categories'),
    ...findAll(codes ?? [], 'codes'),
  ]);
  const categories = [...table.columns.keys()].filter(
    (j) => !excluded.has(j) && (named.has(j) || (isCategory(table.columns[j], j) && !taken.has(j))),
  );
  const reasons = new Map<number, string>();
  const why = (column: TableColumn, j: number): string | undefined => {
    if (j === name || j === color) return name === color ? 'label' : j === name ? 'name' : 'color';
    if (j === weight) return 'weight';
    if (j === by) return 'by';
    if (beside.has(j)) return supplementary.includes(j) ? 'supplementary' : 'group';
    if (excluded.has(j)) return 'excluded';
    if (categories.includes(j)) return 'category';
    if (wanted && !chosen.has(j) && (asked === true || asked === 'only')) return 'not chosen';
    if (column.index) return 'row index';
    if (column.partition) return 'folder name';
    if (asked === 'only' && column.kind === 'number') return 'numbers';
    return column.kind === 'number' ? undefined : column.kind === 'text' ? 'text' : column.type;
  };
  table.columns.forEach((column, j) => {
    const reason = why(column, j);
    if (reason !== undefined) reasons.set(j, reason);
  });
  let used: number[];
  if (wanted === undefined) used = [...table.columns.keys()].filter((j) => !reasons.has(j));
  else {
    used = [...chosen].filter((j) => !excluded.has(j) && !categories.includes(j) && !beside.has(j) && asked !== 'only');
    for (const j of used) {
      if (table.columns[j].kind !== 'number')
        throw notNumeric(table.columns[j], path, 'Only numbers can be analysed: leave it out, or use it as label.');
    }
    // A column that is chosen by name may be analysed and name or colour the rows as well.
    for (const j of table.columns.keys()) if (!reasons.has(j)) reasons.set(j, 'not chosen');
    for (const j of used) reasons.delete(j);
  }
  if (used.length === 0 && categories.length === 0) throw nothingToUse(table, path, asked === 'only');
  for (const j of categories) reasons.delete(j);
  const mixed = new Set([...used, ...categories]);
  const names = used.map((j) => table.columns[j].name);
  return {
    used,
    usedAndWeight: weight === undefined ? used : [...used, weight],
    cols: used.length,
    names: () => names,
    name,
    color,
    weight,
    by,
    categories,
    supplementary,
    groups,
    mixed: () =>
      (wanted ? [...new Set([...chosen, ...categories])] : [...table.columns.keys()]).filter((j) => mixed.has(j)),
    leftOut: [...reasons].sort(([a], [b]) => a - b).map(([j, reason]) => leftOut(table.columns[j], reason)),
  };
}

/** Decides which columns of a range or a pattern are meant. */
type Fits = (column: TableColumn, j: number) => boolean;

/** Finds columns by their names, ranges and patterns. Throws if there are none. */
function columnFinder(
  table: Table,
  path: string,
): {
  find(name: string): number;
  findAll(names: readonly string[], option: ListOption, fits?: Fits): readonly number[];
} {
  const { columns, named } = table;
  const indexes = new Map(columns.map(({ name }, j) => [name, j]));
  const known = (name: string): number | undefined => indexes.get(name) ?? indexes.get(name.trim());
  const find = (name: string): number => known(name) ?? fail(unknown(name, table, path));
  return {
    find,
    findAll: (names, option, fits = () => true) =>
      names.flatMap((name) => {
        const one = known(name);
        if (one !== undefined) return [one];
        const several = range(name, table) ?? (named ? columnRange(name.trim(), columns, option) : undefined);
        if (!several) return [find(name)];
        const meant = several.filter((j) => fits(columns[j], j));
        return meant.length > 0 ? meant : fail(noneOfRange(name, option));
      }),
  };
}

function noneOfRange(given: string, option: ListOption): OptionError {
  return new OptionError('BAD_OPTION', `None of the columns ${given} can be used: columns of numbers are expected.`, {
    option,
    value: given,
  });
}

/** Refuses a column that is a group and a supplementary column or the weight. */
function checkApart(
  table: Table,
  { supplementary, groups, weight }: Pick<ColumnRoles, 'supplementary' | 'groups' | 'weight'>,
): void {
  const twice = groups.find((j) => supplementary.includes(j) || j === weight);
  if (twice === undefined) return;
  const other = twice === weight ? 'weight' : 'supplementary';
  throw new OptionError(
    'BAD_OPTION',
    `Column ${JSON.stringify(table.columns[twice].name)} is in groups and in ${other}. Leave it out of one of them.`,
    { option: 'groups', value: table.columns[twice].name },
  );
}

function leftOut({ name, type, numericShare }: TableColumn, why: string): LeftOut {
  return { name, type, why, ...(numericShare !== undefined && why === 'text' ? { numericShare } : {}) };
}

/** The columns that name and colour the rows. `label` is the default of both. */
export function labelNames({ label, name, color }: FileOptions): Pick<FileOptions, 'name' | 'color'> {
  return { name: name ?? label, color: color ?? label };
}

/** The columns of a range such as '0-99'. Only arrays have ranges: their columns have no names that could contain a hyphen. */
function range(name: string, table: Table): number[] | undefined {
  const [, from, to] = /^(\d{1,9})-(\d{1,9})$/.exec(name) ?? [];
  if (table.named || from === undefined || Number(from) > Number(to) || Number(to) >= table.width) return undefined;
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i);
}

function unknown(name: string, table: Table, path: string): DataError {
  const some = table.columns.slice(0, 12).map((column) => column.name);
  const more = table.width > some.length ? `, … (${table.width} in all)` : '';
  const has = table.named
    ? `It has ${some.map((each) => JSON.stringify(each)).join(', ')}${more}`
    : `Its columns are numbered from 0 to ${table.width - 1}`;
  return new DataError('MISSING_COLUMN', `${path} has no column ${JSON.stringify(name)}. ${has}.`, {
    columnName: name,
  });
}

function notNumeric(column: TableColumn, path: string, remedy: string, reason?: ErrorDetails['reason']): DataError {
  return new DataError(
    'NOT_A_NUMBER',
    `Column ${JSON.stringify(column.name)} of ${path} holds ${column.kind === 'text' ? 'text' : column.type}, not numbers. ${remedy}`,
    { columnName: column.name, ...(reason ? { reason } : {}) },
  );
}

function nothingToUse(table: Table, path: string, onlyCategories: boolean): DataError | OptionError {
  if (onlyCategories) {
    return new DataError(
      'BAD_DATA',
      `${path} has no column of text to use as a category. Name columns whose numbers are codes in codes.`,
      { reason: 'no-categories' },
    );
  }
  const numeric = table.columns.filter(({ kind }) => kind === 'number').length;
  if (numeric > 0)
    return new OptionError(
      'BAD_OPTION',
      `No column of ${path} is left to analyse: all ${numeric} numeric ones are excluded, label, weight or row index.`,
      { option: 'exclude' },
    );
  const some = table.columns.slice(0, 8).map(({ name, type }) => `${JSON.stringify(name)} (${type})`);
  return new DataError(
    'BAD_DATA',
    `${path} has no numeric column, only ${some.join(', ')}${table.width > 8 ? ', …' : ''}.`,
  );
}

function fail(error: Error): never {
  throw error;
}
