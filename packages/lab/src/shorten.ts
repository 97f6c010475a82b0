/** Names from outside, in one line and cut to fit. */

export function shorten(text: string, length: number): string {
  const letters = lettersOf(text);
  return isolated(letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : letters.join(''));
}

/** Keeps both ends: names of columns often differ in their last letters only. */
export function shortenMiddle(text: string, length: number): string {
  const letters = lettersOf(text);
  if (letters.length <= length) return isolated(letters.join(''));
  const end = Math.floor((length - 1) / 2);
  return isolated(`${letters.slice(0, length - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`);
}

function lettersOf(text: string): string[] {
  return Array.from(untangled(text).replace(/[\s\p{Cc}]+/gu, ' '));
}

/** Without the signs that turn the direction of writing: in a name they would turn the sentence around it too. */
export function untangled(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '');
}

/** Letters that are written from right to left. */
const LEFTWARDS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** A name with such letters between signs that keep its direction to itself: numbers after it stay where they are. */
function isolated(text: string): string {
  return LEFTWARDS.test(text) ? `\u2068${text}\u2069` : text;
}
