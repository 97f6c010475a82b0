import type { ProgressTracker } from '../../base/progress.js';
import { DataError, describeColumn } from '../../errors.js';
import { packedRows } from '../blocks/block-rows.js';
import { checkBlockWidth, type RowSource } from '../blocks/row-source.js';
import { checkFinite } from './statistics.js';
import type { RowWeights } from './weights.js';

/** Largest number of counters of all columns, and the number of rows from which 16 bits per pass pay off. */
const MOST_COUNTERS = 2 ** 22;
const FEW_ROWS = 2 ** 15;
/**
 * 1/Φ⁻¹(3/4) in the digits that R’s `mad` has: the ratio of the standard deviation to the median absolute deviation of normal
 * data.
 */
const MAD_TO_DEVIATION = 1.4826;

/**
 * 1.4826 times the median absolute deviation of every column. Exact: a radix search over the bits of the numbers, 8 or 16 bits
 * per pass, so that memory does not grow with the number of rows. 18 or 10 passes of O(n·d).
 *
 * A constant column has scale 1. Throws if more than half of the values of another column are equal, because its median absolute
 * deviation is 0.
 */
export async function medianScales(
  source: RowSource,
  weights: RowWeights,
  progress: ProgressTracker,
  names = source.columnNames,
): Promise<Float64Array> {
  const { medians, constant } = await columnMedians(source, weights, progress);
  const { medians: deviations } = await columnMedians(source, weights, progress, medians);
  return deviations.map((mad, j) => {
    if (constant[j] === 1) return 1;
    if (mad > 0 && Number.isFinite(1 / mad)) return MAD_TO_DEVIATION * mad;
    throw new DataError(
      'BAD_DATA',
      `More than half of the values of column ${describeColumn(j, names)} are the same, so its median absolute deviation is 0. Leave the column out, or use scale: 'unit'.`,
      { column: j, ...(names?.[j] === undefined ? {} : { columnName: names[j] }), reason: 'median-deviation-0' },
    );
  });
}

interface Medians {
  readonly medians: Float64Array;
  /** 1 for columns whose values are all equal. */
  readonly constant: Uint8Array;
}

/**
 * The median of each column, or of |x − about|. It is the mean of two numbers: the smallest x with at least half of the weight at
 * or below it, and the smallest with more than half. Numbers are ordered by their bits. Each pass finds the next bits of the
 * median.
 */
async function columnMedians(
  source: RowSource,
  weights: RowWeights,
  progress: ProgressTracker,
  about?: Float64Array,
): Promise<Medians> {
  const { cols, columnNames } = source;
  const bits = cols * 2 ** 16 <= MOST_COUNTERS && !((source.rows ?? Infinity) < FEW_ROWS) ? 16 : 8;
  const size = 2 ** bits;
  // The known bits of the lower median of each column, as two words.
  const [high, low] = [new Uint32Array(cols), new Uint32Array(cols)];
  const below = new Float64Array(cols);
  const [smallest, largest] = [new Float64Array(cols).fill(Infinity), new Float64Array(cols).fill(-Infinity)];
  let total = 0;

  const read = async (visit: (x: number, j: number, weight: number) => void): Promise<void> => {
    let rows = 0;
    total = 0;
    progress.begin('medians', source.rows);
    for await (const block of source.blocks()) {
      checkBlockWidth(block, source, rows);
      await progress.follow(checkFinite(block, rows, columnNames));
      const data = packedRows(block);
      const own = weights.slice(rows, block.rows);
      for (let i = 0; i < block.rows; i++) {
        const weight = own ? own[i] : 1;
        if (weight === 0) continue;
        total += weight;
        for (let j = 0; j < cols; j++) {
          const x = data[i * cols + j];
          // Adding 0 replaces −0 by 0.
          visit((about ? Math.abs(x - about[j]) : x) + 0, j, weight);
        }
        const pause = i % 256 === 255 ? progress.yieldToEventLoop() : undefined;
        if (pause) await pause;
      }
      rows += block.rows;
      const pause = progress.step(block.rows);
      if (pause) await pause;
    }
    weights.end(rows);
    progress.end();
  };

  for (let known = 0; known < 64; known += bits) {
    const counts = new Float64Array(cols * size);
    const shift = 32 - (known % 32) - bits;
    await read((x, j, weight) => {
      setOrdered(x);
      if (known === 0) {
        smallest[j] = Math.min(smallest[j], x);
        largest[j] = Math.max(largest[j], x);
      } else if (known <= 32 ? (ordered[0] ^ high[j]) >>> (32 - known) : ordered[0] !== high[j]) return;
      else if (known > 32 && (ordered[1] ^ low[j]) >>> (64 - known)) return;
      counts[j * size + ((ordered[known < 32 ? 0 : 1] >>> shift) & (size - 1))] += weight;
    });
    const words = known < 32 ? high : low;
    for (let j = 0; j < cols; j++) {
      let digit = 0;
      for (; digit < size - 1 && below[j] + counts[j * size + digit] < total / 2; digit++) {
        below[j] += counts[j * size + digit];
      }
      words[j] |= digit << shift;
    }
  }
  const lower = Float64Array.from(high, (word, j) => numberOf(word, low[j]));
  const atLower = new Float64Array(cols);
  const next = new Float64Array(cols).fill(Infinity);
  await read((x, j, weight) => {
    if (x === lower[j]) atLower[j] += weight;
    else if (x > lower[j] && x < next[j]) next[j] = x;
  });
  const medians = lower.map((median, j) =>
    below[j] + atLower[j] > total / 2 || next[j] === Infinity ? median : median / 2 + next[j] / 2,
  );
  return { medians, constant: Uint8Array.from(smallest, (least, j) => (least === largest[j] ? 1 : 0)) };
}

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** The index of the word with the sign and the exponent. */
const TOP = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;
/** Two words, upper and lower, in the same order as the number. */
const ordered = new Uint32Array(2);

/** Sets `ordered`. Inverts all bits of a negative number, and the sign bit of another one. */
function setOrdered(x: number): void {
  number[0] = x;
  const [upper, lower] = [words[TOP], words[1 - TOP]];
  const negative = upper >>> 31 === 1;
  ordered[0] = negative ? ~upper : upper ^ 0x80000000;
  ordered[1] = negative ? ~lower : lower;
}

function numberOf(upper: number, lower: number): number {
  const negative = upper >>> 31 === 0;
  words[TOP] = negative ? ~upper : upper ^ 0x80000000;
  words[1 - TOP] = negative ? ~lower : lower;
  return number[0];
}
