import { computed } from '@preact/signals';
import { type CriterionName, criterionTitle, mayDecide } from '@scree/analysis/criteria';
import { loadModel } from '@scree/core';
import { background } from './background.js';
import { type Fitted, fitted } from './fit.js';
import { isKByHand, k, labelColumn, points } from './view.js';

/** The recommended number of components, and warnings about the columns. k follows the recommendation, unless the user chose k. */
export const chosen = background('choose', {
  // The scores come first, because the user sees them first.
  isReady: (now) => points.value?.now === now,
  query: () => null,
  onResult: (now, { kept }) => {
    if (!isKByHand.peek()) follow(now, kept);
  },
});

/** Everything else that is known of the fit. */
export const analysis = background('analysis', {
  isReady: (now) => chosen.value?.now === now && chosen.value.isDone,
  query: () => ({ label: labelColumn.peek() }),
});

/** The record of the analysis of the shown fit; undefined until it is computed. */
export const record = computed(() => {
  const found = analysis.value;
  if (!found?.result || found.now !== fitted.value) return undefined;
  return { ...found.result, model: loadModel(found.result.model) };
});

/** The recommendation for the shown fit, the criterion that decided it, and the elbow. */
export const advised = computed(() => {
  const { now, result } = chosen.value ?? {};
  if (!result?.choice || now !== fitted.value) return undefined;
  const { k: recommended, agree, criteria } = result.choice;
  const decider = agree.find(mayDecide);
  const { short: title, sentence: inSentence } =
    decider === undefined ? { short: 'recommended', sentence: 'recommended by the criteria' } : criterionTitle(decider);
  const of = (name: CriterionName) => criteria.find((criterion) => criterion.name === name);
  return { k: recommended, title, inSentence, elbow: of('elbow')?.k ?? null, thresholds: of('parallel')?.thresholds };
});

/** Returns to the k that follows from the data. */
export function followAdvice(): void {
  const { now, result } = chosen.peek() ?? {};
  isKByHand.value = false;
  if (now && result) follow(now, result.kept);
}

/** Sets k. The page keeps at least one component, because otherwise it could draw nothing. */
function follow({ model }: Fitted, kept: number): void {
  k.value = Math.min(model.k, Math.max(1, kept));
}
