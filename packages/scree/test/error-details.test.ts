import { writeFile } from 'node:fs/promises';
import { openBlob } from '@scree/files';
import { compressFile, createFile, makeReport, openFile, pca, screePlot, summarizeFile, writeModel } from 'scree';
import { describe, expect, it } from 'vitest';
import { invalidValues } from '../../../test/invalid-values.js';
import { refusal } from '../../../test/refusal.js';
import { useFolder } from './disk/support.js';

const folder = useFolder();
const TABLE = 'a,b,c,kind\n1,2,4,x\n3,5,1,y\n4,4,2,x\n7,1,3,y\n';

const fitted = pca([
  [1, 2],
  [2, 1],
  [3, 5],
]);

const compress = async (options: object) => {
  const { source } = await openBlob(new Blob(['a,b\n1,2\n2,1\n']));
  return compressFile({ source, model: await fitted, path: folder.file('x.scree'), ...options });
};

const open = (options: never) => openBlob(new Blob([TABLE]), options);

/** Calls that must refuse most of the values, with the minimum number of values that they refuse. */
const calls: readonly (readonly [name: string, least: number, call: (value: never, path: string) => unknown])[] = [
  ...['columns', 'categories', 'missing', 'format', 'memory', 'supplementaryRows', 'fill'].map(
    (option) =>
      [
        `openBlob, as ${option}`,
        option === 'columns' || option === 'fill' ? 0 : 10,
        (value: never) => open({ [option]: value } as never),
      ] as const,
  ),
  ['openFile', 1, (value) => openFile(value)],
  ['openFile, as missing', 10, (value, path) => openFile(path, { missing: value })],
  ['createFile, as dtype', 10, (value) => createFile(folder.file('x.npy'), { dtype: value } as never)],
  ['compressFile, as quantise', 10, (value) => compress({ quantise: value })],
  ['compressFile, as noise', 10, (value) => compress({ noise: value })],
  ['summarizeFile, as bootstrap', 10, (value, path) => summarizeFile(path, { bootstrap: value })],
  ['writeModel', 0, (value) => writeModel(folder.file('x.json'), value)],
  ['makeReport', 0, (value) => makeReport(value)],
  ['screePlot', 0, async (value) => screePlot(await fitted, value)],
];

describe('the details of an error', () => {
  it.each(calls)('are small and can be written as JSON, whatever is given to %s', async (_, least, call) => {
    const path = folder.file('table.csv');
    await writeFile(path, TABLE);
    let refused = 0;
    for (const [what, value] of invalidValues()) if (await refusal(() => call(value as never, path), what)) refused++;
    expect(refused).toBeGreaterThanOrEqual(least);
  });

  it('name the first of very many columns with missing values, and their number', async () => {
    const cols = 12_000;
    const line = (value: string) => Array.from({ length: cols }, () => value).join(',');
    const names = Array.from({ length: cols }, (_, j) => `a rather long name of column ${j}`).join(',');
    const file = await openBlob(new Blob([`${names}\n${line('1')}\n${line('')}\n${line('2')}\n`]));
    const error = await refusal(async () => {
      for await (const _ of file.source.blocks());
    }, 'gaps');
    expect(error).toMatchObject({
      code: 'MISSING_VALUES',
      details: { row: 1, affectedRows: 1, totalRows: 3, count: cols },
    });
    expect(error?.details.value).toHaveLength(10);
  });
});
