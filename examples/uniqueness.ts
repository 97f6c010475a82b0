/** When the data do not determine an axis, the model says so. */
import { pca } from '@scree/core';

// Two directions of equal variance and one of less: a disc, seen in three dimensions.
const disc = Array.from({ length: 360 }, (_, degree) => {
  const angle = (degree * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle), 0.1 * Math.cos(2 * angle)];
});

const model = await pca(disc, { k: 2 });
for (const { message } of model.warnings) console.log(message);
console.log('axes determined:', model.uniqueness.axes.map(({ determined }) => determined).join(', '));
console.log('plane determined:', model.uniqueness.subspace.determined);
