import { decodeHalf } from '@scree/core/data';
import { codeBytes, codesFor, storeNumbers } from './query/codes.js';
import type { VectorMetric, VectorSearch, VectorStore } from './query/query-model.js';

/** How the numbers of a vector become fewer: principal components, or its first numbers. */
export type Reduction = 'pca' | 'first';

/** OpenVectors of every k that are stored and searched in the same way. Their recalls are measured together. */
export interface Family {
  readonly reduction: Reduction;
  readonly store: VectorStore;
  /** The mean is subtracted from the vectors. Always false for `'first'`. */
  readonly center: boolean;
  readonly whiten: boolean;
  readonly search: VectorSearch;
}

/** A kind of stored vector. */
export interface VectorCandidate extends Family {
  readonly k: number;
}

export const candidateBytes = ({ store, k }: VectorCandidate): number => codeBytes(store, k);

/** Facts of the fit that stored scores need. */
export interface ScoreFacts {
  /** The scores of the mean: `scores` are centred, and scores + mean are not. */
  readonly mean: Float64Array;
  /** 1/√λ. */
  readonly weights: Float64Array;
}

/** The search that a family is measured with, if nothing is known about the vectors. */
export function usualSearch(metric: VectorMetric, store: VectorStore): VectorSearch {
  return store === 'bit' ? 'hamming' : metric;
}

/**
 * The stored numbers of a family as float32, for products. Bits are 1 and −1, integers are steps. `numbers` are centred scores, or the
 * vectors themselves, `width` of them per row.
 */
export function storedNumbers(
  family: Family,
  step: number,
  numbers: Float32Array,
  width: number,
  most: number,
  facts: ScoreFacts | undefined,
): Float32Array {
  const rows = numbers.length / width;
  const out = new Float32Array(rows * most);
  const adds = facts && !family.center ? facts.mean : undefined;
  const times = facts && family.whiten ? facts.weights : undefined;
  for (let i = 0; i < rows; i++) {
    const [from, to] = [i * width, i * most];
    if (adds && times) for (let c = 0; c < most; c++) out[to + c] = (numbers[from + c] + adds[c]) * times[c];
    else if (adds) for (let c = 0; c < most; c++) out[to + c] = numbers[from + c] + adds[c];
    else if (times) for (let c = 0; c < most; c++) out[to + c] = numbers[from + c] * times[c];
    else for (let c = 0; c < most; c++) out[to + c] = numbers[from + c];
  }
  const { store } = family;
  if (store === 'float16') {
    const codes = codesFor(store, out.length) as Uint16Array;
    storeNumbers(store, out, 0, out.length, 1, codes, 0);
    return decodeHalf(codes);
  }
  if (store === 'int8')
    for (let i = 0; i < out.length; i++) out[i] = Math.max(-127, Math.min(127, Math.round(out[i] / step)));
  if (store === 'bit') for (let i = 0; i < out.length; i++) out[i] = out[i] > 0 ? 1 : -1;
  return out;
}

/** Shares of the largest number that the steps of int8 are tried for. Larger numbers are clipped. */
const CLIPS = [1, 0.8, 0.6, 0.45, 0.35, 0.25, 0.18, 0.12];

/** Numbers that the errors of steps are compared on. */
const STEP_NUMBERS = 100_000;

/**
 * The step of int8 with the least squared error on a sample of numbers. All numbers of a vector have the same step, so that products of codes
 * are products of vectors. If few numbers are much larger than the others, clipping them costs less than a coarser step.
 */
export function stepFor(sample: Float32Array): number {
  let largest = 0;
  for (const value of sample) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return 1;
  const stride = Math.max(1, Math.floor(sample.length / STEP_NUMBERS) | 1);
  let best = { step: 1, error: Number.POSITIVE_INFINITY };
  for (const clip of CLIPS) {
    const step = (clip * largest) / 127;
    let error = 0;
    for (let i = 0; i < sample.length; i += stride) {
      const value = sample[i];
      const code = Math.max(-127, Math.min(127, Math.round(value / step)));
      error += (value - code * step) ** 2;
    }
    if (error < best.error) best = { step, error };
  }
  return best.step;
}

/** Numbers of components that are tried first, up to `most` and with it. */
export function sizesUpTo(most: number): number[] {
  const sizes: number[] = [];
  for (let power = most < 64 ? 4 : 16; power <= most; power *= 2) sizes.push(power, 1.5 * power);
  return [...new Set([...sizes.filter((size) => size < most), most])];
}
