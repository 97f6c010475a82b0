/** The shortest useful program: records in, components, scores and a round trip out. */
import { pca } from '@scree/core';

const flowers = [
  { sepal: 5.1, petal: 1.4, width: 0.2 },
  { sepal: 4.9, petal: 1.4, width: 0.2 },
  { sepal: 6.4, petal: 4.5, width: 1.5 },
  { sepal: 6.9, petal: 4.9, width: 1.5 },
  { sepal: 6.3, petal: 6.0, width: 2.5 },
  { sepal: 5.8, petal: 5.1, width: 1.9 },
];

const model = await pca(flowers, { k: 2, scale: 'unit' });

console.log(model.plan.reason);
console.log(
  'variance explained:',
  Array.from(model.varianceRatios, (ratio) => `${(100 * ratio).toFixed(1)} %`).join(', '),
);
console.log('error at most:', model.certificate.varianceBounds[0]?.toExponential(1));

const scores = await model.transform(flowers);
const back = await model.inverseTransform(scores);
console.log('first flower:', flowers[0]);
console.log('with two numbers:', scores.toRecords(flowers)[0]);
console.log('back in its own units:', back.toRecords()[0]);
