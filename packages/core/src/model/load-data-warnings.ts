import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { FitFacts } from './finish.js';

/** The part of `FitFacts` that makes warnings about the data. */
export type DataWarnings = Pick<FitFacts, 'dataWarnings' | 'fewDigits'>;

/** Loads the code of warnings about the data, if these data may need one. Few data do. */
export async function loadDataWarnings(
  facts: FitFacts,
  values: Float64Array,
  columns: ColumnStatistics,
): Promise<DataWarnings> {
  if (!needDataWarnings(facts, values)) return {};
  const { dataWarnings, fewDigits } = await import('./data-warnings.js');
  return { dataWarnings, fewDigits: fewDigits(columns, facts) };
}

/** Returns true if a column cannot be scaled, is tiny, or lies far from zero for its spread. */
export function needDataWarnings(facts: FitFacts, values: Float64Array): boolean {
  const { scaling, scatterTrace, columnEnergies, noise, unit, weight } = facts;
  // The column varies by less than about a thousand units in the last place.
  const few = (energy: number, j: number): boolean => energy > 0 && energy < (2 ** 11 * noise[j]) ** 2;
  const tiny = (value: number): boolean => value > 0 && (value / weight) * unit * unit < 2 ** -1000;
  return scatterTrace === 0 || scaling.constantColumns.length > 0 || columnEnergies.some(few) || values.some(tiny);
}
