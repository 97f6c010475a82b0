/**
 * Characters that a terminal executes instead of showing. Control characters: C0 with ESC and BEL, DEL, C1 with its one-byte CSI and OSC.
 * Characters that reorder or break a line: bidirectional controls, line and paragraph separators.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are to be found
const ACTIVE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of text for a terminal. Names from files and models may contain any character. Control characters become visible: \u001b. */
export function escapeLine(line: string): string {
  return line.replace(ACTIVE, escaped);
}

/**
 * Text of several lines. JSON keeps its meaning: its strings contain no control characters, and the other characters are escaped as in
 * JSON.
 */
export function escapeText(text: string): string {
  return text.replace(ACTIVE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
