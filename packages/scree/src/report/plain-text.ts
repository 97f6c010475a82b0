/** Text that comes from outside (names of columns, labels, titles) on its way into HTML and SVG. */

/** Longest name that is kept: it is shown to people. */
const LONGEST = 200;

/**
 * A name as one line of text that any document may hold: XML has no control characters and no half surrogates, and a
 * sign that turns the direction of writing would turn what stands around it too.
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

/** The beginning of a text that is too long, and a sign that it goes on. */
export function shortened(text: string, longest: number): string {
  const letters = [...text];
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join('')}…`;
}

/** A name that is too long for a figure: its beginning and its end, because names often differ in the end alone. */
export function squeezed(text: string, longest: number): string {
  const letters = [...text];
  if (letters.length <= longest) return text;
  const end = Math.floor((longest - 1) * 0.4);
  return `${letters.slice(0, longest - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}

/** The same for names that stand side by side: where they would become alike, what all begin with goes first. */
export function squeezedApart(names: readonly string[], longest: number): string[] {
  const short = names.map((name) => squeezed(name, longest));
  if (new Set(short).size === new Set(names).size) return short;
  let common = 0;
  while (names.every((name) => name.length > common && name[common] === names[0][common])) common++;
  return names.map((name) => squeezed([...name].length <= longest ? name : `…${name.slice(common)}`, longest));
}

/** Text as it stands in HTML and SVG, inside elements and inside attributes. */
export function escaped(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}
