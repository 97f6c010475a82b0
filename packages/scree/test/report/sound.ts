import { parseHTML } from 'linkedom';
import { makeReport, type Report, type ReportInput } from 'scree';
import { expect } from 'vitest';
import { problemsOf } from './well-formed.js';

/** Assertions that hold for every report. */
export function expectSound({ html, figures }: Report): void {
  expect(problemsOf(html, 'html')).toEqual([]);
  const words = html.replaceAll(/base64,[^"]*/g, '');
  expect(words.match(/NaN|undefined|\bnull\b|Infinity|\[object/)).toBeNull();
  // Numbers and what they count agree: of 21 rows and of 0.1 rows nothing is said here.
  const prose = textOf({ html, figures }).replace(/\s+/g, ' ');
  expect(
    prose.match(/(?<![\d.,])1 (rows|columns|components|scores|directions|labels|warnings|numbers|points)\b/),
  ).toBeNull();
  expect(prose.match(/\ball 1\b|(?<![\d.,])1 row (are|have|stand)\b|\b[02-9] rows? is\b/i)).toBeNull();
  // Rounding alone must not be described as "determined by the data".
  expect(prose.match(/(?<!not )determined by the data|data determine/)).toBeNull();
  expect(words.match(/https?:\/\/|\/\/[a-z]+\.|<script|<link|@import|url\(/i)).toBeNull();
  expect(html).toContain("default-src 'none'");
  expect(html).toMatch(/prefers-color-scheme:dark/);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of html.matchAll(/ href="#([^"]*)"/g)) expect(ids).toContain(target);
  expect(figures.length).toBeGreaterThanOrEqual(2);
  expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length);
  for (const { svg, name } of figures) {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(problemsOf(svg, 'xml')).toEqual([]);
    expect(svg.replaceAll(/base64,[^"]*/g, '').match(/NaN|undefined|Infinity|="[^"]*var\(--/)).toBeNull();
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*role="img"[^>]*>\n<title id="title">.+<\/title>\n<desc id="desc">.+<\/desc>\n<rect width="100%" height="100%" fill="#ffffff"\/>/,
    );
    expect(html).toContain(`id="figure-${name}"`);
  }
}

/** The title may be left out. */
type Untitled<Input> = Input extends ReportInput ? Omit<Input, 'title'> & { title?: string } : never;

/** A report that is sound. */
export async function report(input: Untitled<ReportInput>): Promise<Report> {
  const made = await makeReport({ title: 'data.csv', ...input });
  expectSound(made);
  return made;
}

/** The text of the page, without its tags. */
export function textOf({ html }: Report): string {
  const { document } = parseHTML(html);
  for (const style of document.querySelectorAll('style, svg')) style.remove();
  for (const block of document.querySelectorAll('p, h3, li, summary')) block.append(' ');
  return document.body.textContent.replace(/\u00a0/g, ' ');
}

/** Rows of the table below a figure, as text. */
export function tableOf({ html }: Report, figure: string): string[][] {
  const { document } = parseHTML(html);
  return [...document.querySelectorAll(`#figure-${figure} tbody tr`)].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent.replace(/\u00a0/g, ' ')),
  );
}
