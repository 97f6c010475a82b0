/**
 * Characters that a terminal acts on instead of showing them: control characters (C0 with ESC and BEL, DEL, C1 with its
 * one-byte CSI and OSC) and those that reorder or break a line (bidirectional controls, line and paragraph separators).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ACTIVE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of text for a person. Names from files and models may contain anything; here it becomes visible: \u001b. */
export function escapeLine(line: string): string {
  return line.replace(ACTIVE, escaped);
}

/** Text of several lines. In JSON, whose strings have no control characters left, what is escaped here has the same meaning. */
export function escapeText(text: string): string {
  return text.replace(ACTIVE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
