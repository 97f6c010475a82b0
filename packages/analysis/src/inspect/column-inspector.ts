import type { NumberArray } from '@scree/core';
import {
  type Block,
  blockStatistics,
  type ColumnStatistics,
  columnSquares,
  type DenseBlock,
  decoded,
  isFloatArray,
  mergeStatistics,
} from '@scree/core/data';
import type { Task } from '@scree/core/pipeline';
import { mayNameRows } from './column-names.js';
import { CorrelationSample, type DuplicateGroup, duplicateColumns } from './duplicate-columns.js';
import { type RepeatedRows, RowComparison } from './repeated-rows.js';
import { Restarts } from './restarts.js';

/** Facts about a column from one reading. */
export interface ColumnFacts {
  readonly index: number;
  readonly name?: string;
  readonly mean: number;
  /** The standard deviation, with divisor n − 1. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
  /** The number of values that are exactly 0; undefined if single values were not inspected (sparse rows, moments, very many columns). */
  readonly zeros?: number;
  /** True if all values are whole numbers; undefined as above. */
  readonly integers?: boolean;
  /** The different values in rising order, if there are at most 32. */
  readonly levels?: readonly number[];
  /** How whole numbers change from row to row, if they always rise or always fall. */
  readonly steps?: Steps;
  /** Rows of the largest group, if whole numbers rise in groups. */
  readonly largestGroup?: number;
  /** True if no whole number occurs twice. Known only if the name may be that of an identifier. */
  readonly unique?: boolean;
  /** True if whole numbers count up, mostly by 1, and start again at least once, as a number within groups does. */
  readonly restarts?: boolean;
}

/**
 * `counting`: every step from row to row is 1 (or every step is −1); `one-way`: every step is positive (or negative); `groups`: steps
 * are 0 and 1.
 */
export type Steps = 'counting' | 'one-way' | 'groups';

/** Facts about the columns from one reading. */
export interface InspectedColumns {
  /** Rows, without those of weight 0. */
  readonly rows: number;
  readonly columns: readonly ColumnFacts[];
  readonly duplicates: readonly DuplicateGroup[];
  /** The number of evenly spread rows on which the correlations of `duplicates` were measured. */
  readonly sampledRows: number;
  /** These rows; undefined if single values were not inspected. */
  readonly sample?: SampledRows;
  /** Rows that repeat earlier rows; undefined if rows were not compared. */
  readonly repeated?: RepeatedRows;
}

/** Evenly spread rows, packed one after the other. */
export interface SampledRows {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array;
}

/** Most different values that are kept per column. */
const MOST_LEVELS = 32;
/** Most values of a column that are kept to find repeated ones. Further values are not compared. */
const MOST_KEPT = 1 << 20;
/** Most columns whose single values are inspected. Tables with more columns are images, spectra or counts of words. */
const MOST_COLUMNS = 1 << 14;
/** Numbers of a chunk of rows, and its fewest rows. After each chunk, columns with nothing left to learn are no longer followed. */
const CHUNK = 1 << 15;
const LEAST_ROWS = 256;

/** Properties that the whole numbers of a column may still have, as bits. */
const [INTEGERS, RISING, FALLING, COUNTING, COUNTING_DOWN, GROUPS, DIFFERENT, RESTARTING] = [
  1, 2, 4, 8, 16, 32, 64, 128,
];
const EVERYTHING = 255;

/** Inspects the single values of rows as they are read, block by block. Memory O(d), plus the values of columns that may be identifiers. */
export class ColumnInspector {
  readonly #names: readonly string[] | undefined;
  readonly #flags: Uint8Array;
  readonly #previous: Float64Array;
  readonly #zeros: Float64Array;
  /** For each column, the rows since its value changed, and the most rows between two changes. */
  readonly #run: Uint32Array;
  readonly #longest: Uint32Array;
  /** The different values of each column, while they are few: whole numbers from 0 to 31 as bits, the others in a set. */
  readonly #small: Int32Array;
  readonly #levels: (Set<number> | undefined)[] = [];
  readonly #kept = new Map<number, Set<number>>();
  readonly #sample: CorrelationSample;
  readonly #comparison: RowComparison;
  readonly #restarts = new Map<number, Restarts>();
  #begun = false;
  #followed: boolean;

  constructor(cols: number, names: readonly string[] | undefined) {
    this.#names = names;
    this.#followed = cols <= MOST_COLUMNS;
    const followed = this.#followed ? cols : 0;
    this.#flags = new Uint8Array(followed).fill(EVERYTHING);
    this.#previous = new Float64Array(followed);
    this.#zeros = new Float64Array(followed);
    this.#small = new Int32Array(followed);
    this.#run = new Uint32Array(followed);
    this.#longest = new Uint32Array(followed);
    this.#sample = new CorrelationSample(cols);
    this.#comparison = new RowComparison(cols);
    for (let j = 0; j < followed; j++) {
      this.#levels.push(new Set());
      if (names && mayNameRows(names[j])) this.#kept.set(j, new Set());
    }
  }

  /** Adds the next rows. Rows of weight 0 do not count. */
  *add(given: Block, weights?: Float64Array): Task<void> {
    if (given.kind === 'sparse') this.#followed = false;
    if (!this.#followed || given.kind === 'sparse') return;
    const block = decoded(given);
    yield* this.#follow(block, weights);
    this.#sample.add(block, weights);
    this.#comparison.add(block, weights);
  }

  /** The same, and adds the rows to statistics. Throws if a value is not finite. */
  *addTo(statistics: ColumnStatistics, block: Block, weights: Float64Array | undefined, first: number): Task<void> {
    const read = block.kind === 'dense' ? decoded(block) : block;
    mergeStatistics(statistics, yield* blockStatistics(read, weights, first, this.#names));
    yield* this.add(read, weights);
  }

  /** The facts about the rows, whose statistics are given. */
  result(statistics: Readonly<ColumnStatistics>): InspectedColumns {
    const read = columnsFromStatistics(statistics, this.#names);
    if (!this.#followed) return read;
    const columns = read.columns.map((facts, j): ColumnFacts => ({ ...facts, ...this.#wholeNumbers(j) }));
    const { rows, cols, data } = this.#sample;
    return {
      ...read,
      columns,
      duplicates: rows > 0 ? duplicateColumns(this.#sample) : [],
      sampledRows: rows,
      ...(rows > 0 ? { sample: { rows, cols, data } } : {}),
      ...this.#comparison.result(),
    };
  }

  #wholeNumbers(j: number): Partial<ColumnFacts> {
    const flags = this.#flags[j];
    const zeros = this.#zeros[j];
    const levels = this.#levelsOf(j);
    const some = levels ? { levels } : {};
    if (!(flags & INTEGERS)) return { zeros, integers: false, ...some };
    const steps =
      flags & (COUNTING | COUNTING_DOWN)
        ? 'counting'
        : flags & (RISING | FALLING)
          ? 'one-way'
          : flags & GROUPS
            ? 'groups'
            : undefined;
    return {
      zeros,
      integers: true,
      ...some,
      ...(steps ? { steps } : {}),
      ...(steps === 'groups' ? { largestGroup: this.#longest[j] } : {}),
      ...(this.#kept.has(j) ? { unique: (flags & DIFFERENT) > 0 } : {}),
      ...(flags & RESTARTING && this.#restarts.get(j)?.found ? { restarts: true } : {}),
    };
  }

  *#follow({ rows, cols, stride, data }: DenseBlock, weights: Float64Array | undefined): Task<void> {
    const whole = !isFloatArray(data);
    const height = Math.max(LEAST_ROWS, Math.floor(CHUNK / cols));
    for (let top = 0; top < rows; top += height) {
      // Most columns of measurements are settled in the first rows, which have fractions and many values.
      const [open, maybeWhole] = this.#undecided(whole);
      const bottom = Math.min(rows, top + height);
      for (let i = top; i < bottom; i++) {
        if (weights?.[i] === 0) continue;
        const row = i * stride;
        countZeros(data, row, cols, this.#zeros);
        if (maybeWhole.length > 0) {
          for (const j of maybeWhole) if (data[row + j] !== Math.floor(data[row + j])) this.#flags[j] = 0;
        }
        if (open.length > 0) for (const j of open) this.#next(j, data[row + j]);
        this.#begun = true;
      }
      yield (bottom - top) * cols;
    }
  }

  /** Columns whose steps or values must be followed, and columns that may only still get a fraction. */
  #undecided(whole: boolean): [open: number[], maybeWhole: number[]] {
    const open: number[] = [];
    const maybeWhole: number[] = [];
    for (const [j, flags] of this.#flags.entries()) {
      const kept = flags & DIFFERENT && this.#kept.has(j);
      if (flags & (RISING | FALLING | GROUPS | RESTARTING) || kept || this.#levels[j]) open.push(j);
      else if (flags && !whole) maybeWhole.push(j);
    }
    return [open, maybeWhole];
  }

  /** Adds the next value of a column. */
  #next(j: number, value: number): void {
    const flags = this.#flags[j];
    const step = value - this.#previous[j];
    if (this.#begun && step === 0) {
      this.#flags[j] = flags & (INTEGERS | GROUPS);
      this.#longest[j] = Math.max(this.#longest[j], ++this.#run[j]);
      return;
    }
    this.#run[j] = 1;
    this.#previous[j] = value;
    // Bits take a tenth of the time of a set.
    if (this.#levels[j]) {
      if (value >= 0 && value < 32 && value === (value | 0)) this.#small[j] |= 1 << value;
      else this.#level(j, value);
    }
    if (!flags) return;
    if (!Number.isInteger(value)) {
      this.#flags[j] = 0;
      this.#kept.get(j)?.clear();
      return;
    }
    if (this.#begun) {
      let broken = step > 0 ? FALLING : RISING;
      if (step !== 1) broken |= COUNTING | GROUPS;
      if (step !== -1) broken |= COUNTING_DOWN;
      if (flags & RESTARTING && !this.#restarts.get(j)?.add(value, step)) broken |= RESTARTING;
      this.#flags[j] = flags & ~broken;
    } else this.#restarts.set(j, new Restarts(value));
    if (this.#flags[j] & DIFFERENT) this.#keep(j, value);
  }

  /** Adds a value that is not a small whole number. */
  #level(j: number, value: number): void {
    const levels = this.#levels[j];
    if (levels && levels.add(value).size > MOST_LEVELS) this.#levels[j] = undefined;
  }

  /** The different values of a column, if there are few. */
  #levelsOf(j: number): number[] | undefined {
    const large = this.#levels[j];
    if (!large) return undefined;
    const levels = [...large];
    for (let value = 0; value < 32; value++) if (this.#small[j] & (1 << value)) levels.push(value);
    return levels.length > MOST_LEVELS ? undefined : levels.sort((a, b) => a - b);
  }

  #keep(j: number, value: number): void {
    const kept = this.#kept.get(j);
    if (!kept || kept.size === MOST_KEPT) return;
    if (!kept.has(value)) kept.add(value);
    else {
      this.#flags[j] &= ~DIFFERENT;
      kept.clear();
    }
  }
}

/** Counts the zeros of each column in a row. A nonzero product of four entries shows that none is 0, which halves the time. */
function countZeros(data: NumberArray, row: number, cols: number, zeros: Float64Array): void {
  let j = 0;
  for (; j + 4 <= cols; j += 4) {
    const at = row + j;
    if (data[at] * data[at + 1] * (data[at + 2] * data[at + 3]) !== 0) continue;
    for (let i = 0; i < 4; i++) if (data[at + i] === 0) zeros[j + i]++;
  }
  for (; j < cols; j++) if (data[row + j] === 0) zeros[j]++;
}

/** The facts about columns that follow from their statistics, without rows. */
export function columnsFromStatistics(
  statistics: Readonly<ColumnStatistics>,
  names: readonly string[] | undefined,
): InspectedColumns {
  const { rows, mean, min, max } = statistics;
  const columns = Array.from(mean, (_, index) => {
    const name = names?.[index];
    const deviation = deviationOf(statistics, index);
    // + 0 turns −0 into 0.
    const facts = { index, mean: mean[index], deviation, min: min[index] + 0, max: max[index] + 0 };
    return name === undefined ? facts : { ...facts, name };
  });
  return { rows, columns, duplicates: [], sampledRows: 0 };
}

function deviationOf(statistics: Readonly<ColumnStatistics>, j: number): number {
  const { sum, unit } = columnSquares(statistics, j, true);
  return statistics.weight > 1 ? Math.sqrt(sum / (statistics.weight - 1)) * unit : 0;
}
