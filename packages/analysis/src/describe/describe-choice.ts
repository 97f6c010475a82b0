import type { Choice, Criterion, CriterionName } from '@scree/core';
import { several, show } from './numbers.js';

/** Names of the criteria as people know them. */
export const CRITERION_TITLES: Readonly<Record<CriterionName, string>> = {
  parallel: 'Parallel analysis (Horn)',
  permutation: 'Permutation test',
  'broken-stick': 'Broken stick',
  kaiser: 'Kaiser',
  'gavish-donoho': 'Gavish–Donoho threshold',
  mle: "Minka's likelihood",
  'profile-likelihood': 'Profile likelihood',
  gcv: 'Generalised cross-validation',
  'cross-validation': 'Cross-validation',
  map: "Velicer's MAP",
  'tracy-widom': 'Tracy–Widom test',
  elbow: 'Elbow of the scree plot',
};

/** The recommendation and, where nothing stands out, what that means: one or two sentences. */
export function describeChoice({ k, reason, spectrum }: Choice): string[] {
  const total = spectrum.reduce((sum, value) => sum + value, 0);
  if (k === 0) {
    return [reason, 'The columns are no more related than independent columns would be by chance.'];
  }
  const kept = spectrum.slice(0, k).reduce((sum, value) => sum + value, 0);
  return [
    reason,
    ...(total > 0
      ? [
          `${several(k, 'component')} ${k === 1 ? 'keeps' : 'keep'} ${show((100 * kept) / total, 3)}\u00a0% of the variance.`,
        ]
      : []),
  ];
}

/** Each criterion for a table: its name, its choice (– where it does not apply) and its sentence. */
export function criterionLines({ criteria }: Choice): { name: string; k: string; sentence: string }[] {
  return criteria.map(({ name, k, sentence }: Criterion) => ({
    name: CRITERION_TITLES[name],
    k: k === null ? '–' : String(k),
    sentence,
  }));
}
