/**
 * Fits one case after the other, and prints a line for each when it is done: see solvers.js, which starts this program and kills it when a line
 * does not come. A case is { rows, cols, options }.
 *
 *     node test/soak/fits.js packages/core/dist/index.js '[{"rows":800,"cols":800,"options":{"blocking":"none"}}]'
 */
import { createHash } from 'node:crypto';

const [path, cases] = process.argv.slice(2);
const { pca } = await import(new URL(path, `file://${process.cwd()}/`));

/** Rows that have a few strong directions. */
function matrix(rows, cols) {
  const data = new Float64Array(rows * cols);
  let state = rows * 7919 + cols;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (let i = 0; i < rows; i++) {
    const [a, b, c] = [random(), random(), random()];
    for (let j = 0; j < cols; j++) {
      data[i * cols + j] = 9 * a * Math.sin(j) + 4 * b * Math.cos(2 * j) + 2 * c * Math.sin(3 * j + 1) + 0.1 * random();
    }
  }
  return { rows, cols, data };
}

for (const { rows, cols, options } of JSON.parse(cases)) {
  const data = matrix(rows, cols);
  const start = performance.now();
  let result;
  try {
    const { components, variances } = await pca(data, options);
    const hash = createHash('sha256');
    for (const { buffer } of [components.data, Float64Array.from(variances)]) hash.update(new Uint8Array(buffer));
    result = hash.digest('hex').slice(0, 12);
  } catch (error) {
    // Learning rules may need more epochs than they get here.
    result = error.code ?? String(error);
  }
  console.log(JSON.stringify({ result, milliseconds: Math.round(performance.now() - start) }));
}
