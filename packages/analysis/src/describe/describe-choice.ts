import type { Choice, Criterion } from '@scree/core';
import { criterionTitle } from '../choose/criteria/registry.js';
import { formatNumber, plural } from './numbers.js';

/** One or two sentences: the recommendation, and how much it keeps, or what it means that nothing stands out. */
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
          `${plural(k, 'component')} ${k === 1 ? 'keeps' : 'keep'} ${formatNumber((100 * kept) / total, 3)}\u00a0% of the variance.`,
        ]
      : []),
  ];
}

/** A table of criteria: title, choice (– if the criterion does not apply) and sentence. */
export function criterionLines({ criteria }: Choice): { name: string; k: string; sentence: string }[] {
  return criteria.map(({ name, k, sentence }: Criterion) => ({
    name: criterionTitle(name).long,
    k: k === null ? '–' : String(k),
    sentence,
  }));
}
