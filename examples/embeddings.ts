/** Embeddings of 256 numbers as 32 scores, and the nearest neighbours of a query among them. */
import { pca } from '@scree/core';

const [n, d] = [600, 256];
const data = new Float32Array(n * d);
for (let i = 0; i < n; i++) {
  for (let j = 0; j < d; j++) {
    // Documents on eight topics, and some noise.
    data[i * d + j] = Math.sin((1 + (i % 8)) * j) + 0.4 * Math.sin(i * (j + 1)) + 0.2 * Math.cos(7 * i + j * j);
  }
}

const model = await pca({ rows: n, cols: d, data }, { k: 32 });
const small = await model.transform({ rows: n, cols: d, data });
const share = 100 * (model.cumulativeRatios.at(-1) ?? 0);
console.log(`${d} numbers as ${small.cols}: ${share.toFixed(1)} % of the variance`);

const query = model.transformSync(data.subarray(0, d));
const distances = small.toRows().map((row) => Math.hypot(...row.map((x, c) => x - (query[c] ?? 0))));
const nearest = [...distances.keys()].sort((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0)).slice(0, 10);
console.log(`nearest to row 0: rows ${nearest.join(', ')}`);
