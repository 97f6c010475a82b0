import { DataError, type Matrix, type NumberArray } from '@scree/core';
import { Pace } from '@scree/core/engine';
import type { Column, Table } from '@scree/core/files';
import { shorten } from '../shorten.js';
import { Growing } from './matrix-builder.js';
import type { ColumnFacts, DataFacts } from './messages.js';

/** Most bytes of numbers that a page holds. Beyond it browsers refuse, some by ending the page. */
const MOST_BYTES = 1.5 * 2 ** 30;

/** Columns that hold numbers but for some cells, by their places, and the first such cell in words. */
type Broken = Map<number, string>;

/** Each costs another reading; a table with more of them is something else than it seemed. */
const MOST_BROKEN = 20;

/** Labels that came in a file of their own. */
export interface ExtraColumn {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** Control of work that takes long. */
export interface Control {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { phase: string; done: number; total?: number }) => void;
}

/**
 * A table in the worker's memory: all its columns of numbers, row by row in the type they are stored in, missing ones as
 * NaN. Columns of text are read from the file when somebody asks for them.
 */
export class Held {
  readonly facts: Omit<DataFacts, 'id'>;
  readonly rows: number;
  readonly #table: Table;
  /** Places in the table of the columns of `numbers`, in its order. */
  readonly #places: readonly number[];
  readonly #numbers: Matrix<NumberArray>;
  readonly #extra: ExtraColumn | undefined;
  readonly #texts = new Map<number, readonly (string | null)[]>();

  private constructor(
    table: Table,
    name: string,
    places: readonly number[],
    broken: Broken,
    numbers: Matrix<NumberArray>,
    extra: ExtraColumn | undefined,
  ) {
    this.#table = table;
    this.#numbers = numbers;
    this.#extra = extra;
    this.#places = places;
    this.rows = numbers.rows;
    const missing = countMissing(numbers);
    const columns: ColumnFacts[] = table.columns.map(({ name: title, kind, type, index }, j) => {
      const at = this.#places.indexOf(j);
      const why = broken.get(j);
      if (why !== undefined) return { name: title, kind: 'text', type: 'text', missing: 0, usable: false, broken: why };
      const usable = kind === 'number';
      return { name: title, kind, type, missing: at < 0 ? 0 : missing[at], usable, ...(index ? { index } : {}) };
    });
    if (extra) columns.push({ name: extra.name, kind: 'number', type: 'labels', missing: 0, usable: false });
    const { shape } = table;
    this.facts = {
      name,
      format: table.format,
      rows: this.rows,
      columns,
      named: table.named,
      ...(shape?.length === 3 ? { picture: [shape[1], shape[2]] as const } : {}),
    };
  }

  /**
   * Reads the numbers of a table. A column that turns out to hold something else is one of text, and says why: a file cannot
   * be read without it, and the page has no other way to leave it out.
   */
  static async read(table: Table, name: string, extra: ExtraColumn | undefined, control: Control): Promise<Held> {
    const broken: Broken = new Map();
    for (;;) {
      const places = numberPlaces(table.columns).filter((place) => !broken.has(place));
      if (places.length === 0) throw await nothingToRead(table, name);
      try {
        const numbers = await readNumbers(table, places, name, control);
        if (extra && extra.numbers.length !== numbers.rows) {
          throw new DataError('BAD_DATA', `There are ${extra.numbers.length} labels for ${numbers.rows} rows.`);
        }
        return new Held(table, name, places, broken, numbers, extra);
      } catch (error) {
        const found = brokenColumn(error);
        if (!found || broken.size === MOST_BROKEN || places.length === 1) throw error;
        broken.set(...found);
      }
    }
  }

  /** One column as numbers, and these as text; undefined where it holds none. */
  column(place: number): NumberColumn | undefined {
    if (this.#extra && place === this.facts.columns.length - 1) {
      const { numbers } = this.#extra;
      return numberColumn((row) => numbers[row], false);
    }
    const at = this.#places.indexOf(place);
    if (at < 0) return undefined;
    const { data, cols } = this.#numbers;
    return numberColumn((row) => data[row * cols + at], data instanceof Float32Array);
  }

  /** A column as text; null where nothing is there. */
  async texts(place: number): Promise<readonly (string | null)[]> {
    const numbers = this.column(place);
    if (numbers) return Array.from({ length: this.rows }, (_, i) => numbers.show(i));
    const known = this.#texts.get(place);
    if (known) return known;
    const texts: (string | null)[] = [];
    for await (const { text } of this.#table.read({ numbers: [], text: place })) {
      // One by one: a batch may be longer than what fits into one call.
      for (const cell of text ?? []) texts.push(cell);
    }
    this.#texts.set(place, texts);
    return texts;
  }

  /**
   * Chosen columns of all rows that have them, or with the column's mean where they are missing; `kept` says which rows
   * these are, where not all. When everything is chosen and nothing missing, no copy is made.
   */
  choose(
    columns: readonly number[],
    missing: 'drop' | 'mean',
  ): { readonly matrix: Matrix<NumberArray>; readonly kept?: Uint32Array; readonly incomplete: number } {
    const places = columns.map((column) => this.#places.indexOf(column));
    const { data, rows, cols } = this.#numbers;
    const complete = columns.every((column) => this.facts.columns[column].missing === 0);
    if (complete && places.length === cols && places.every((place, j) => place === j)) {
      return { matrix: this.#numbers, incomplete: 0 };
    }
    const whole = Array.from({ length: rows }, (_, i) => places.every((j) => !Number.isNaN(data[i * cols + j])));
    const incomplete = whole.reduce((count, is) => count + (is ? 0 : 1), 0);
    const fill = incomplete > 0 && missing === 'mean' ? places.map((j) => meanOf(this.#numbers, j)) : undefined;
    const count = fill ? rows : rows - incomplete;
    const chosen = new (data.constructor as new (length: number) => NumberArray)(count * places.length);
    const kept = new Uint32Array(count);
    let to = 0;
    for (let i = 0; i < rows; i++) {
      if (!whole[i] && !fill) continue;
      kept[to] = i;
      places.forEach((j, c) => {
        const value = data[i * cols + j];
        chosen[to * places.length + c] = fill && Number.isNaN(value) ? fill[c] : value;
      });
      to++;
    }
    return {
      matrix: { rows: count, cols: places.length, data: chosen },
      incomplete,
      ...(count === rows ? {} : { kept }),
    };
  }

  close(): Promise<void> {
    return this.#table.close();
  }
}

async function readNumbers(
  table: Table,
  places: readonly number[],
  name: string,
  control: Control,
): Promise<Matrix<NumberArray>> {
  const grown = new Growing(places.length, table.rows, MOST_BYTES, name);
  const request = { numbers: table.uniform ? ('all' as const) : places };
  const pace = new Pace(control);
  pace.begin('reading', table.rows);
  for await (const { block } of table.read(request)) {
    grown.add(block);
    const pause = pace.step(block.rows);
    if (pause) await pause;
  }
  pace.end();
  return grown.matrix();
}

/** Why there are no numbers to read: without any row nobody can tell what the columns hold. */
async function nothingToRead(table: Table, name: string): Promise<DataError> {
  if (!(await hasRows(table))) return new DataError('EMPTY_DATA', `${name} has no rows, only names of columns.`);
  return new DataError(
    'NOT_A_NUMBER',
    `No column of ${name} holds numbers. PCA needs at least one; numbers are written with a decimal point and without units.`,
  );
}

async function hasRows(table: Table): Promise<boolean> {
  if (table.rows !== undefined) return table.rows > 0;
  for await (const { block } of table.read({ numbers: [], text: 0 })) if (block.rows > 0) return true;
  return false;
}

function brokenColumn(error: unknown): [column: number, why: string] | undefined {
  if (!(error instanceof DataError) || !['NOT_A_NUMBER', 'BAD_DATA'].includes(error.code)) return undefined;
  const { row, column, value } = error.details;
  if (row === undefined || column === undefined) return undefined;
  return [column, `row ${row + 1} holds ${shorten(JSON.stringify(value), 40)}`];
}

interface NumberColumn {
  readonly at: (row: number) => number;
  readonly show: (row: number) => string | null;
}

function numberColumn(at: (row: number) => number, single: boolean): NumberColumn {
  return { at, show: (row) => showNumber(at(row), single) };
}

function numberPlaces(columns: readonly Column[]): number[] {
  return columns.flatMap(({ kind }, j) => (kind === 'number' ? [j] : []));
}

function countMissing({ data, rows, cols }: Matrix<NumberArray>): Uint32Array {
  const counts = new Uint32Array(cols);
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return counts;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) if (Number.isNaN(data[i * cols + j])) counts[j]++;
  }
  return counts;
}

/** Mean of the values that are there; 0 where none is. */
function meanOf({ data, rows, cols }: Matrix<NumberArray>, j: number): number {
  let mean = 0;
  let count = 0;
  for (let i = 0; i < rows; i++) {
    const value = data[i * cols + j];
    if (!Number.isNaN(value)) mean += (value - mean) / ++count;
  }
  return mean;
}

/** A number as text, null where there is none: every digit it has, for it may be the name of something. */
export function showNumber(value: number, single: boolean): string | null {
  if (Number.isNaN(value)) return null;
  if (!single) return String(value);
  // Of a float32 as few digits as tell it from its neighbours: those after them are its distance from what was meant.
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
