/** Names from outside, in one line and cut to fit. */

export function shorten(text: string, length: number): string {
  const letters = lettersOf(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : letters.join('');
}

/** Keeps both ends: names of columns often differ in their last letters only. */
export function shortenMiddle(text: string, length: number): string {
  const letters = lettersOf(text);
  if (letters.length <= length) return letters.join('');
  const end = Math.floor((length - 1) / 2);
  return `${letters.slice(0, length - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}

function lettersOf(text: string): string[] {
  return Array.from(text.replace(/[\s\p{Cc}]+/gu, ' '));
}
