import { ModelError } from '@scree/core';
import { describeValue } from '@scree/core/pipeline';

/** Throws unless a value is a model. */
export function checkModel(model: unknown): void {
  if (typeof model === 'object' && model !== null && 'components' in model) return;
  throw new ModelError(
    'BAD_MODEL',
    `A model is needed, as pca, analyze or loadModel returns it, not ${describeValue(model)}.`,
  );
}
