import { loadModel } from '@scree/core';
import { reportProblem } from './data.js';
import { fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { k } from './view.js';

/** The model of the k components that are kept, with its own certificate and warnings. The worker takes it from the fit. */
export const modelOfK = resource(
  () => {
    const now = fitted.value;
    return now && k.value <= now.model.k ? { now, kept: k.value } : undefined;
  },
  async ({ now, kept }) => ({ now, kept, model: loadModel(await queryFit(now, 'modelOf', kept)) }),
  reportProblem,
);
