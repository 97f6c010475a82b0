import type { Choice, CriterionName } from '@scree/core';

/** What a criterion is called. This file has no code of the criteria, so that pages can load the names alone. */
export interface CriterionTitle {
  /** In a table of criteria. */
  readonly long: string;
  /** In a figure. */
  readonly short: string;
  /** In a sentence: "the permutation test". */
  readonly sentence: string;
}

/** The names of all criteria, the most important first: sentences name criteria in this order, and figures list them in it. */
export const CRITERION_TITLES: Readonly<Record<CriterionName, CriterionTitle>> = {
  permutation: { long: 'Permutation test', short: 'permutation test', sentence: 'the permutation test' },
  parallel: { long: 'Parallel analysis (Horn)', short: 'parallel analysis', sentence: 'parallel analysis' },
  'cross-validation': { long: 'Cross-validation', short: 'cross-validation', sentence: 'cross-validation' },
  elbow: { long: 'Elbow of the scree plot', short: 'elbow', sentence: 'the elbow' },
  kaiser: { long: 'Kaiser', short: 'Kaiser’s rule', sentence: "Kaiser's rule" },
  map: { long: "Velicer's MAP", short: 'Velicer’s MAP', sentence: "Velicer's MAP" },
  'broken-stick': { long: 'Broken stick', short: 'broken stick', sentence: 'the broken stick' },
  'tracy-widom': { long: 'Tracy–Widom test', short: 'Tracy–Widom', sentence: 'the Tracy–Widom test' },
  'gavish-donoho': {
    long: 'Gavish–Donoho threshold',
    short: 'Gavish–Donoho',
    sentence: "Gavish and Donoho's threshold",
  },
  'profile-likelihood': { long: 'Profile likelihood', short: 'profile likelihood', sentence: 'profile likelihood' },
  gcv: { long: 'Generalised cross-validation', short: 'GCV', sentence: 'generalised cross-validation' },
  mle: { long: "Minka's likelihood", short: 'Minka’s MLE', sentence: "Minka's likelihood" },
};

/** The criteria of a choice, the most important first. */
export function criteriaByImportance({ criteria }: Pick<Choice, 'criteria'>): Choice['criteria'] {
  const names = Object.keys(CRITERION_TITLES);
  return [...criteria].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}
