/**
 * Returns the name with the smallest edit distance, ignoring case, if at most a third of the letters differ, or at most `most` letters of a
 * short word.
 */
export function nearestName(given: string, names: readonly string[], most = 1): string | undefined {
  let [best, least] = [undefined as string | undefined, Math.max(most, Math.ceil(given.length / 3)) + 1];
  for (const name of names) {
    const changes = distance(given.toLowerCase(), name.toLowerCase());
    if (changes < least) [best, least] = [name, changes];
  }
  return best;
}

/** The Levenshtein distance. */
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
