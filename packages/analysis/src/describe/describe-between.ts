import type { Model } from '@scree/core';
import type { Between } from '../fit-table.js';
import { count, listed, percent, plural } from './numbers.js';

/** Most groups named in a sentence. */
const MOST_NAMES = 8;

/** Names the groups, and says how much of the variance is between them. */
export function describeBetween({ column, groups, share }: Between): string {
  const names = groups.slice(0, MOST_NAMES).map(({ label, n }) => `${label} (${count(n)})`);
  const more = groups.length - names.length;
  return `Between groups: the means of ${count(groups.length)} groups of ${column} were analysed, each as heavy as its group has rows: ${listed([...names, ...(more > 0 ? [`${count(more)} more`] : [])])}. ${percent(share)} of the variance of the columns is between the groups; shares of components are shares of that. The groups were used to find the components, so with many columns and few rows groups lie apart even in noise.`;
}

/** Says how much of the variance between the groups the components keep. */
export function describeKept({ k, varianceRatios }: Model): string {
  const share = varianceRatios.reduce((sum, ratio) => sum + ratio, 0);
  return `${plural(k, 'component keeps', 'components keep')} ${percent(share)} of the variance between the groups.`;
}
