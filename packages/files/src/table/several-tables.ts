import type { DType, Warning } from '@scree/core';
import {
  blockColumns,
  decoded,
  mergeWarnings,
  type ReadRequest,
  type Table,
  type TableBatch,
  type TableColumn,
} from '@scree/core/data';
import { FileError } from '../file-error.js';
import type { CheckedOptions } from '../options.js';
import { columnRange } from './column-ranges.js';

/** One of several files that are read as one table. */
export interface TableFilePart {
  readonly path: string;
  /** Opens the file; it is closed and opened again where there are many. */
  open(): Promise<Table>;
  /** Size of the file; known when it was opened. */
  readonly bytes?: (() => number | undefined) | undefined;
  /** Columns with the same value in every row of the file, as the names of its folders say: year=2024. */
  readonly partitions?: Readonly<Record<string, string | null>> | undefined;
}

/** Files that are open at the same time: each takes memory, and readers of databases much of it. */
const MOST_OPEN = 4;

/** A part, and what was found out about it when it was first opened. */
interface KnownPart extends TableFilePart {
  readonly table: Table;
  /** Of each column of the whole table its index in this file; −1 for a column that the folder names. Undefined: the same indexes. */
  readonly indexes: readonly number[] | undefined;
}

/**
 * Several files as one table: rows one file after the other, columns by name, whatever their order in each file. A file that lacks a
 * column, has one more, or has text where others have numbers is refused by its name, unless the column is not used anyway.
 */
export async function openSeveralTables(parts: readonly TableFilePart[], given: CheckedOptions): Promise<Table> {
  const open = new Map<number, Table>();
  const closeAll = async (): Promise<void> => {
    for (const [i, table] of [...open]) {
      open.delete(i);
      await table.close();
    }
  };
  const tableOf = async (i: number): Promise<Table> => {
    const found = open.get(i);
    if (found) return found;
    for (const [other, table] of [...open].slice(0, open.size - MOST_OPEN + 1)) {
      open.delete(other);
      await table.close();
    }
    const table = await parts[i].open();
    open.set(i, table);
    return table;
  };
  try {
    const first = await tableOf(0);
    const options = withoutRanges(first, given);
    const partitions = first.named ? partitionColumns(parts) : [];
    const columns = first.uniform ? undefined : [...withoutPartitions(first.columns, partitions), ...partitions];
    const known: KnownPart[] = [];
    for (const [i, part] of parts.entries()) {
      const table = await tableOf(i);
      known.push({
        ...part,
        table,
        indexes: columnIndexesIn(table, part.path, first, parts[0].path, columns, options),
      });
    }
    return joined(known, columns ?? first.columns, tableOf, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function joined(
  parts: readonly KnownPart[],
  columns: readonly TableColumn[],
  tableOf: (i: number) => Promise<Table>,
  close: () => Promise<void>,
): Table {
  const [{ table: first }] = parts;
  const tables = parts.map(({ table }) => table);
  /** Rows of each file. Undefined for files that were not counted yet. */
  const counts = tables.map(({ rows }) => rows);
  const sizes = parts.map(({ bytes }) => bytes?.() ?? 0);
  const found: (readonly Warning[])[] = tables.map(() => []);
  const formats = new Set(tables.map(({ format }) => format));
  const sum = (numbers: readonly (number | undefined)[]): number | undefined =>
    numbers.every((each) => each !== undefined)
      ? numbers.reduce((total: number, each) => total + (each ?? 0), 0)
      : undefined;
  const sparse = first.nonzeros === undefined ? {} : { nonzeros: sum(tables.map(({ nonzeros }) => nonzeros)) };
  const tails = new Set(tables.map(({ shape }) => JSON.stringify(shape?.slice(1))));
  const total = sum(counts);
  const shape =
    first.shape && tails.size === 1 && total !== undefined ? { shape: [total, ...first.shape.slice(1)] } : {};
  const ownRequest = ({ table, indexes }: KnownPart, { numbers, texts = [] }: ReadRequest): ReadRequest => {
    if (!indexes) return { numbers, texts };
    const wanted = numbers === 'all' ? columns.map((_, j) => j) : numbers;
    const own = wanted.map((j) => indexes[j]).filter((j) => j >= 0);
    const same = own.length === table.width && own.every((place, j) => place === j);
    return {
      numbers: same && table.uniform ? 'all' : own,
      texts: texts.flatMap((j) => (indexes[j] < 0 ? [] : [indexes[j]])),
    };
  };
  async function* read(request: ReadRequest): AsyncGenerator<TableBatch, void, void> {
    for (const [i, part] of parts.entries()) {
      const table = await tableOf(i);
      let rows = 0;
      for await (const batch of table.read(ownRequest(part, request))) {
        rows += batch.block.rows;
        yield part.indexes?.includes(-1) ? withPartitions(batch, part, request, columns) : batch;
      }
      counts[i] = rows;
      found[i] = (await table.warnings?.()) ?? [];
    }
  }
  return {
    format: `${formats.size === 1 ? first.format : 'several formats'}, ${parts.length} files`,
    columns,
    width: columns.length,
    named: first.named,
    uniform: first.uniform,
    rows: total,
    expectedRows: () => expectedRows(counts, sizes),
    ...sparse,
    ...shape,
    dtype: (numbers): DType =>
      parts.every((part) => {
        const own = ownRequest(part, { numbers }).numbers;
        const asked = numbers === 'all' ? columns.length : numbers.length;
        return (own === 'all' || own.length === asked) && part.table.dtype(own) === 'float32';
      })
        ? 'float32'
        : 'float64',
    mayMissValues: tables.some(({ mayMissValues }) => mayMissValues),
    checkMissing: tables.some(({ checkMissing }) => checkMissing),
    rereadable: tables.every(({ rereadable }) => rereadable),
    manyTexts: tables.every(({ manyTexts }) => manyTexts),
    read,
    locate(row) {
      let before = 0;
      for (const [i, { path }] of parts.entries()) {
        const count = counts[i];
        if (count === undefined || row < before + count) return { path, row: row - before };
        before += count;
      }
      return undefined;
    },
    warnings: () => mergeWarnings(found, sum(counts)),
    close,
  };
}

/** Rows of all files, if the others have as many per byte as those that were counted. */
function expectedRows(counts: readonly (number | undefined)[], bytes: readonly number[]): number | undefined {
  let [rows, counted, total] = [0, 0, 0];
  counts.forEach((count, i) => {
    total += bytes[i];
    if (count === undefined) return;
    rows += count;
    counted += bytes[i];
  });
  return counted > 0 ? Math.round((rows / counted) * total) : undefined;
}

/** The rows with the columns that the folders name. */
function withPartitions(
  { block, texts: read }: TableBatch,
  { indexes = [], partitions = {} }: KnownPart,
  { numbers, texts: asked = [] }: ReadRequest,
  columns: readonly TableColumn[],
): TableBatch {
  const wanted = numbers === 'all' ? columns.map((_, j) => j) : numbers;
  const folderValue = (j: number): string | null => partitions[columns[j].name] ?? null;
  let ownText = 0;
  const texts = asked.map((j) =>
    indexes[j] < 0 ? Array.from({ length: block.rows }, () => folderValue(j)) : read[ownText++],
  );
  if (wanted.every((j) => indexes[j] >= 0)) return { block, texts };
  const { data, stride, rows } = decoded(block.kind === 'dense' ? block : blockColumns(block, [...wanted.keys()]));
  const cols = wanted.length;
  const out = new Float64Array(rows * cols);
  let own = 0;
  for (const [c, j] of wanted.entries()) {
    const from = indexes[j] < 0 ? -1 : own++;
    const value = Number(folderValue(j) ?? Number.NaN);
    for (let i = 0; i < rows; i++) out[i * cols + c] = from < 0 ? value : data[i * stride + from];
  }
  return { block: { kind: 'dense', rows, cols, stride: cols, data: out }, texts };
}

/** The columns that folders name, numbers where all of their values are. All files must be in folders of the same names. */
function partitionColumns(parts: readonly TableFilePart[]): TableColumn[] {
  const names = Object.keys(parts[0].partitions ?? {});
  for (const { path, partitions = {} } of parts) {
    const others = Object.keys(partitions);
    if (others.length === names.length && names.every((name) => Object.hasOwn(partitions, name))) continue;
    const listed = (keys: readonly string[]): string => (keys.length === 0 ? 'no such names' : keys.join(', '));
    throw new FileError(
      'MISSING_COLUMN',
      path,
      `The folders of ${path} name ${listed(others)}, those of ${parts[0].path} name ${listed(names)}. Keep all files of a table in folders with the same names.`,
      { columnName: names.find((name) => !others.includes(name)) ?? others[0] },
    );
  }
  return names.map((name) => {
    const values = parts.map(({ partitions }) => partitions?.[name] ?? null);
    const numeric =
      values.some((value) => value !== null) && values.every((value) => value === null || isNumber(value));
    return { name, kind: numeric ? 'number' : 'text', type: 'folder name', partition: true };
  });
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

/** A column of the file takes precedence over a folder of its name. */
function withoutPartitions(columns: readonly TableColumn[], partitions: TableColumn[]): readonly TableColumn[] {
  for (let i = partitions.length - 1; i >= 0; i--) {
    if (columns.some(({ name }) => name === partitions[i].name)) partitions.splice(i, 1);
  }
  return columns;
}

/** Finds the columns of the whole table in one file. */
function columnIndexesIn(
  table: Table,
  path: string,
  first: Table,
  firstPath: string,
  columns: readonly TableColumn[] | undefined,
  options: CheckedOptions,
): readonly number[] | undefined {
  const refuse = (columnName: string, what: string): FileError =>
    new FileError(
      'MISSING_COLUMN',
      path,
      `${path} ${what}. Files that are read as one table must have the same columns.`,
      {
        columnName,
      },
    );
  if ((table.nonzeros === undefined) !== (first.nonzeros === undefined)) {
    const [is, other] = table.nonzeros === undefined ? ['dense', 'sparse'] : ['sparse', 'dense'];
    throw new FileError(
      'BAD_FILE',
      path,
      `${path} is ${is}, and ${firstPath} is ${other}. Save all of them in one form.`,
    );
  }
  if (!columns || table.uniform || !first.named || !table.named) {
    const alike = table.named === first.named && table.uniform === first.uniform;
    if (alike && table.width === first.width) return undefined;
    if (table.width !== first.width) {
      throw new FileError(
        'WIDTH_MISMATCH',
        path,
        `${path} has ${table.width} columns, and ${firstPath} has ${first.width}. Files that are read as one table must have the same columns.`,
        { value: table.width, expected: first.width },
      );
    }
    if (first.named !== table.named)
      throw refuse(
        '',
        `${table.named ? 'has' : 'has no'} names of columns, and ${firstPath} ${first.named ? 'has' : 'has none'}`,
      );
    return undefined;
  }
  const used = (name: string): boolean => isUsed(name, options);
  const own = new Map(table.columns.map(({ name }, j) => [name, j]));
  const indexes = columns.map(({ name, kind, partition }) => {
    if (partition) return -1;
    const place = own.get(name);
    if (place === undefined) {
      if (!used(name)) return NOT_THERE;
      throw refuse(name, `has no column ${JSON.stringify(name)}, which ${firstPath} has`);
    }
    const there = table.columns[place];
    if (there.kind !== kind && used(name) && !isLabel(name, options)) {
      throw new FileError(
        'NOT_A_NUMBER',
        path,
        `Column ${JSON.stringify(name)} of ${path} holds ${there.type}, and that of ${firstPath} holds ${columns.find((each) => each.name === name)?.type}. Make both the same, or leave the column out.`,
        { columnName: name },
      );
    }
    return place;
  });
  const names = new Set(columns.map(({ name }) => name));
  const more = table.columns.find(({ name, index }) => !names.has(name) && !index && used(name));
  if (more) throw refuse(more.name, `has a column ${JSON.stringify(more.name)}, which ${firstPath} does not have`);
  return indexes;
}

/** Beyond any column: it is never asked for. */
const NOT_THERE = Number.MAX_SAFE_INTEGER;

/** The options with the names of the columns that ranges and patterns mean. */
function withoutRanges({ named, columns }: Table, options: CheckedOptions): CheckedOptions {
  if (!named) return options;
  const names = new Set(columns.map(({ name }) => name));
  const withTexts = options.categories === true || options.categories === 'only';
  const expand = (list: readonly string[], option: 'columns' | 'exclude'): readonly string[] =>
    list.flatMap((given) => {
      const range = names.has(given) ? undefined : columnRange(given.trim(), columns, option);
      // A range of columns to use has columns of numbers, and those of text if they are categories.
      const meant = range?.filter((j) => option === 'exclude' || withTexts || columns[j].kind === 'number');
      return meant?.map((j) => columns[j].name) ?? [given];
    });
  return {
    ...options,
    ...(options.columns ? { columns: expand(options.columns, 'columns') } : {}),
    ...(options.exclude ? { exclude: expand(options.exclude, 'exclude') } : {}),
  };
}

/** Returns true if a column is read: it was chosen, or not left out. */
function isUsed(name: string, options: CheckedOptions): boolean {
  if (isLabel(name, options) || name === options.weight) return true;
  if (options.exclude?.includes(name)) return false;
  return options.columns === undefined || options.columns.includes(name);
}

function isLabel(name: string, { label, name: named, color }: CheckedOptions): boolean {
  return name === label || name === named || name === color;
}
