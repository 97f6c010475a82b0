import { readFileSync, writeFileSync } from 'node:fs';

/** Prints tables and puts them into docs/scale.md, each between `<!-- its name -->` and `<!-- end -->`. A quick run only prints. */
export function fillPage(sections: Readonly<Record<string, readonly string[]>>, quick: boolean): void {
  const page = new URL('../../docs/scale.md', import.meta.url);
  let text = readFileSync(page, 'utf8');
  for (const [name, lines] of Object.entries(sections)) {
    console.log(`\n${name}\n${lines.join('\n')}`);
    const part = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`);
    if (!part.test(text)) throw new Error(`docs/scale.md has no place for ${name}`);
    text = text.replace(part, (_, start, end) => `${start}${lines.join('\n')}\n${end}`);
  }
  if (!quick) writeFileSync(page, text);
}
