/** Records with other fields and gaps in, records with scores out. */
import { pca } from '@scree/core';

const flowers = [
  { name: 'a', sepal: 5.1, petal: 1.4, width: 0.2 },
  { name: 'b', sepal: 4.9, petal: 1.4, width: 0.2 },
  { name: 'c', sepal: 6.4, petal: 4.5, width: 1.5 },
  { name: 'd', sepal: 6.9, petal: 4.9, width: null },
  { name: 'e', sepal: 6.3, petal: 6.0, width: 2.5 },
  { name: 'f', sepal: 5.8, petal: 5.1, width: 1.9 },
];

const model = await pca(flowers, { columns: 'numeric', missing: 'drop', scale: 'unit', k: { atMost: 2 } });
console.log(String(model));

const complete = flowers.filter(({ width }) => width !== null);
const scores = await model.transform(complete);
for (const { name, PC1, PC2 } of scores.toRecords(complete)) console.log(name, PC1, PC2);
console.log(JSON.stringify({ ratios: model.cumulativeRatios, scores }));
