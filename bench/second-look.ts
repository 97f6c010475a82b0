import { analyze } from '@scree/analysis';
import { type Matrix, pca } from '@scree/core';
import { random } from '@scree/core/linalg';

/**
 * The time of the second look of `analyze` beside that of the fit, for tables up to 10 million numbers: it should be at most 0.3 seconds or
 * five times the fit. One row in fifty lies far away, so that the fit without these rows and the criteria are part of it.
 *
 *   npm run bench -- second-look
 */

const SHAPES = [
  [75, 3],
  [150, 4],
  [40, 226],
  [1000, 20],
  [5000, 50],
  [100_000, 10],
  [1_000_000, 10],
  [2000, 1000],
  [100, 20_000],
] as const;
const ROUNDS = 5;

/** Rows with two strong directions; one in fifty is 100 deviations away. */
function table(rows: number, cols: number): Matrix<Float64Array> {
  const { normal } = random(1);
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const [a, b] = [3 * normal(), 2 * normal()];
    const far = i % 50 === 0 ? 100 : 0;
    for (let j = 0; j < cols; j++) {
      data[i * cols + j] = a * Math.sin(j) + b * Math.cos(3 * j) + normal() + (j % 7 === 0 ? far : 0);
    }
  }
  return { rows, cols, data };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    await work();
    // The first round compiles.
    if (round > 0) times.push((performance.now() - start) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

console.log('shape            fit s   look s   times the fit   within max(0.3 s, 5 × fit)');
for (const [rows, cols] of SHAPES) {
  const data = table(rows, cols);
  const shared = { bootstrap: 0, criteria: 'quick', listRows: false, scale: 'none', k: 5 } as const;
  const fit = await seconds(() => pca(data, { k: Math.min(5, cols) }));
  const own = { ...shared, k: Math.min(5, cols) };
  const without = await seconds(() => analyze(data, { ...own, secondLook: false }));
  const look = (await seconds(() => analyze(data, own))) - without;
  const shape = `${rows} × ${cols}`.padEnd(15);
  const within = look <= Math.max(0.3, 5 * fit) ? 'yes' : 'no';
  console.log(
    `${shape} ${fit.toFixed(3)}   ${look.toFixed(3)}   ${(look / fit).toFixed(1).padStart(8)}        ${within}`,
  );
}
