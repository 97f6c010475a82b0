/** The word that was probably meant: the one at the smallest edit distance, if that is small. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  let [best, least] = [undefined as string | undefined, Math.max(2, Math.ceil(given.length / 3)) + 1];
  for (const word of words) {
    const changes = distance(given, word);
    if (changes < least) [best, least] = [word, changes];
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
