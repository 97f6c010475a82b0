import type { ColumnStatistics } from '../data/statistics.js';
import { andThen, Lazy, type MaybePromise } from '../maybe-promise.js';
import type { FitFacts } from './finish.js';

/** Sentences that few data need. */
export const dataWarningsCode = new Lazy(() => import('./data-warnings.js'));

/** What `finish` needs to warn of these data: loaded if a column cannot be scaled, is tiny, or lies far from zero for its spread. */
export function loadDataWarnings(
  facts: FitFacts,
  values: Float64Array,
  columns: ColumnStatistics,
): MaybePromise<Pick<FitFacts, 'dataWarnings' | 'fewDigits'>> {
  const { scaling, scatterTrace, columnEnergies, noise, unit, weight } = facts;
  // About a thousand times the last digit.
  const few = (energy: number, j: number): boolean => energy > 0 && energy < (2 ** 11 * noise[j]) ** 2;
  const tiny = (value: number): boolean => value > 0 && (value / weight) * unit * unit < 2 ** -1000;
  if (scatterTrace > 0 && !scaling.constantColumns.length && !columnEnergies.some(few) && !values.some(tiny)) return {};
  return andThen(dataWarningsCode.get(), ({ dataWarnings, fewDigits }) => ({
    dataWarnings,
    fewDigits: fewDigits(columns, facts),
  }));
}
