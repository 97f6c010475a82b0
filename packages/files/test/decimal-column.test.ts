/// <reference types="node" />
import { type DataFile, openBlob } from '@scree/files';
import { describe, expect, it } from 'vitest';

const open = (csv: string): Promise<DataFile> => openBlob(new Blob([csv]), { name: 'x.csv', missing: 'drop' });

async function read(csv: string): Promise<{ columns: readonly string[]; values: number[] }> {
  const file = await open(csv);
  const values: number[] = [];
  for await (const block of file.source.blocks()) values.push(...Array.from(block.data.slice(0, block.rows)));
  return { columns: file.columns, values };
}

describe('one column of decimal commas', () => {
  it('is one column of numbers, and not row names beside whole numbers', async () => {
    expect(await read('x\n24,71\n13,5\n8,25\n')).toEqual({ columns: ['x'], values: [24.71, 13.5, 8.25] });
    expect(await read('x\n24,71\n')).toEqual({ columns: ['x'], values: [24.71] });
    expect(await read('x\r\n24,71\r\n8,25')).toEqual({ columns: ['x'], values: [24.71, 8.25] });
  });

  it('is told by signs, zeros in front, whole numbers and gaps, which rows with names do not have', async () => {
    expect((await read('x\n1,5\n-2,5\n3,5\n')).values).toEqual([1.5, -2.5, 3.5]);
    expect((await read('x\n1,05\n2,5\n3,5\n')).values).toEqual([1.05, 2.5, 3.5]);
    expect((await read('x\n1,5\n2\n3,5\n')).values).toEqual([1.5, 2, 3.5]);
    expect((await read('x\n1,5\nNA\n3,5\n')).values).toEqual([1.5, 3.5]);
  });

  it('is a column with row names if the first numbers count the rows, or are quoted', async () => {
    expect(await read('x\n1,24\n2,13\n3,8\n')).toEqual({ columns: ['x'], values: [24, 13, 8] });
    expect(await read('x\n0,24\n1,13\n2,8\n')).toEqual({ columns: ['x'], values: [24, 13, 8] });
    expect(await read('x\n"24",71\n"13",5\n"8",25\n')).toEqual({ columns: ['x'], values: [71, 5, 25] });
    expect(await read('x\na,71\nb,5\n')).toEqual({ columns: ['x'], values: [71, 5] });
  });

  it('is refused if the first numbers ascend, because they may number the rows', async () => {
    await expect(open('x\n3,25\n7,31\n12,28\n')).rejects.toMatchObject({
      code: 'BAD_DATA',
      message: expect.stringMatching(/Nothing tells whether 3,25 .* Write 3\.25, .* row,x/),
    });
  });

  it('changes nothing if two columns have two names', async () => {
    expect((await open('x,y\n24,71\n13,5\n')).columns).toEqual(['x', 'y']);
  });
});
