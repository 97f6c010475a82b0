import { expect, it } from 'vitest';
import { pca, toRows } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { toCsr, toMatrix } from '../support/data.js';

const rng = random(5);
/** Mostly zeros, in columns of different sizes. */
const rows = Array.from({ length: 600 }, () =>
  Array.from({ length: 30 }, (_, j) => (rng.uniform() < 0.1 ? 10 ** (j % 3) * rng.normal() : 0)),
);

it('the reconstruction error of a sparse row is that of the same row when it is dense', async () => {
  const model = await pca(toCsr(rows), { k: 5, scale: 'unit' });
  // Rows of the subspace itself too, whose error is zero within rounding.
  const inside = toRows(await model.inverseTransform(await model.transform(toMatrix(rows.slice(0, 20)))));
  const all = [...rows, ...inside, new Array<number>(30).fill(0)];
  const [dense, sparse] = [await model.reconstructionError(toMatrix(all)), await model.reconstructionError(toCsr(all))];
  sparse.forEach((error, i) => {
    expect(Math.abs(error - dense[i])).toBeLessThanOrEqual(1e-9 * dense[i] + 1e-24);
  });
  expect(Math.max(...sparse.subarray(600, 620))).toBeLessThan(1e-20);
});
