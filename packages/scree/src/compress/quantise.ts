import { DataError } from '@scree/core';
import { decodeHalf } from '@scree/core/data';
import { encodeHalf } from '../disk/stored-type.js';
import { LARGEST_INTEGER, type Lines } from './integers.js';

/**
 * How scores are rounded:
 * - `uniform`: all components to multiples of one step. For a given sum of squared errors this takes the fewest bits
 *   (reverse water-filling).
 * - `int8`: to 255 steps per component, from its range in the block.
 * - `float16`: to half precision, after dividing by a power of two.
 */
export const QUANTISERS = ['uniform', 'int8', 'float16'] as const;
/** A method of rounding scores. */
export type Quantiser = (typeof QUANTISERS)[number];

/** Rounded scores. Line c has the scores of component c. */
export interface Rounded extends Lines {
  /** The factor of each line, as the upper half of a float64. Empty for `uniform`. */
  readonly scales: Uint32Array;
}

/** Rounds n × k scores. `step` is the step of `uniform`. `firstRow` is for messages. */
export function roundScores(
  scores: Float64Array,
  k: number,
  quantise: Quantiser,
  step: number,
  firstRow: number,
): Rounded {
  const length = scores.length / k;
  const values = new Float64Array(scores.length);
  if (quantise === 'uniform') {
    for (let i = 0; i < length; i++) {
      for (let c = 0; c < k; c++) {
        const value = Math.round(scores[i * k + c] / step);
        if (!(Math.abs(value) < LARGEST_INTEGER)) throw farAway(firstRow + i);
        values[c * length + i] = value;
      }
    }
    return { values, lines: k, length, signed: true, scales: new Uint32Array(0) };
  }
  const largest = new Float64Array(k);
  for (let i = 0; i < length; i++) {
    for (let c = 0; c < k; c++) {
      const size = Math.abs(scores[i * k + c]);
      if (size > largest[c]) largest[c] = size;
    }
  }
  if (quantise === 'int8') {
    const scales = Uint32Array.from(largest, (size) => upperHalf(size / 127));
    const steps = Float64Array.from(scales, fromUpperHalf);
    for (let i = 0; i < length; i++) {
      for (let c = 0; c < k; c++) if (steps[c] > 0) values[c * length + i] = Math.round(scores[i * k + c] / steps[c]);
    }
    return { values, lines: k, length, signed: true, scales };
  }
  // The largest score becomes 2¹⁴ to 2¹⁵: no float16 overflows, and scores that are a billion times smaller keep all their digits.
  const scales = Uint32Array.from(largest, (size) =>
    size < 2 ** -1000 ? 0 : upperHalf(2 ** (Math.floor(Math.log2(size)) - 14)),
  );
  const factors = Float64Array.from(scales, (word) => (word === 0 ? 0 : 1 / fromUpperHalf(word)));
  const row = new Float64Array(k);
  for (let i = 0; i < length; i++) {
    for (let c = 0; c < k; c++) row[c] = scores[i * k + c] * factors[c];
    const halves = encodeHalf(row);
    for (let c = 0; c < k; c++) values[c * length + i] = halves[c];
  }
  return { values, lines: k, length, signed: false, scales };
}

/** Turns rounded scores back into scores, n × k. */
export function unroundScores(
  { values, lines: k, length, scales }: Rounded,
  quantise: Quantiser,
  step: number,
): Float64Array {
  const scores = new Float64Array(values.length);
  const numbers = quantise === 'float16' ? decodeHalf(Uint16Array.from(values)) : values;
  for (let c = 0; c < k; c++) {
    const factor = quantise === 'uniform' ? step : fromUpperHalf(scales[c]);
    for (let i = 0; i < length; i++) scores[i * k + c] = numbers[c * length + i] * factor;
  }
  return scores;
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
// Node only runs on little-endian machines, and the file is little-endian too.
const [LOW, HIGH] = [0, 1];

/** The upper 32 bits of a number from 0 up, rounded up: sign, exponent and the first 20 bits of the mantissa. */
export function upperHalf(value: number): number {
  double[0] = value;
  return words[HIGH] + (words[LOW] > 0 ? 1 : 0);
}

export function fromUpperHalf(word: number): number {
  words[LOW] = 0;
  words[HIGH] = word;
  return double[0];
}

function farAway(row: number): DataError {
  return new DataError(
    'OUT_OF_RANGE',
    `Row ${row + 1} is too far from the rows that the model was fitted to: its scores do not fit into whole steps. Fit the model to these data, or quantise as 'float16'.`,
    { row },
  );
}
