import { OptionError, show } from './errors.js';

/** Options of other libraries, and what they are called here. */
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
};

/** The error for an option that does not exist: with the one that was probably meant, and all that there are. */
export function unknownOption(given: string, options: readonly string[]): OptionError {
  return new OptionError(
    'UNKNOWN_OPTION',
    `There is no option ${show(given)}.${suggestOption(given, options)} The options are ${options.join(', ')}.`,
    { option: given },
  );
}

/** " Did you mean …?" for an option that does not exist, or nothing. */
export function suggestOption(given: string, options: readonly string[]): string {
  const meant = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : nearest(given, options);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** The name at the smallest edit distance, if a third of the letters or less differ. */
function nearest(given: string, names: readonly string[]): string | undefined {
  let [best, least] = [undefined as string | undefined, Math.ceil(given.length / 3) + 1];
  for (const name of names) {
    const changes = distance(given.toLowerCase(), name.toLowerCase());
    if (changes < least) [best, least] = [name, changes];
  }
  return best;
}

/** Letters to insert, leave out or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
