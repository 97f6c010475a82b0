/** Makes text from outside, such as column names, labels and titles, safe for one line of any document. */

/** Longest name; longer names are cut. */
const LONGEST = 200;

/**
 * A name as one line of text that is valid in any document. XML forbids control characters and lone surrogates, and characters that
 * change the direction of writing would change the text around the name.
 */
export function plainText(text: string, longest = LONGEST): string {
  const line = text
    .slice(0, 8 * longest)
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '\ufffd')
    .trim();
  return shortened(line === '' ? '(empty)' : line, longest);
}

/** The beginning of a text that is too long, with an ellipsis. */
export function shortened(text: string, longest: number): string {
  const letters = [...text];
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join('')}…`;
}

/** Shortens a name to its beginning and its end, because names often differ only at the end. */
export function squeezed(text: string, longest: number): string {
  const letters = [...text];
  if (letters.length <= longest) return text;
  const end = Math.floor((longest - 1) * 0.4);
  return `${letters.slice(0, longest - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}

/** The same for several names. If names would become equal, their common beginning is cut first. */
export function squeezedApart(names: readonly string[], longest: number): string[] {
  const short = names.map((name) => squeezed(name, longest));
  if (new Set(short).size === new Set(names).size) return short;
  let common = 0;
  while (names.every((name) => name.length > common && name[common] === names[0][common])) common++;
  return names.map((name) => squeezed([...name].length <= longest ? name : `…${name.slice(common)}`, longest));
}
