import { readFileSync } from 'node:fs';
import { createFile } from 'scree';
import { describe, expect, it } from 'vitest';
import { useBinary } from './binary.js';

const { run, path, write } = useBinary('csv-safe');

const EVIL = ['=HYPERLINK("http://x")', '+1+cmd', '-2+3', '@SUM(A1)', ' =1+1', '＝1+1'];
const GOOD = ['-5', '+3', '-.5e3', 'a=b', "it's", 'plain', ''];
const labels = [...EVIL, ...GOOD];
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
write(
  'data.csv',
  `"=cmd|' /C calc'!A0",-b,c,name\n${labels.map((label, i) => `${-i},${(i * i) % 7},${(i * 5) % 11},${cell(label)}`).join('\n')}\n`,
);
expect(run(['fit', 'data.csv', '-k', '2', '--exclude', 'name', '-o', 'model.json', '-q']).code).toBe(0);

/** Cells of a line of CSV. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  );
}
const table = (name: string): string[][] => readFileSync(path(name), 'utf8').trimEnd().split('\n').map(cellsOf);

describe('--csv-safe', () => {
  const scores = ['transform', 'model.json', 'data.csv', '--label', 'name', '-q', '-o'];

  it('puts an apostrophe in front of labels that a spreadsheet would run', () => {
    expect(run([...scores, 'plain.csv'])).toMatchObject({ code: 0, err: '' });
    expect(run([...scores, 'safe.csv', '--csv-safe'])).toMatchObject({ code: 0, err: '' });
    const [plain, safe] = [table('plain.csv'), table('safe.csv')];
    const changed = safe.filter(([label], i) => label !== plain[i][0]);
    expect(changed).toHaveLength(EVIL.length);
    for (const [label] of changed) expect(label).toMatch(/^'/);
    // Numbers are the same, also those that are negative.
    expect(safe.map((cells) => cells.slice(1))).toEqual(plain.map((cells) => cells.slice(1)));
    expect(safe.some(([, score]) => score.startsWith('-'))).toBe(true);
  });

  it('does so with column names', () => {
    expect(run(['inspect', 'model.json', '-q', '-o', 'components.tsv', '--csv-safe']).code).toBe(0);
    const [header] = readFileSync(path('components.tsv'), 'utf8').split('\n');
    expect(header).toBe(`component\t'=cmd|' /C calc'!A0\t'-b\tc`);
    expect(run(['transform', 'model.json', 'data.csv', '-q', '-o', 'scores.npy']).code).toBe(0);
    expect(run(['reconstruct', 'model.json', 'scores.npy', '-q', '-o', 'rows.csv', '--csv-safe']).code).toBe(0);
    expect(table('rows.csv')[0]).toEqual([`'=cmd|' /C calc'!A0`, `'-b`, 'c']);
  });

  it('does so with tabs and line breaks, which only a program can write', async () => {
    const writer = await createFile(path('program.csv'), {
      cols: 1,
      columnNames: ['\rx'],
      label: 'name',
      csvSafe: true,
    });
    await writer.write({ rows: 3, cols: 1, data: Float64Array.of(-1, -2, -3) }, ['\t=1', '\r=2', '\n=3']);
    await writer.close();
    const text = readFileSync(path('program.csv'), 'utf8');
    expect(text).toBe(`name,"'\rx"\n'\t=1,-1\n"'\r=2",-2\n"'\n=3",-3\n`);
  });

  it('is rejected for formats without formulas', () => {
    for (const args of [
      [...scores, 'out.npy', '--csv-safe'],
      ['inspect', 'model.json', '--csv-safe'],
    ]) {
      expect(run(args)).toMatchObject({ code: 2, err: expect.stringMatching(/--csv-safe/) });
    }
  });
});
