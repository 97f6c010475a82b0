/** Widest text, however wide the terminal is. */
const WIDEST = 100;

/** Columns of the terminal, or 80 where standard output is none. */
export function outputWidth(): number {
  return Math.max(40, Math.min(WIDEST, process.stdout.columns ?? 80));
}

/** Breaks a text at spaces into lines of at most `width` characters; lines after the first begin with `indent` spaces. A no-break space stays. */
export function wrap(text: string, width: number, indent = 0): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  const [lead] = /^ */.exec(text) as RegExpExecArray;
  let line = lead;
  let empty = true;
  for (const word of text.slice(lead.length).split(' ')) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(indent);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
