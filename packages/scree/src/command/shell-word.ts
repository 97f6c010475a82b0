/** A word as a shell takes it: quoted where it is more than letters, digits and what paths are made of. */
export function shellWord(word: string): string {
  return /^[\w./=:,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
