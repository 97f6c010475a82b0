import { nearestName } from './nearest-name.js';

/** Options of other libraries, and what they are called here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  n_components: 'k',
  nComponents: 'k',
  ncomp: 'k',
  nCompNIPALS: 'k',
  components: 'k',
  dimensions: 'k',
  svd_solver: 'solver',
  method: 'solver',
  random_state: 'seed',
  tol: 'tolerance',
  standardize: "scale: 'unit'",
  standardise: "scale: 'unit'",
  normalize: "scale: 'unit'",
  centre: 'center',
  sample_weight: 'weights',
  featureNames: 'columnNames',
  feature_names: 'columnNames',
  names: 'columnNames',
};

/** " Did you mean …?" for an option that does not exist, or nothing. */
export function suggestOption(given: string, options: readonly string[]): string {
  const meant = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : nearestName(given, options);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
