import type { DataError, Warning } from '@scree/core';
import {
  dropMissing,
  fillMissing,
  GapCounts,
  numberRows,
  type ReadRequest,
  RowNumbers,
  refuseMissing,
  type Table,
} from '@scree/core/data';
import type { FileOptions } from '../options.js';
import type { ColumnRoles } from './column-roles.js';
import { type ConvertedColumn, convertedWarning } from './converted-values.js';
import type { MissingValues } from './data-file.js';
import type { KeptIndexes } from './kept-columns.js';
import { columnMeans, countMissing } from './missing-values.js';
import { leftOutWarning, missingError, missingSomewhere, nothingLeft } from './table-errors.js';

/** What is known of a file besides its table. */
export interface FileFacts {
  readonly path: string;
  readonly bytes: number | undefined;
  /** Called when rows were read: whether the file was changed meanwhile. */
  readonly warnings?: (() => Promise<readonly Warning[]>) | undefined;
}

export interface FileRowsOptions {
  /** The rows that the options choose, with missing values as they are. */
  readonly table: Table;
  readonly roles: ColumnRoles;
  readonly options: Pick<FileOptions, 'missing' | 'fill' | 'weight'>;
  readonly facts: FileFacts;
  /** True if rows were left out, so that row numbers differ from those of the file. */
  readonly filtered: boolean;
  /** The rows whose means replace missing values; the same rows if left out. */
  readonly fitted?: FileRows | undefined;
  /** The columns that are kept beside the analysed ones. */
  readonly kept?: KeptIndexes | undefined;
}

/** The rows of a file that are analysed, with missing values handled, and the facts that readings find out. */
export class FileRows {
  readonly table: Table;
  readonly roles: ColumnRoles;
  readonly facts: FileFacts;
  readonly kept: KeptIndexes | undefined;
  readonly missing: NonNullable<FileOptions['missing']>;
  readonly fill: FileOptions['fill'];
  /** True if rows with missing values are left out. */
  readonly drops: boolean;
  /** The table with missing values of the analysed columns dropped, filled in or refused. */
  readonly complete: Table;
  /** The table whose cells are coded: a coding has rules for missing values, so they are only dropped here. */
  readonly cells: Table;
  /** Number of rows, if it is known. */
  rows: number | undefined;
  /** What the last whole reading found about missing values. */
  counts: GapCounts | undefined;
  readonly #weight: string | undefined;
  readonly #filtered: boolean;
  readonly #fitted: FileRows | undefined;
  #means: Promise<ArrayLike<number>> | undefined;
  #handled: GapCounts | undefined;
  #numbers = new RowNumbers();

  constructor({ table, roles, options, facts, filtered, fitted, kept }: FileRowsOptions) {
    this.kept = kept;
    this.table = table;
    this.roles = roles;
    this.facts = facts;
    this.missing = options.missing ?? 'error';
    this.fill = options.fill;
    this.#weight = options.weight;
    this.#filtered = filtered;
    this.#fitted = fitted;
    const mixed = roles.categories.length > 0;
    this.drops = this.missing === 'drop' && (table.mayMissValues || mixed);
    this.complete = this.#handleMissing();
    this.cells = mixed && this.drops ? this.complete : table;
    this.rows = this.drops ? undefined : table.rows;
  }

  /** The table with missing values handled. Arrays are not searched for them if they are errors: the fit finds them faster. */
  #handleMissing(): Table {
    const { table, roles, fill } = this;
    const onRead = (counts: GapCounts): void => {
      this.#handled = counts;
    };
    if (this.drops) return dropMissing(table, { numbers: roles.usedAndWeight, texts: roles.categories, onRead });
    if (!table.mayMissValues || table.nonzeros !== undefined || this.missing === 'keep') return table;
    if (this.missing === 'mean') {
      const from = fill ? 'given' : 'mean';
      return fillMissing(table, { columns: roles.used, values: () => this.#replacements(), from, onRead });
    }
    return table.checkMissing ? refuseMissing(table, roles.used, () => this.missingError()) : table;
  }

  /** Replacements of missing values, computed once. */
  #replacements(): Promise<ArrayLike<number>> {
    if (this.#fitted) return this.#fitted.#replacements();
    this.#means ??= this.fill
      ? Promise.resolve(this.fill)
      : columnMeans(this.table, this.roles, (j) => this.columnName(j));
    return this.#means;
  }

  /** A table whose readings count the rows, learn their numbers, and fail if there are none. */
  followed(table: Table): Table {
    return numberRows(table, {
      begin: (numbers) => {
        // Until all rows were read, those of the newest reading are known best.
        if (this.rows === undefined || this.#numbers.count < this.rows) this.#numbers = numbers;
      },
      end: (numbers) => {
        if (numbers.count === 0) throw this.emptyError();
        this.rows = numbers.count;
        this.#numbers = numbers;
        this.counts = this.#handled ?? wholeReading(numbers.count);
      },
    });
  }

  /** The numbers of rows in the file. They are learned by a reading, if rows are left out and were not read yet. */
  async rowsInFile(rows: readonly number[]): Promise<number[]> {
    if (!this.#filtered && !this.drops) return [...rows];
    const last = rows.reduce((most, row) => Math.max(most, row), -1);
    if (last >= this.#numbers.count) {
      const request: ReadRequest = { numbers: [] };
      for await (const _ of this.followed(this.complete).read(request));
    }
    return rows.map((row) => (row < this.#numbers.count ? this.#numbers.of(row) : row));
  }

  /** The name of an analysed column, of the weight after these columns, or of a category after the weight. */
  columnName(j: number): string {
    const { table, roles } = this;
    const { used, cols, categories, weight } = roles;
    if (j < cols) return table.named ? roles.names()[j] : String(used === 'all' ? j : used[j]);
    if (j === cols && weight !== undefined) return String(this.#weight);
    return table.columns[categories[j - cols - (weight === undefined ? 0 : 1)]].name;
  }

  /** The file of a row and its row there, if the table is in several files. */
  place(row: number): { readonly row: number; readonly path: string } {
    return this.table.locate?.(row) ?? { row, path: this.facts.path };
  }

  countMissing(): Promise<MissingValues> {
    return countMissing(this.cells, this.roles, (j) => this.columnName(j));
  }

  async missingError(): Promise<DataError> {
    const { path } = this.facts;
    if (!this.table.rereadable) return missingSomewhere(path);
    const counted = await this.countMissing();
    return missingError(path, counted, this.place(counted.first ?? 0));
  }

  emptyError(): DataError {
    return nothingLeft(this.facts.path, this.drops);
  }

  /** Rows with missing values that were left out. */
  get dropped(): number {
    return (this.#handled ?? this.counts)?.dropped ?? 0;
  }

  async warnings(): Promise<Warning[]> {
    const { table, facts } = this;
    return [...((await table.warnings?.()) ?? []), ...((await facts.warnings?.()) ?? []), ...this.#readingWarnings()];
  }

  /** What the choice of columns and the last whole reading did to the values. */
  #readingWarnings(): Warning[] {
    const { counts, roles, facts } = this;
    const mixed = roles.categories.length > 0;
    if (!counts) return mixed ? leftOutWarning(roles.leftOut) : [];
    return [
      ...(mixed ? [] : convertedWarning(facts.path, this.#truthValues(counts))),
      ...leftOutWarning(roles.leftOut),
      ...counts.warnings((j) => this.columnName(j)),
    ];
  }

  /** Columns of a type of truth values, which become 1 and 0. An array of nothing else needs no warning. */
  #truthValues(counts: GapCounts): ConvertedColumn[] {
    const { table, roles } = this;
    if (table.uniform || roles.used === 'all') return [];
    return roles.used.flatMap((column, j): ConvertedColumn[] =>
      /^bool/i.test(table.columns[column].type)
        ? [{ name: this.columnName(j), kind: 'boolean', count: counts.rows - counts.missing(j), from: 'true', to: 1 }]
        : [],
    );
  }
}

/** The counts of a reading that found no missing value. */
function wholeReading(rows: number): GapCounts {
  const counts = new GapCounts();
  counts.rows = rows;
  return counts;
}
