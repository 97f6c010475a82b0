import type { DenseBlock } from '@scree/core/data';

/** Columns that are equal up to offset and scale, by index. */
export interface DuplicateGroup {
  readonly columns: readonly number[];
  /** The smallest |r| that joined two of the columns. */
  readonly correlation: number;
}

/** |r| above which columns are equal up to offset and scale. */
export const DUPLICATE_CORRELATION = 0.999;
/** |r| of columns that are equal up to rounding. */
const EXACT = 1 - 1e-12;
/** |r| that columns must also have in the middle half of the rows, because a few distant rows make any |r| large. */
const MIDDLE = 0.9;
/** Sum of squares that is rounding, for columns of length 1. */
const UNVARIED = 1e-28;
/** Fewest columns of a curve, and the |r| of its neighbours. */
const LEAST_CURVE = 10;
const NEIGHBOURS = 0.95;
/** Fewest rows: of a million pairs of independent normal columns with 8 rows, |r| > 0.999 is expected in less than one. */
export const LEAST_ROWS = 8;
/** Rows in which a column must differ from its most frequent value, so that a single row cannot make two columns similar. */
export const LEAST_CHANGES = 4;
/** Most rows and most numbers of a sample. Then it is thinned. */
const MOST_ROWS = 1024;
const MOST_NUMBERS = 1 << 22;
/** Most columns whose pairs are compared. */
const MOST_COLUMNS = 4096;

/** Keeps all rows, or every second, fourth, … row, so that at most 1024 are kept. */
export class CorrelationSample {
  readonly cols: number;
  readonly #most: number;
  #data = new Float64Array(0);
  #rows = 0;
  #every = 1;
  #read = 0;

  constructor(cols: number) {
    this.cols = cols;
    this.#most = cols > MOST_COLUMNS ? 0 : Math.min(MOST_ROWS, 2 * Math.floor(MOST_NUMBERS / cols / 2));
  }

  get rows(): number {
    return this.#rows;
  }

  get data(): Float64Array {
    return this.#data;
  }

  /** Adds the rows of weight above 0. */
  add({ rows, cols, stride, data }: DenseBlock, weights: Float64Array | undefined): void {
    if (this.#most === 0) return;
    for (let i = 0; i < rows; i++) {
      if (weights?.[i] === 0) continue;
      const before = this.#read % this.#every;
      if (before !== 0 && !weights) {
        // Skips the rows up to the next row of the sample.
        const skipped = Math.min(rows - i, this.#every - before);
        this.#read += skipped;
        i += skipped - 1;
        continue;
      }
      this.#read++;
      if (before !== 0) continue;
      if (this.#rows === this.#most) this.#thin();
      if ((this.#read - 1) % this.#every !== 0) continue;
      this.#grow();
      const target = this.#rows++ * cols;
      for (let j = 0; j < cols; j++) this.#data[target + j] = data[i * stride + j];
    }
  }

  #grow(): void {
    const needed = (this.#rows + 1) * this.cols;
    if (needed <= this.#data.length) return;
    const larger = new Float64Array(Math.min(this.#most * this.cols, Math.max(2 * this.#data.length, 16 * this.cols)));
    larger.set(this.#data);
    this.#data = larger;
  }

  #thin(): void {
    for (let i = 1; 2 * i < this.#rows; i++)
      this.#data.copyWithin(i * this.cols, 2 * i * this.cols, (2 * i + 1) * this.cols);
    this.#rows = Math.ceil(this.#rows / 2);
    this.#every *= 2;
  }
}

/**
 * Groups of columns that are joined by pairs with |r| > 0.999 in the sample. For columns z of mean 0 and length 1, ‖z₁ ∓ z₂‖² = 2(1 ∓
 * r). A few rows are enough to rule out most of the d²/2 pairs.
 *
 * Neighbouring columns of curves and pictures (spectra, heights on a grid) are always similar without being duplicates. There only
 * columns that are equal to the last digits count.
 */
export function duplicateColumns(sample: CorrelationSample): DuplicateGroup[] {
  const { rows, cols } = sample;
  if (rows < LEAST_ROWS) return [];
  const z = Array.from({ length: cols }, (_, j) => standardised(sample, j));
  const varying = [...z.keys()].filter((j) => z[j] !== undefined);
  const alike = (i: number, j: number, least: number): number | undefined =>
    sameness(z[i] as Float64Array, z[j] as Float64Array, least);
  let middle: { column: number; rows: readonly number[] } | undefined;
  return groupDuplicates(varying, alike, (i, j) => {
    if (middle?.column !== i) middle = { column: i, rows: middleRows(z[i] as Float64Array) };
    return agreeIn(middle.rows, z[i] as Float64Array, z[j] as Float64Array);
  });
}

/** The same from the scatter of all rows (d × d, upper triangle): r = Sᵢⱼ/√(SᵢᵢSⱼⱼ), for columns that vary enough. */
export function duplicatesOfScatter(scatter: Float64Array, d: number, varying: readonly number[]): DuplicateGroup[] {
  if (d > MOST_COLUMNS) return [];
  return groupDuplicates(varying, (i, j, least) => {
    const r = Math.abs(scatter[i * d + j]) / Math.sqrt(scatter[i * d + i] * scatter[j * d + j]);
    return r > least ? Math.min(1, r) : undefined;
  });
}

/** |r| of columns i < j if it is above `least`. */
type Alike = (i: number, j: number, least: number) => number | undefined;

function groupDuplicates(
  varying: readonly number[],
  alike: Alike,
  confirmed: (i: number, j: number) => boolean = () => true,
): DuplicateGroup[] {
  const least = areCurves(varying, alike) ? EXACT : DUPLICATE_CORRELATION;
  const groupOf = new Map<number, { columns: number[]; correlation: number }>();
  for (const i of varying) {
    for (const j of varying) {
      if (j <= i) continue;
      const group = groupOf.get(i);
      if (group !== undefined && group === groupOf.get(j)) continue;
      const correlation = alike(i, j, least);
      if (correlation === undefined || !confirmed(i, j)) continue;
      const [first, second] = [group ?? { columns: [i], correlation }, groupOf.get(j) ?? { columns: [j], correlation }];
      const joined = {
        columns: [...first.columns, ...second.columns],
        correlation: Math.min(correlation, first.correlation, second.correlation),
      };
      for (const column of joined.columns) groupOf.set(column, joined);
    }
  }
  const groups = [...new Set(groupOf.values())];
  return groups
    .map(({ columns, correlation }) => ({ columns: columns.sort((a, b) => a - b), correlation }))
    .sort((a, b) => a.columns[0] - b.columns[0]);
}

/** The column scaled to mean 0 and length 1; undefined if it hardly varies. */
function standardised({ rows, cols, data }: CorrelationSample, column: number): Float64Array | undefined {
  const z = Float64Array.from({ length: rows }, (_, i) => data[i * cols + column]);
  const counts = new Map<number, number>();
  for (const value of z) counts.set(value, (counts.get(value) ?? 0) + 1);
  if (rows - Math.max(...counts.values()) < LEAST_CHANGES) return undefined;
  // Values are taken about the first value, in units of the largest distance from it, to avoid cancellation and overflow.
  const [first] = z;
  let largest = 0;
  for (const value of z) largest = Math.max(largest, Math.abs(value - first));
  if (!Number.isFinite(largest)) return undefined;
  let mean = 0;
  for (let i = 0; i < rows; i++) {
    z[i] = (z[i] - first) / largest;
    mean += z[i] / rows;
  }
  let squares = 0;
  for (let i = 0; i < rows; i++) {
    z[i] -= mean;
    squares += z[i] * z[i];
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < rows; i++) z[i] /= length;
  return z;
}

/** Returns true if more than half of the neighbouring columns have |r| above 0.95. */
function areCurves(varying: readonly number[], alike: Alike): boolean {
  if (varying.length < LEAST_CURVE) return false;
  const near = varying.filter((j, at) => at > 0 && alike(varying[at - 1], j, NEIGHBOURS) !== undefined).length;
  return near > (varying.length - 1) / 2;
}

/** |r| of two columns of mean 0 and length 1 if it is above `least`. */
function sameness(a: Float64Array, b: Float64Array, least: number): number | undefined {
  const limit = 2 * (1 - least);
  let [same, opposite] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    same += (a[i] - b[i]) ** 2;
    opposite += (a[i] + b[i]) ** 2;
    if (same >= limit && opposite >= limit) return undefined;
  }
  return 1 - Math.min(same, opposite) / 2;
}

/** Rows between the quartiles of a column. */
function middleRows(column: Float64Array): number[] {
  const sorted = column.slice().sort();
  const [low, high] = [sorted[Math.floor(column.length / 4)], sorted[Math.ceil((3 * column.length) / 4) - 1]];
  return [...column.keys()].filter((i) => column[i] >= low && column[i] <= high);
}

/** Returns true if columns are similar in these rows too, or if one of them is constant there. */
function agreeIn(rows: readonly number[], a: Float64Array, b: Float64Array): boolean {
  let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0];
  for (const i of rows) {
    x += a[i] / rows.length;
    y += b[i] / rows.length;
  }
  for (const i of rows) {
    xx += (a[i] - x) ** 2;
    yy += (b[i] - y) ** 2;
    xy += (a[i] - x) * (b[i] - y);
  }
  return Math.min(xx, yy) < UNVARIED || Math.abs(xy) > MIDDLE * Math.sqrt(xx * yy);
}
