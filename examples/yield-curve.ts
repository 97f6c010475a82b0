/** Level, slope and curvature of yield curves: daily changes, with loadings that point up at the long end. */
import { pca } from '@scree/core';

const years = [1, 2, 3, 5, 7, 10, 20, 30];
const names = years.map((year) => `${year}y`);
const changes = Array.from({ length: 750 }, (_, day) => {
  const [level, slope, curve] = [5 * Math.sin(day * day), 2 * Math.sin(2.3 * day), Math.sin(3.7 * day)];
  return years.map((t) => {
    const decay = (1 - Math.exp(-t / 4)) / (t / 4);
    return level + slope * (1 - decay) + 2 * curve * (decay - Math.exp(-t / 4)) + 0.05 * Math.sin(day * t);
  });
});

const model = await pca(changes, { k: 3, columnNames: names, signs: years });
console.log(`explained together: ${Array.from(model.cumulativeRatios, (x) => `${(100 * x).toFixed(1)} %`).join(', ')}`);
const factors = ['level', 'slope', 'curvature'].map((factor) => ({ factor }));
console.table(model.loadings.toRecords(factors));

// What a parallel move of 10 basis points is in terms of the factors, and back.
const scores = await model.transform(years.map(() => 10));
console.log(scores.toRecords(), (await model.inverseTransform(scores)).toRecords());
