/** PCA in a worker, so that the page never waits: records in, a biplot out. */
import { pca } from '@scree/core';

self.onmessage = async ({ data: records }: MessageEvent<Record<string, number>[]>) => {
  const model = await pca(records, { k: 2, scale: 'unit' });
  self.postMessage({ text: String(model), biplot: await model.biplot(records) });
};
