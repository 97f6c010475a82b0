import { describeValue, OptionError } from '../errors.js';
import { nearestName } from './nearest-name.js';

/** Options of other libraries, and their names in this library. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  n_components: 'k',
  nComponents: 'k',
  numComponents: 'k',
  rank: 'k',
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
  transform: 'columnTransform',
};

/** Returns the error for an unknown option. It suggests the nearest option and lists all options. */
export function unknownOption(given: string, options: readonly string[]): OptionError {
  return new OptionError(
    'UNKNOWN_OPTION',
    `There is no option ${describeValue(given)}.${suggestOption(given, options)} The options are ${options.join(', ')}.`,
    { option: given },
  );
}

/** Returns " Did you mean …?" for an unknown option, or an empty string. */
export function suggestOption(given: string, options: readonly string[]): string {
  const meant = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : nearestName(given, options);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
