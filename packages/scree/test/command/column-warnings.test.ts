import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useBinary } from './binary.js';

/** Warnings of the command about columns, and about values that reading changed. Runs the real binary. */

const { run: scree, write, path } = useBinary('column-warnings');

const table = (name: string): string =>
  write(`${name}.csv`, readFileSync(new URL(`../../../files/test/tables/${name}.csv`, import.meta.url)));

interface Said {
  readonly code: string;
  readonly details: Record<string, unknown>;
}

/** Warnings about the fit, not about columns and values. */
const OTHERS = ['NO_STRUCTURE', 'RANK_BELOW_K'];

const warned = (args: readonly string[]): Said[] => {
  const { code, out, err } = scree([...args, '--json', '-q']);
  expect(code, err).toBe(0);
  return (JSON.parse(out) as { warnings: Said[] }).warnings.filter(({ code }) => !OTHERS.includes(code));
};

const lines = (args: readonly string[]): string[] =>
  scree(args)
    .out.split('\n')
    .filter((line) => line.startsWith('Warning: '));

describe('a fit', () => {
  it('says nothing of clean tables', () => {
    for (const name of ['iris', 'attitude', 'stackloss', 'trees']) expect(lines(['fit', table(name)])).toEqual([]);
  });

  it('names the column that dominates and the flag that helps, which ends the warning', () => {
    const arrests = table('USArrests');
    expect(lines(['fit', arrests])).toEqual([
      expect.stringMatching(/^Warning: Column Assault has 95\.\d\s% of the variance.*use --scale unit\.$/),
    ]);
    expect(lines(['fit', arrests, '--scale', 'unit'])).toEqual([]);
  });

  it('counts 37 of 153 values of Ozone that were filled in: in the terminal, the JSON, the model and its report', () => {
    const air = table('airquality');
    const ozone = ['--columns', 'Ozone,Wind,Temp', '--scale', 'unit'];
    const filled =
      'Warning: 37 of 153 values of column Ozone were filled in with the column mean, which shrinks correlations.';
    // Days in a row are alike too.
    const ordered = expect.stringMatching(/^Warning: Neighbouring rows are alike in PC1 .* blocks of \d+ rows/);
    expect(lines(['fit', air, ...ozone, '--missing', 'mean', '-o', 'air.json'])).toEqual([ordered, filled]);
    expect(lines(['inspect', 'air.json'])).toEqual([ordered, filled]);
    const model = JSON.parse(readFileSync(path('air.json'), 'utf8')) as { warnings: Said[] };
    const details = { columns: [{ name: 'Ozone', count: 37 }], values: 37, rows: 153, with: 'mean' };
    expect(model.warnings).toMatchObject([{ code: 'ORDERED_ROWS' }, { code: 'VALUES_FILLED', details }]);
    expect(warned(['fit', air, ...ozone, '--missing', 'mean'])).toMatchObject(model.warnings);
    expect(scree(['report', air, ...ozone, '--missing', 'mean', '-o', 'air.html', '-q']).code).toBe(0);
    expect(readFileSync(path('air.html'), 'utf8')).toContain('37 of 153 values of');
  });

  it('counts the rows that were left out, and the columns that were the reason', () => {
    const columns = [
      { name: 'Ozone', count: 37 },
      { name: 'Solar.R', count: 7 },
    ];
    expect(warned(['fit', table('airquality'), '--missing', 'drop', '--scale', 'unit'])).toMatchObject([
      { code: 'ID_COLUMN', details: { columns: ['Month', 'Day'] } },
      { code: 'ORDERED_ROWS' },
      { code: 'ROWS_DROPPED', details: { count: 42, rows: 153, columns } },
    ]);
  });

  it('warns of an id and of codes, and --exclude ends both', () => {
    const rows = Array.from({ length: 60 }, (_, i) => {
      const [x, noise] = [Math.sin(i), 0.1 * Math.cos(3 * i)];
      return [i + 1, x, 2 * x + noise, noise - x, 1 + ((i * i) % 3)].join();
    });
    const data = write('id.csv', `id,x,y,z,class\n${rows.join('\n')}\n`);
    const about = (args: readonly string[]): string[] => warned(['fit', data, ...args]).map(({ code }) => code);
    expect(about([]).slice(0, 2)).toEqual(['ID_COLUMN', 'CATEGORY_CODES']);
    // y = 3 x + z, and rows that lie side by side are alike.
    expect(about(['--exclude', 'id,class'])).toEqual(['LINEAR_RELATION', 'ORDERED_ROWS']);
  });

  it('warns of correlations in place of data', () => {
    const data = readFileSync(new URL('../../../core/test/fixtures/bfi-correlations.csv', import.meta.url));
    expect(lines(['fit', write('correlations.csv', data)])).toContainEqual(
      expect.stringMatching(/^Warning: These 25 rows of 25 columns look like a correlation matrix/),
    );
  });

  it('counts converted values also if a thread parses the file, and its answer is the same', () => {
    // More than 8 MB: text is then parsed in a thread.
    const rows = Array.from({ length: 300_000 }, (_, i) => {
      const value = (i * 7919) % 1000;
      return `${value}%;$${value + (i % 97)}.25;${value > 500 ? 'TRUE' : 'FALSE'}`;
    });
    const columns = [
      { name: 'p', kind: 'percent', count: 300_000, from: '0%', to: 0 },
      { name: 'm', kind: 'currency', count: 300_000, from: '$0.25', to: 0.25 },
      { name: 'b', kind: 'boolean', count: 300_000, from: 'FALSE', to: 0 },
    ];
    const large = write('large.csv', `p;m;b\n${rows.map((row) => row.padEnd(30, ' ')).join('\n')}\n`);
    expect(warned(['fit', large, '--scale', 'unit', '--bootstrap=0'])).toMatchObject([
      // The values repeat after 1000 rows.
      { code: 'ORDERED_ROWS' },
      { code: 'VALUES_CONVERTED', details: { columns } },
    ]);
  });
});

describe('transform', () => {
  it('says how many values it filled in with the means of the model', () => {
    const air = table('airquality');
    expect(scree(['fit', air, '--columns', 'Wind,Temp,Ozone', '--missing', 'drop', '-o', 'm.json', '-q']).code).toBe(0);
    const { err } = scree(['transform', 'm.json', air, '--missing', 'mean', '-o', 's.npy']);
    expect(err).toContain("Warning: 37 of 153 values of column Ozone were filled in with the model's mean.");
  });
});
