/** Rows on several machines: each adds up its own, the sums are merged, and no machine sees all the rows. */
import { Moments, pca } from '@scree/core';

const office = (offset: number): number[][] =>
  Array.from({ length: 1000 }, (_, i) => [
    Math.sin(i + offset),
    Math.cos(i * 1.7),
    Math.sin(i + offset) + 0.1 * Math.cos(3 * i),
  ]);

const north = await new Moments(3).add(office(0));
const south = await new Moments(3).add(office(5));
const model = await pca(north.merge(south), { k: 2 });

console.log(`${model.n} rows, of which none was sent`);
console.log('variances:', Array.from(model.variances, (variance) => variance.toFixed(4)).join(', '));
