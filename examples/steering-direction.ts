/** A direction that separates two kinds of activations. With `signs`, moving along the component moves from the first kind to the second. */
import { pca } from '@scree/core';

const d = 64;
const activations = (kind: number) =>
  Array.from({ length: 200 }, (_, i) =>
    Array.from({ length: d }, (_, j) => kind * Math.cos(j) + 0.3 * Math.sin(i * (j + 1)) + 0.1 * Math.cos(i + j * j)),
  );
const [calm, angry] = [activations(-1), activations(1)];
const mean = (rows: number[][], j: number) => rows.reduce((sum, row) => sum + (row[j] ?? 0), 0) / rows.length;
const towards = Array.from({ length: d }, (_, j) => mean(angry, j) - mean(calm, j));

const model = await pca([...calm, ...angry], { k: 1, signs: towards });
const steer = model.components.row(0);
const product = steer.reduce((sum, x, j) => sum + x * (towards[j] ?? 0), 0);
console.log(`cosine with the difference of the means: ${(product / Math.hypot(...towards)).toFixed(4)}`);

const [[from = 0] = [], [to = 0] = []] = [calm, angry].map((rows) => Array.from(model.transformSync(rows[0] ?? [])));
console.log(`calm ${from.toFixed(2)}, angry ${to.toFixed(2)}`);
