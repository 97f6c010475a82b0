/** PCA of rolling windows: each model points as the one before, so that PC1 does not flip. */
import { type Model, pca } from '@scree/core';

const returns = Array.from({ length: 250 }, (_, day) => {
  const market = Math.sin(day * day) * (1 + Math.sin(day / 40));
  return [0.9, 1.1, -0.4, 0.7].map((beta, asset) => beta * market + 0.5 * Math.sin(day * (asset + 2) * 1.3));
});

let before: Model | undefined;
let flips = 0;
for (let end = 50; end <= returns.length; end++) {
  const model: Model = await pca(returns.slice(end - 50, end), { k: 2, signs: before });
  const [now, last] = [model.components.row(0), before?.components.row(0)];
  if (last && now.reduce((sum, x, j) => sum + x * (last[j] ?? 0), 0) < 0) flips++;
  before = model;
}
console.log(`${returns.length - 49} windows, ${flips} flips; the last one: ${before}`);
