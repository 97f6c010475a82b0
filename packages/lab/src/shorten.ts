/** Names from outside, cut to fit. */

export function shorten(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : text;
}

/** Keeps both ends: names of columns often differ in their last letters only. */
export function shortenMiddle(text: string, length: number): string {
  const letters = Array.from(text);
  if (letters.length <= length) return text;
  const end = Math.floor((length - 1) / 2);
  return `${letters.slice(0, length - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}
