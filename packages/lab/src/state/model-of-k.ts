import { effect, signal } from '@preact/signals';
import { loadModel } from '@scree/core';
import { reportProblem } from './data.js';
import { fitted, queryFit } from './fit.js';
import { resource } from './resource.js';
import { k } from './view.js';

/** How long k has to stand still before its model is computed. */
const STILL = 250;

/** k once it stands still: a fit for each place that a hand passes would be thrown away. */
const still = signal(0);
let timer: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  const now = k.value;
  clearTimeout(timer);
  if (fitted.value) timer = setTimeout(() => (still.value = now), STILL);
});

/** The model of just the k components that are kept, with its own certificate. */
export const modelOfK = resource(
  () => {
    const now = fitted.value;
    const kept = still.value;
    return now && kept > 0 && kept <= now.model.k ? { now, kept } : undefined;
  },
  async ({ now, kept }) => ({ now, kept, model: loadModel(await queryFit(now, 'modelOf', kept)) }),
  reportProblem,
);
