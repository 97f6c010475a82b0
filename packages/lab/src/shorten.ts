/** Names from the user's data, on one line and shortened to fit. */

export function shorten(text: string, length: number): string {
  const letters = lettersOf(text);
  return isolated(letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : letters.join(''));
}

/** Shortens a name in the middle, because names of columns often differ only in their last letters. */
export function shortenMiddle(text: string, length: number): string {
  const letters = lettersOf(text);
  if (letters.length <= length) return isolated(letters.join(''));
  const end = Math.floor((length - 1) / 2);
  return isolated(`${letters.slice(0, length - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`);
}

/** The longest name in a figure. A longer text is cut. */
const MAX_NAME = 300;

/** A whole name, on one line. */
export function oneLine(text: string): string {
  return isolated(lettersOf(text).slice(0, MAX_NAME).join(''));
}

function lettersOf(text: string): string[] {
  return Array.from(untangled(text).replace(/[\s\p{Cc}]+/gu, ' '));
}

/** The text without bidirectional control characters. In a name they would also change the direction of the sentence around it. */
export function untangled(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '');
}

/** Scripts that are written from right to left. */
const LEFTWARDS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Wraps a right-to-left name in isolation characters, so that the numbers after it stay where they are. */
function isolated(text: string): string {
  return LEFTWARDS.test(text) ? `\u2068${text}\u2069` : text;
}
