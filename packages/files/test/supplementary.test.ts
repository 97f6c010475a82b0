import { type FileOptions, openBlob } from '@scree/files';
import { describe, expect, it } from 'vitest';
import { rowsOf } from './support.js';

const open = (content: string, options: FileOptions) => openBlob(new File([content], 'x.csv'), options);

const CSV = 'name,a,b,extra,kind\np,1,2,10,u\nq,3,,20,v\nr,5,7,,u\ns,2,9,40,\nt,8,1,50,v\n';

async function beside(content: string, options: FileOptions) {
  const file = await open(content, options);
  const out: { row: number[]; extra: number[]; kind: (string | null)[] }[] = [];
  for await (const { block, columns, groups } of file.withSupplementary()) {
    if (block.kind === 'sparse') throw new TypeError('dense rows were expected');
    const s = columns.length / block.rows;
    for (let i = 0; i < block.rows; i++) {
      out.push({
        row: Array.from(block.data.subarray(i * block.stride, i * block.stride + block.cols)),
        extra: Array.from(columns.subarray(i * s, (i + 1) * s)),
        kind: groups.map((labels) => labels[i]),
      });
    }
  }
  await file.close();
  return out;
}

describe('supplementary columns and groups', () => {
  const options = { supplementary: ['extra'], groups: ['kind'] } as const;

  it('are not analysed, and say why', async () => {
    const file = await open(CSV, { ...options, missing: 'drop' });
    expect(file.columns).toEqual(['a', 'b']);
    expect(file.leftOut.map(({ name, why }) => [name, why])).toContainEqual(['extra', 'supplementary']);
    expect(file.leftOut.map(({ name, why }) => [name, why])).toContainEqual(['kind', 'group']);
  });

  it('stay beside their rows if rows are dropped; their own gaps drop nothing', async () => {
    expect(await beside(CSV, { ...options, missing: 'drop' })).toEqual([
      { row: [1, 2], extra: [10], kind: ['u'] },
      { row: [5, 7], extra: [Number.NaN], kind: ['u'] },
      { row: [2, 9], extra: [40], kind: [null] },
      { row: [8, 1], extra: [50], kind: ['v'] },
    ]);
  });

  it('are not filled in if gaps of other columns are', async () => {
    const rows = await beside(CSV, { ...options, missing: 'mean' });
    expect(rows[1]).toEqual({ row: [3, 4.75], extra: [20], kind: ['v'] });
    expect(rows[2].extra).toEqual([Number.NaN]);
  });

  it('must be numbers, unless they are groups; a column is not both', async () => {
    await expect(open(CSV, { supplementary: ['kind'] })).rejects.toMatchObject({ code: 'NOT_A_NUMBER' });
    await expect(open(CSV, { supplementary: ['extra'], groups: ['extra'] })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
  });
});

describe('supplementary rows', () => {
  const numbers = 'a,b\n1,2\n3,4\n5,\n7,8\n9,12\n';

  it('are a file of their own, and the source has the others', async () => {
    const file = await open(numbers, {
      supplementaryRows: [
        [4, 4],
        [1, 2],
      ],
      missing: 'drop',
    });
    expect(await rowsOf(file)).toEqual([
      [1, 2],
      [7, 8],
    ]);
    expect(await file.rowsInFile([0, 1])).toEqual([0, 3]);
    const apart = file.supplementaryRows;
    if (!apart) throw new TypeError('there are supplementary rows');
    expect(await rowsOf(apart)).toEqual([
      [3, 4],
      [9, 12],
    ]);
    expect(await apart.rowsInFile([0, 1])).toEqual([1, 4]);
  });

  it('have their gaps filled with the means of the other rows', async () => {
    const file = await open(numbers, { supplementaryRows: [[2, 3]], missing: 'mean' });
    if (!file.supplementaryRows) throw new TypeError('there are supplementary rows');
    expect(await rowsOf(file.supplementaryRows)).toEqual([
      [5, 6],
      [7, 8],
    ]);
  });

  it('past the end of the file are refused', async () => {
    const file = await open(numbers, { supplementaryRows: [[3, 5]], missing: 'drop' });
    await expect(rowsOf(file)).rejects.toMatchObject({ code: 'BAD_OPTION', details: { value: 6, expected: 5 } });
    await expect(open(numbers, { supplementaryRows: [[3, 2]] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});
