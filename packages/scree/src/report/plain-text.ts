/** Text from outside, such as column names, labels and titles, made safe for HTML and SVG. */

export { plainText, shortened, squeezed, squeezedApart } from '@scree/analysis/describe';

/** Escapes text for HTML and SVG, in elements and in attributes. */
export function escaped(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/** Undoes `escaped`. */
export function unescaped(text: string): string {
  return text
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');
}
