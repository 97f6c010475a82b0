import type { Drift, DriftTest, DriftWindow } from '../rows/drift.js';
import { formatNumber, listed, percent } from './numbers.js';

/** Columns that are named. */
const MOST_COLUMNS = 5;

/** Sentences about what has changed between the rows of a fit and new rows. */
export function describeDrift(drift: Drift): string[] {
  const { mean, covariance, subspace, explained, explainedBefore, columns, windows } = drift;
  const changed = [mean, covariance, subspace].some((test) => test.changed);
  const shifted = columns
    .filter(({ shift }) => Number.isFinite(shift))
    .sort((a, b) => Math.abs(b.shift) - Math.abs(a.shift))
    .slice(0, MOST_COLUMNS)
    .map(
      ({ name, meanBefore, meanAfter }) =>
        `${name} ${formatNumber(meanAfter, 4)} (before ${formatNumber(meanBefore, 4)})`,
    );
  return [
    verdict(mean, 'The mean has moved', 'the mean has moved'),
    verdict(covariance, 'The rows vary in another way', 'the rows vary in another way'),
    verdict(subspace, 'The components explain less than before', 'the components explain less than before'),
    `The components explain ${percent(explained)} of the squared distances from the mean of the fit, and ${percent(explainedBefore)} of the rows of comparison.`,
    ...(mean.changed && shifted.length > 0 ? [`Largest shifts of means: ${listed(shifted)}.`] : []),
    ...(windows.length > 0 ? [windowSentence(windows)] : []),
    ...(changed ? [] : ['Nothing here asks for a new fit.']),
  ];
}

function verdict({ changed, pValue }: DriftTest, yes: string, what: string): string {
  const p = `p ${pValue < 0.001 ? '< 0.001' : `= ${formatNumber(pValue, 2)}`}`;
  return changed ? `${yes} (${p}).` : `It is not shown that ${what} (${p}).`;
}

function windowSentence(windows: readonly DriftWindow[]): string {
  const changed = windows.filter(
    ({ mean, covariance, subspace }) => mean.changed || covariance.changed || subspace.changed,
  );
  if (changed.length === 0) return `None of the ${windows.length} windows differs by itself.`;
  const some = changed.slice(0, 6).map(({ label }) => label);
  return `Windows that differ by themselves: ${listed(some)}${changed.length > some.length ? `, and ${changed.length - some.length} more` : ''} of ${windows.length}.`;
}
