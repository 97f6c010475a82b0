import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parseHTML } from 'linkedom';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../src/command/commands.js';
import { parse } from '../../src/command/parse.js';

/** `analyze` and `report` of the same file, in this process. */

const folder = mkdtempSync(join(tmpdir(), 'scree-same-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const TEA = join(folder, 'tea.csv');
writeFileSync(TEA, gunzipSync(readFileSync(fixture('core/test/fixtures/tea.csv.gz'))));
const SAME = join(folder, 'same.csv');
writeFileSync(SAME, `a,b\n${'1,2\n'.repeat(12)}`);

/** Runs a command and returns what it printed, with single spaces. */
async function run(name: string, args: readonly string[]): Promise<string> {
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw new Error(`there is no command ${name}`);
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    const { run } = await command.load();
    await run({ ...parse([...args, '-q', '--bootstrap', '0'], command.flags), signal: new AbortController().signal });
  } finally {
    write.mockRestore();
  }
  return printed.join('');
}

/** The section of `analyze` about unusual rows. */
async function analyzed(args: readonly string[]): Promise<string> {
  const [, section] = (await run('analyze', [...args, '--full'])).split('\nUnusual rows\n');
  return section.split('\n\n')[0].replace(/\s+/g, ' ').trim();
}

/** The section of the page about unusual rows, and its first paragraph. */
async function reported(args: readonly string[]): Promise<{ lead: string; section: string; rings: boolean }> {
  const page = join(folder, 'page.html');
  await run('report', [...args, '-o', page]);
  const { document } = parseHTML(readFileSync(page, 'utf8'));
  const textOf = (element: { textContent: string } | null): string => element?.textContent.replace(/\s+/g, ' ') ?? '';
  for (const block of document.querySelectorAll('p')) block.append(' ');
  const whole = textOf(document.body);
  return {
    lead: textOf(document.querySelector('p.lead')),
    section: whole.slice(whole.lastIndexOf('What is lost'), whole.lastIndexOf('How it was computed')),
    rings: /[Rr]ings? marks? /.test(document.body.textContent),
  };
}

describe('analyze and report', () => {
  it.each<[string, string[]]>([
    ['irises', [fixture('files/test/tables/iris.csv')]],
    ['wines, scaled', [fixture('core/test/fixtures/wine.csv'), '--scale', 'unit']],
    ['wines, with a number of components', [fixture('core/test/fixtures/wine.csv'), '--scale', 'unit', '-k', '5']],
    ['cars', [fixture('core/test/fixtures/mtcars.csv')]],
    ['states', [fixture('core/test/fixtures/usarrests.csv')]],
    ['logarithms', [fixture('core/test/fixtures/usarrests.csv'), '--transform', 'log1p']],
    ['categories', [TEA, '--method', 'mca']],
    ['numbers and categories', [fixture('core/test/fixtures/poison.csv'), '--method', 'famd']],
    ['rows that are all the same', [SAME]],
  ])('name the same rows of %s', async (_, args) => {
    const told = await analyzed(args);
    const { lead, section, rings } = await reported(args);
    const [first] = told.split(/(?<=\.) /);
    expect(first).toMatch(/unusual|^Not examined/);
    expect(section).toContain(first);
    // The second look has the word about rows, in both.
    const apart = /[^.]* (by robust distances|beyond the robust limits[^.]*)\./.exec(lead)?.[0].trim();
    if (apart !== undefined) {
      expect(told).toContain(apart);
      return;
    }
    const rows = /^(Rows? .*|No row) (are|is) unusual|^\d+ rows of [\d,]+ are unusual/.exec(first)?.[0];
    if (rows === undefined) {
      expect(section).toContain(told);
      expect(lead).not.toMatch(/unusual/);
      expect(rings).toBe(false);
    } else expect(lead.toLowerCase()).toContain(rows.toLowerCase());
    // The same limits too, so the same components.
    for (const [limits] of told.matchAll(/Unusual means [^.]*(\.\d[^.]*)*/g)) expect(section).toContain(limits);
  });
});
