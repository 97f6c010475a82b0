import type { ProgressTracker } from '../../base/progress.js';
import { DataError, describeValue } from '../../errors.js';
import { isGap, readCells, type Table } from '../../table/table.js';
import type { Warning } from '../../warning.js';
import { empty } from '../inputs/to-block.js';
import type { RowWeights } from '../statistics/weights.js';
import type {
  CategoryColumn,
  EncodedColumn,
  Encoding,
  EncodingMethod,
  MissingRule,
  NumberColumn,
  Transform,
  UnseenRule,
} from './encoding.js';
import { levelOf, notNumeric } from './table-encoder.js';
import { functionOf } from './transforms.js';

/** Largest number of levels of a column. A column with more levels identifies the rows. */
const MOST_LEVELS = 10_000;
/** Largest number of distinct values whose ranks are stored in the model, over all columns. */
const MOST_RANKED = 1_000_000;

/** The rules of an encoding, which are known before the table is read. */
export interface EncodingRules {
  readonly method: EncodingMethod;
  readonly missing: MissingRule;
  readonly unseen: UnseenRule;
  /** Levels with a smaller share are pooled. 0: none. */
  readonly rare: number;
  /** Returns true if a column is a category for any values. */
  readonly isCategory: (name: string) => boolean;
  readonly transformOf: (name: string) => Transform;
}

/** An encoding, and facts about the rows that it was learned from. */
export interface LearnedEncoding {
  readonly coding: Encoding;
  /** Number of rows that were read, and number of rows with a weight above 0. */
  readonly rows: number;
  readonly present: number;
  readonly warnings: readonly Warning[];
}

/**
 * Reads a table once and learns its encoding. A column is a number or a category: the rules or the file decide, or else its first
 * value. Categories have their levels with their shares, in alphabetical or numeric order. Numbers have their mean, deviation and
 * ranks. A row of weight w counts w times. Memory grows with the number of levels, and for ranks with the number of distinct
 * values, but not with the number of rows.
 */
export async function learnEncoding(
  table: Table<unknown>,
  rules: EncodingRules,
  weights: RowWeights,
  progress: ProgressTracker,
): Promise<LearnedEncoding> {
  const columns = table.columns.map(
    (column, j) => new ColumnLearner(table.columns, j, rules, ENCODED_KINDS[column.kind]),
  );
  let [rows, present] = [0, 0];
  progress.begin('levels', table.rows);
  for await (const batch of readCells(table)) {
    const own = weights.slice(rows, batch.rows);
    for (const [j, column] of columns.entries()) {
      const cell = batch.columns[j];
      for (let i = 0; i < batch.rows; i++) column.add(cell(i), batch.rowNumber(i), own ? own[i] : 1);
      const pause = progress.step(0);
      if (pause) await pause;
    }
    for (let i = 0; i < batch.rows; i++) if (!own || own[i] > 0) present++;
    if (columns.reduce((sum, column) => sum + column.distinct, 0) > MOST_RANKED) throw tooManyRanks();
    rows += batch.rows;
    const pause = progress.step(batch.rows);
    if (pause) await pause;
  }
  if (rows === 0) throw empty();
  weights.end(rows);
  progress.end();
  const { method, missing, unseen } = rules;
  const encoding: Encoding = {
    version: 1,
    method,
    named: table.named,
    missing,
    unseen,
    columns: columns.map((column) => column.result()),
  };
  return { coding: encoding, rows, present, warnings: warningsOf(encoding, columns, rows) };
}

/** How a column of each kind is encoded; undefined if its values decide. */
const ENCODED_KINDS = { number: 'number', text: 'category', other: undefined } as const;

/** Learns the encoding of one column, cell by cell. */
class ColumnLearner {
  gaps = 0;
  readonly #columns: Table['columns'];
  readonly #at: number;
  readonly #rules: EncodingRules;
  readonly #transform: Transform;
  #kind: 'number' | 'category' | undefined;
  /** The weight of each level, and of each value that is ranked. */
  readonly #counts = new Map<string, number>();
  readonly #values = new Map<number, number>();
  #gapWeight = 0;
  #weight = 0;
  #mean = 0;
  #squares = 0;

  constructor(columns: Table['columns'], at: number, rules: EncodingRules, kind: 'number' | 'category' | undefined) {
    this.#columns = columns;
    this.#at = at;
    this.#rules = rules;
    this.#transform = rules.transformOf(columns[at].name);
    this.#kind = rules.isCategory(columns[at].name) ? 'category' : kind;
  }

  /** Number of distinct values that are kept for ranks. */
  get distinct(): number {
    return this.#values.size;
  }

  add(cell: unknown, row: number, weight: number): void {
    if (isGap(cell)) {
      this.gaps++;
      this.#gapWeight += weight;
      return;
    }
    this.#kind ??= typeof cell === 'number' ? 'number' : 'category';
    // A row of weight 0 does not count.
    if (weight === 0) return;
    this.#weight += weight;
    if (this.#kind === 'number') this.#addNumber(cell, row, weight);
    else this.#addLevel(levelOf(cell, row, this.#at, this.#columns) as string, weight);
  }

  #addLevel(level: string, weight: number): void {
    this.#counts.set(level, (this.#counts.get(level) ?? 0) + weight);
    if (this.#counts.size <= MOST_LEVELS) return;
    const { name } = this.#columns[this.#at];
    throw new DataError(
      'TOO_LARGE',
      `Column ${describeValue(name)} has more than ${MOST_LEVELS} levels. A column that names the rows is not a category: leave it out.`,
      { column: this.#at, columnName: name, expected: MOST_LEVELS },
    );
  }

  #addNumber(cell: unknown, row: number, weight: number): void {
    if (typeof cell !== 'number') throw notNumeric(cell, row, this.#at, this.#columns);
    if (this.#transform === 'rank') {
      // +0 and −0 are one value.
      if (Number.isFinite(cell)) this.#values.set(cell + 0, (this.#values.get(cell + 0) ?? 0) + weight);
      if (this.#values.size > MOST_RANKED) throw tooManyRanks();
      return;
    }
    // Values that cannot be transformed or are not finite are refused when the rows are encoded.
    const value = functionOf(this.#transform).of(cell);
    const delta = value - this.#mean;
    this.#mean += (weight / this.#weight) * delta;
    this.#squares += weight * delta * (value - this.#mean);
  }

  result(): EncodedColumn {
    return this.#kind === 'number' ? this.#number() : this.#category();
  }

  #number(): NumberColumn {
    const { name } = this.#columns[this.#at];
    const column = { kind: 'number', name, transform: this.#transform } as const;
    if (this.#weight === 0) throw noValue(name, this.#at);
    if (this.#transform !== 'rank') return { ...column, ...this.#moments(this.#mean, this.#squares) };
    const values = [...this.#values.keys()].sort((a, b) => a - b);
    let before = 0;
    let [sum, squares] = [0, 0];
    const ranks = values.map((value) => {
      const weight = this.#values.get(value) as number;
      const rank = before + (weight + 1) / 2;
      before += weight;
      sum += weight * rank;
      return rank;
    });
    const mean = sum / this.#weight;
    values.forEach((value, i) => {
      squares += (this.#values.get(value) as number) * (ranks[i] - mean) ** 2;
    });
    return { ...column, ...this.#moments(mean, squares), values, ranks };
  }

  #moments(mean: number, squares: number): Pick<NumberColumn, 'mean' | 'deviation'> {
    const deviation = Math.sqrt(Math.max(0, squares) / this.#weight);
    return Number.isFinite(mean) && Number.isFinite(deviation) ? { mean: mean + 0, deviation } : {};
  }

  #category(): CategoryColumn {
    const { name } = this.#columns[this.#at];
    const { rare, missing } = this.#rules;
    const all = sortLevels([...this.#counts.keys()]);
    const weightOf = (level: string): number => this.#counts.get(level) as number;
    const gapLevel = missing === 'level' && this.#gapWeight > 0;
    const whole = this.#weight + (gapLevel ? this.#gapWeight : 0);
    if (whole === 0) throw noValue(name, this.#at);
    const levels = all.filter((level) => !(weightOf(level) < rare * whole));
    const counts = levels.map(weightOf);
    const pooled = all.filter((level) => weightOf(level) < rare * whole);
    const add = (label: string, weight: number): number => {
      counts.push(weight);
      return levels.push(unused(label, levels)) - 1;
    };
    const other =
      pooled.length > 0
        ? {
            other: add(
              '(other)',
              pooled.reduce((sum, level) => sum + weightOf(level), 0),
            ),
          }
        : {};
    const gap = gapLevel ? { gap: add('(missing)', this.#gapWeight) } : {};
    return { kind: 'category', name, levels, shares: counts.map((count) => count / whole), ...other, ...gap };
  }
}

/** Sorts levels: numerically if all levels are numbers, otherwise by code units, independent of the locale. */
function sortLevels(levels: string[]): string[] {
  const numeric = levels.every((level) => level.trim() !== '' && Number.isFinite(Number(level)));
  return numeric ? levels.sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)) : levels.sort();
}

/** Returns a label that is not a level, by adding parentheses. */
function unused(label: string, levels: readonly string[]): string {
  return levels.includes(label) ? unused(`(${label})`, levels) : label;
}

function tooManyRanks(): DataError {
  return new DataError(
    'TOO_LARGE',
    `Ranks of more than ${MOST_RANKED} distinct values would have to be kept in the model. Use another transform, or rank fewer columns.`,
    { expected: MOST_RANKED },
  );
}

function noValue(name: string, column: number): DataError {
  return new DataError('MISSING_VALUES', `Column ${describeValue(name)} has no value at all. Leave it out.`, {
    column,
    columnName: name,
    reason: 'empty-column',
  });
}

/** Levels that often mean a missing value. In text they count as values, because NA may be Namibia. */
const MISSING_LEVELS = new Set(['NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NaN', 'nan', 'NULL', 'null', '?']);

/** Warns of the levels of text columns that look like missing values. */
function missingLevels(columns: readonly EncodedColumn[]): Warning[] {
  const found = columns.flatMap((column) => {
    if (column.kind !== 'category') return [];
    const level = column.levels.find((label, i) => MISSING_LEVELS.has(label) && i !== column.gap && i !== column.other);
    return level === undefined ? [] : [{ name: column.name, level }];
  });
  if (found.length === 0) return [];
  const some = found.slice(0, 5).map(({ name, level }) => `${describeValue(level)} of column ${describeValue(name)}`);
  const more = found.length > 5 ? ` and of ${found.length - 5} more columns` : '';
  const [noun, counts] = found.length === 1 ? ['level', 'counts as a value'] : ['levels', 'count as values'];
  return [
    {
      code: 'MISSING_LEVEL',
      message: `The ${noun} ${some.join(', ')}${more} ${counts}. If missing values are meant, pass null in their place, or name them in the option na of openFile.`,
      details: { columns: found.slice(0, 5), count: found.length },
    },
  ];
}

function warningsOf({ columns, missing }: Encoding, learned: readonly ColumnLearner[], rows: number): Warning[] {
  const warnings = missingLevels(columns);
  const constant = columns.filter((column) =>
    column.kind === 'category' ? column.levels.length === 1 : column.deviation === 0,
  );
  if (constant.length > 0) {
    const some = constant.slice(0, 5).map(({ name }) => describeValue(name));
    const more = constant.length > 5 ? ` and ${constant.length - 5} more` : '';
    const [noun, has] = constant.length === 1 ? ['Column', 'has'] : ['Columns', 'have'];
    warnings.push({
      code: 'CONSTANT_COLUMN',
      message: `${noun} ${some.join(', ')}${more} ${has} the same value in every row and can be left out.`,
      details: { names: constant.slice(0, 5).map(({ name }) => name), count: constant.length },
    });
  }
  const gaps = columns.flatMap(({ name }, j) => (learned[j].gaps > 0 ? [{ name, count: learned[j].gaps }] : []));
  if (gaps.length > 0 && missing !== 'error') {
    const values = gaps.reduce((sum, { count }) => sum + count, 0);
    const some = gaps.slice(0, 5).map(({ name, count }) => `${describeValue(name)} (${count})`);
    const more = gaps.length > 5 ? ` and ${gaps.length - 5} more columns` : '';
    const [noun, count, their] = values === 1 ? ['value', 'counts', 'its'] : ['values', 'count', 'their'];
    const rule =
      missing === 'level'
        ? `as a level of ${their} own in categories and as the mean in columns of numbers`
        : `as the mean of ${their} column`;
    warnings.push({
      code: 'VALUES_FILLED',
      message: `${values} missing ${noun} ${count} ${rule}: ${some.join(', ')}${more}, of ${rows} rows.`,
      details: { columns: gaps, values, rows, with: missing },
    });
  }
  return warnings;
}
