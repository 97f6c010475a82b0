import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBlob, openBlobs } from '../src/open-blob.js';
import type { FileOptions } from '../src/options.js';
import { rowsOf } from './support.js';

const blobOf = (content: string): Blob => new Blob([content]);

const CRABS =
  'sp,id,FL,RW,sex,CL,CW,BD,a-b,x..y\nB,1,8,7,M,16,19,7,1,2\nO,2,9,8,F,18,20,8,3,5\nB,3,10,9,M,20,24,9,4,4\n';

async function columnsOf(options: FileOptions, csv = CRABS): Promise<readonly string[]> {
  const file = await openBlob(blobOf(csv), options);
  await file.close();
  return file.columns;
}

const refused = (options: FileOptions) => expect(columnsOf(options)).rejects;

describe('ranges of columns', () => {
  it('are the columns of numbers from one to another, in the order of the file', async () => {
    expect(await columnsOf({ columns: ['FL..BD'] })).toEqual(['FL', 'RW', 'CL', 'CW', 'BD']);
    expect(await columnsOf({ columns: ['FL-CL', 'BD'] })).toEqual(['FL', 'RW', 'CL', 'BD']);
    expect(await columnsOf({ columns: ['BD', ' FL .. RW '] })).toEqual(['BD', 'FL', 'RW']);
    expect(await columnsOf({ columns: ['FL..CW', 'RW'] })).toEqual(['FL', 'RW', 'CL', 'CW']);
  });

  it('have the columns that the ends of any two names enclose', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(29), fc.nat(29), fc.constantFrom('..', '-'), async (i, j, mark) => {
        const names = Array.from({ length: 30 }, (_, at) => `V${at + 1}`);
        const [from, to] = [Math.min(i, j), Math.max(i, j)];
        const csv = `${names.join(',')}\n${names.map((_, at) => at).join(',')}\n${names.map(() => 5).join(',')}\n`;
        const given = `${names[from]}${mark}${names[to]}`;
        expect(await columnsOf({ columns: [given] }, csv)).toEqual(names.slice(from, to + 1));
        if (to - from < 29) {
          const rest = names.filter((_, at) => at < from || at > to);
          expect(await columnsOf({ exclude: [given] }, csv)).toEqual(rest);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('come after names that contain their marks', async () => {
    expect(await columnsOf({ columns: ['a-b', 'x..y'] })).toEqual(['a-b', 'x..y']);
    expect(await columnsOf({ columns: ['BD-a-b'] })).toEqual(['BD', 'a-b']);
    expect(await columnsOf({ columns: ['a-b..x..y'] })).toEqual(['a-b', 'x..y']);
  });

  it('may be patterns', async () => {
    expect(await columnsOf({ columns: ['/^.[LW]$/'] })).toEqual(['FL', 'RW', 'CL', 'CW']);
    expect(await columnsOf({ columns: ['/^c/i'] })).toEqual(['CL', 'CW']);
    expect(await columnsOf({ exclude: ['/-|[.]|id/'] })).toEqual(['FL', 'RW', 'CL', 'CW', 'BD']);
  });

  it('leave out text, weights and names, and take text as a category', async () => {
    expect(await columnsOf({ columns: ['sp..RW'], weight: 'id' })).toEqual(['FL', 'RW']);
    expect(await columnsOf({ columns: ['sp..RW'], label: 'id' })).toEqual(['FL', 'RW']);
    const file = await openBlob(blobOf(CRABS), { columns: ['RW..CL'], categories: true, groups: ['/^s[pq]$/'] });
    expect([file.columns, file.categories, file.groups]).toEqual([['RW', 'CL'], ['sex'], ['sp']]);
    await file.close();
  });

  it('are found in the first of several files', async () => {
    const other = 'RW,FL,CL\n1,2,3\n4,5,7\n';
    const file = await openBlobs([blobOf(CRABS), blobOf(other)], { columns: ['FL..CL'] });
    expect(file.columns).toEqual(['FL', 'RW', 'CL']);
    expect((await rowsOf(file)).slice(2)).toEqual([
      [10, 9, 20],
      [2, 1, 3],
      [5, 4, 7],
    ]);
    await file.close();
  });

  it('are refused with a reason', async () => {
    await refused({ columns: ['BD..FL'] }).toThrow('"FL" comes before "BD" in the file');
    await refused({ columns: ['FL..nothing'] }).toMatchObject({ code: 'MISSING_COLUMN' });
    await refused({ columns: ['/^z/'] }).toThrow('No name of a column matches /^z/.');
    await refused({ columns: ['/(/'] }).toThrow('/(/ is no regular expression');
    await refused({ columns: ['/^s/'] }).toThrow('None of the columns /^s/ can be used');
    await refused({ exclude: ['/(/'] }).toMatchObject({ code: 'BAD_OPTION', details: { option: 'exclude' } });
  });
});
