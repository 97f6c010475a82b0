import { type Figure, type FigureTable, inlineSvg } from './figures/figure.js';
import { escaped } from './plain-text.js';
import { STYLE } from './style.js';

/** Parts of the page. Arguments called text are escaped here; those called html are already escaped. */

/** Nothing may be fetched or run. Styles and pictures are in the file, and it has no scripts. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly html: string;
}

export interface ReportPage {
  readonly title: string;
  readonly description: string | undefined;
  /** The first paragraphs: the most important findings. */
  readonly lead: string;
  /** The most important numbers. */
  readonly cards: readonly (readonly [name: string, value: string])[];
  /** More facts, before the sections. */
  readonly summary: string;
  readonly sections: readonly Section[];
  readonly foot: string;
}

export function writePage({ title, description, lead, cards, summary, sections, foot }: ReportPage): string {
  const links = sections.map((section) => `<li><a href="#${section.id}">${escaped(section.title)}</a></li>`);
  const body = sections.map(
    (section) =>
      `<section aria-labelledby="${section.id}"><h2 id="${section.id}" tabindex="-1">${escaped(section.title)}</h2>\n${section.html}</section>`,
  );
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<a class="skip" href="#${sections[0].id}">Skip to the figures</a>`,
    '<header>',
    `<h1><bdi>${escaped(title)}</bdi></h1>`,
    ...(description === undefined ? [] : [`<p class="faint"><bdi>${escaped(description)}</bdi></p>`]),
    lead,
    `<dl class="cards">${cards.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`,
    summary,
    `<nav aria-label="Contents"><ul>${links.join('')}</ul></nav>`,
    '</header>',
    '<main>',
    ...body,
    '</main>',
    `<footer><p>${escaped(foot)}</p></footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

export function paragraphs(sentences: readonly string[]): string {
  return sentences.map((sentence) => `<p>${escaped(sentence)}</p>\n`).join('');
}

export function htmlList(items: readonly string[], kind = ''): string {
  return `<ul${kind && ` class="${kind}"`}>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>\n`;
}

/** Details that are shown on demand. */
export function folded(title: string, html: string): string {
  return `<details><summary>${escaped(title)}</summary>${html}</details>\n`;
}

export function factList(facts: readonly (readonly [name: string, value: string])[]): string {
  return `<dl class="facts">${facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>\n`;
}

/** Figures side by side if there is space, each with a table of its numbers. `html` comes before them. */
export function figures(shown: readonly Figure[], html = ''): string {
  return `<div class="figures">\n${html && `<div>${html}</div>\n`}${shown.map(figure).join('')}</div>\n`;
}

function figure(drawn: Figure): string {
  const { name, title, caption, table } = drawn;
  return [
    `<figure id="figure-${name}">`,
    `<figcaption><h3>${escaped(title)}</h3>${caption === undefined ? '' : `<p>${escaped(caption)}</p>`}</figcaption>`,
    inlineSvg(drawn),
    ...(table ? [`<details><summary>The numbers as a table</summary>${tableHtml(table, title)}</details>`] : []),
    '</figure>\n',
  ].join('');
}

const NUMBER = /^[<>±]?\s?−?[\d,.]+(\s×\s10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?(\s?[%°])?$/;

/** A table that scrolls if it is too wide or too long, also by keyboard. */
export function tableHtml(
  { columns, rows, note }: FigureTable,
  title: string,
  shape: 'scroll' | 'scroll whole' = 'scroll',
): string {
  const numeric = columns.map((_, c) => rows.length > 0 && rows.every((row) => row[c] === '' || NUMBER.test(row[c])));
  const kind = (c: number): string => (numeric[c] ? ' class="number"' : '');
  const headers = columns.map((name, c) => `<th scope="col"${kind(c)}>${escaped(name)}</th>`);
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell, c) => `<td class="${numeric[c] ? 'number' : 'name'}">${escaped(cell)}</td>`).join('')}</tr>`,
  );
  return [
    `<div class="${shape}" tabindex="0" role="region" aria-label="${escaped(`Table: ${title}`)}"><table>`,
    ...(note === undefined ? [] : [`<caption>${escaped(note)}</caption>`]),
    `<thead><tr>${headers.join('')}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`,
  ].join('');
}
