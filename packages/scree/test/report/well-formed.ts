/** A strict look at markup: what it complains about, if anything. */

const NAME = '[A-Za-z][\\w:-]*';
const ATTRIBUTE = `\\s+${NAME}\\s*=\\s*"[^"<]*"`;
const TAG = new RegExp(`^<(/?)(${NAME})((?:${ATTRIBUTE})*)\\s*(/?)>$`);
const ENTITY = /&(?!(?:amp|lt|gt|quot|#39|#\d+|nbsp);)/;
/** Elements that HTML leaves open. */
const VOID = new Set(['meta', 'br', 'link', 'hr', 'img']);

/** Problems of an XML document, or of HTML that is written as carefully. */
export function problemsOf(markup: string, kind: 'xml' | 'html'): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  const body = markup.replace(/^<!DOCTYPE html>/, '').replace(/<style>[^<]*<\/style>/g, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(body)) problems.push('a control character');
  for (const part of body.split(/(<[^>]*>)/)) {
    if (!part.startsWith('<')) {
      if (/[<>]/.test(part)) problems.push(`a bracket in ${part.slice(0, 60)}`);
      if (ENTITY.test(part)) problems.push(`a loose & in ${part.slice(0, 60)}`);
      continue;
    }
    const match = TAG.exec(part);
    if (!match) {
      problems.push(`not a tag: ${part.slice(0, 80)}`);
      continue;
    }
    const [, closing, name, attributes, selfClosing] = match;
    if (ENTITY.test(attributes)) problems.push(`a loose & in ${part.slice(0, 60)}`);
    const names = [...attributes.matchAll(new RegExp(`\\s(${NAME})\\s*=`, 'g'))].map(([, attribute]) => attribute);
    if (new Set(names).size < names.length) problems.push(`an attribute twice in ${part.slice(0, 80)}`);
    if (closing) {
      const last = open.pop();
      if (last !== name) problems.push(`</${name}> closes <${last}>`);
    } else if (!selfClosing && !(kind === 'html' && VOID.has(name))) open.push(name);
  }
  return open.length > 0 ? [...problems, `never closed: ${open.join(', ')}`] : problems;
}
