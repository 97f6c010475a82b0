/** The oriented box of a cloud of points: a right-handed frame, half-lengths and the eight corners. */
import { pca } from '@scree/core';

const cloud = Array.from({ length: 500 }, (_, i) => {
  const [u, v, w] = [4 * Math.sin(i), 2 * Math.sin(3.1 * i), 0.5 * Math.sin(7.7 * i)];
  return [10 + 0.8 * u - 0.6 * v, 5 + 0.6 * u + 0.8 * v, w];
});

const model = await pca(cloud, { k: 3, axes: 'right-handed' });
const scores = await model.transform(cloud);
const extents = model.components.toRows().map((axis, c) => {
  const along = scores.column(c);
  return { axis, low: Math.min(...along), high: Math.max(...along) };
});
for (const { axis, low, high } of extents) {
  console.log(`half-length ${((high - low) / 2).toFixed(2)} along ${axis.map((x) => x.toFixed(2)).join(', ')}`);
}

const corners = [...Array(8).keys()].map((bits) => extents.map(({ low, high }, c) => ((bits >> c) & 1 ? high : low)));
const box = await model.inverseTransform(corners);
console.log(String(box));
