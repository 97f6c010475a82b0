import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/index.js';
import { useBinary } from './binary.js';

const { path, write, run, refused } = useBinary('several');

const row = (i: number): number[] => [Math.sin(i), 2 * Math.sin(i) + 0.1 * Math.cos(3 * i), Math.cos(7 * i)];
const table = (from: number, to: number, order = [0, 1, 2]): string =>
  `${[order.map((j) => 'abc'[j]), ...Array.from({ length: to - from }, (_, i) => order.map((j) => row(from + i)[j]))].map((cells) => cells.join(',')).join('\n')}\n`;

mkdirSync(path('data'));
for (let p = 0; p < 12; p++) write(`data/p${p}.csv`, table(10 * p, 10 * p + 10, p % 2 ? [2, 0, 1] : [0, 1, 2]));
write('whole.csv', table(0, 120));

describe('commands that read several files', () => {
  it('fit a pattern, a folder and several names as the table that they are', async () => {
    expect(run(['fit', 'whole.csv', '-k', '2', '-o', 'whole.json']).code).toBe(0);
    const truth = await readModel(path('whole.json'));
    const names = Array.from({ length: 12 }, (_, p) => `data/p${p}.csv`);
    for (const given of [['data/*.csv'], ['data'], names]) {
      expect(run(['fit', ...given, '-k', '2', '-o', 'many.json']).code).toBe(0);
      const model = await readModel(path('many.json'));
      expect(model.columnNames).toEqual(['a', 'b', 'c']);
      expect(Math.abs(model.variances[0] - truth.variances[0])).toBeLessThan(1e-14 * truth.variances[0]);
    }
  });

  it('transform rows in the natural order of the names', () => {
    expect(run(['transform', 'whole.json', 'data/*.csv', '-o', 'many.csv', '-q']).code).toBe(0);
    expect(run(['transform', 'whole.json', 'whole.csv', '-o', 'one.csv', '-q']).code).toBe(0);
    expect(readFileSync(path('many.csv'))).toEqual(readFileSync(path('one.csv')));
  });

  it('save checkpoints of several files', () => {
    expect(run(['fit', 'data', '-k', '2', '--checkpoint', 'c', '--every', '0', '-q']).code).toBe(0);
  });

  it('refuse an output that is one of the files, and a file that differs, by name', () => {
    expect(refused(['transform', 'whole.json', 'data/*.csv', '-o', 'data/p3.csv'])).toContain(
      'data/p3.csv is the input',
    );
    write('other.csv', 'a,b,d\n1,2,3\n2,3,5\n');
    expect(refused(['fit', 'data/p0.csv', 'other.csv'])).toContain(
      'other.csv has no column "c", which data/p0.csv has',
    );
    expect(refused(['fit', 'data/*.parquet'])).toContain('No file matches data/*.parquet');
    expect(refused(['fit', 'data/p0.csv', 'data/p0.csv'])).toContain('named twice');
  });
});
