/** A word for a shell: quoted unless it has only letters, digits and the characters of paths. */
export function shellWord(word: string): string {
  return /^[\w./=:,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
