import type { Choice, CriterionName } from '@scree/core';

/** Criteria as figures and tables call them, the most important first. */
export const CRITERION_TITLES: Readonly<Record<CriterionName, string>> = {
  permutation: 'permutation test',
  parallel: 'parallel analysis',
  'cross-validation': 'cross-validation',
  elbow: 'elbow',
  kaiser: 'Kaiser’s rule',
  map: 'Velicer’s MAP',
  'broken-stick': 'broken stick',
  'tracy-widom': 'Tracy–Widom',
  'gavish-donoho': 'Gavish–Donoho',
  'profile-likelihood': 'profile likelihood',
  gcv: 'GCV',
  mle: 'Minka’s MLE',
};

/** The most important first. */
export function inOrder({ criteria }: Choice): Choice['criteria'] {
  const names = Object.keys(CRITERION_TITLES);
  return [...criteria].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}
