import { computed } from '@preact/signals';
import type { CriterionName } from '@scree/core';
import { background } from './background.js';
import { fitted } from './fit.js';
import { isKByHand, k, points } from './view.js';

/** Warnings about the columns of the fit. */
export const columnWarnings = background('columnWarnings', (now) => points.value?.now === now);

/** How many components the criteria advise. k follows, unless it was chosen by hand. */
export const choice = background(
  'choose',
  // After the scores: they are what is seen first.
  (now) => points.value?.now === now,
  ({ model }, found) => {
    if (found?.criteria.some((criterion) => criterion.k !== null) && !isKByHand.peek())
      k.value = Math.min(model.k, Math.max(1, found.k));
  },
);

/** How stable the first components are, by a bootstrap. It starts when the number of components is known. */
export const stability = background('stability', (now) => choice.value?.now === now && choice.value.isDone);

/** What the components mean. After their stability, because a column whose sign is not sure is not named. */
export const meaning = background('meaning', (now) => stability.value?.now === now && stability.value.isDone);

/** What parallel analysis and the elbow say about the shown fit: a number of components, or null where they do not apply. */
export const advised = computed(() => {
  const found = choice.value;
  if (!found?.result || found.now !== fitted.value) return undefined;
  const { criteria } = found.result;
  const of = (name: CriterionName) => criteria.find((criterion) => criterion.name === name);
  const [parallel, elbow] = [of('parallel'), of('elbow')];
  return { parallel: parallel?.k ?? null, elbow: elbow?.k ?? null, thresholds: parallel?.thresholds };
});

/** Returns to the k that follows from the data. */
export function followAdvice(): void {
  const found = choice.peek();
  isKByHand.value = false;
  if (found?.result) k.value = Math.min(found.now.model.k, Math.max(1, found.result.k));
}
