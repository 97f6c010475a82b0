import { selectNamed, type Table, toRowSource } from '@scree/core/data';
import { type FileOptions, openBlob } from '@scree/files';
import { describe, expect, it } from 'vitest';
import { bytesOf, npyFile } from './make.js';
import { blockRows, rowsOf } from './support.js';

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

async function toRows(table: Table) {
  const rows: number[][] = [];
  for await (const block of toRowSource(table).blocks()) rows.push(...blockRows(block));
  return { columns: table.columns.map(({ name }) => name), rows };
}

describe('an encoded file', () => {
  const column = (name: string) => ({ kind: 'number', name, transform: 'sqrt' }) as const;
  const rules = { version: 1, method: 'pca', missing: 'error', unseen: 'error' } as const;

  it('has encoded rows, and beside them what was there before', async () => {
    const file = await open(CSV, { supplementary: ['extra'], groups: ['kind'], label: 'name', missing: 'drop' });
    const encoded = file.encode({ ...rules, named: true, columns: [column('b'), column('a')] });
    const parts: unknown[] = [];
    for await (const { block, columns, groups, names, places } of encoded.withSupplementary())
      parts.push(blockRows(block), [...columns], groups, names, places);
    const rows = [
      [1, 2],
      [5, 7],
      [2, 9],
      [8, 1],
    ].map(([a, b]) => [Math.sqrt(b), Math.sqrt(a)]);
    const [extra, kind] = [
      [10, Number.NaN, 40, 50],
      ['u', 'u', null, 'v'],
    ];
    expect(parts).toEqual([rows, extra, [kind], ['p', 'r', 's', 't'], [0, 2, 3, 4]]);
    expect(await rowsOf(encoded)).toEqual(rows);
    expect([encoded.rows, encoded.dropped, encoded.describe()]).toEqual([4, 1, file.describe()]);
    expect(encoded.columns).toEqual(['a', 'b']);
  });

  it('may be residuals, whose covariates are found by the numbers of columns without names', async () => {
    const array = npyFile('<f8', [3, 3], bytesOf(Float64Array.of(5, 1, 10, 7, 2, 20, 9, 4, 30)));
    const file = await openBlob(new Blob([new Uint8Array(array)]), { columns: ['0'], supplementary: ['2', '1'] });
    const { columns, rows } = await toRows(selectNamed(file.supplementaryTable, ['1']));
    expect([columns, rows]).toEqual([['1'], [[1], [2], [4]]]);
    const regression = { covariates: [{ name: '1' }], mean: [7], covariateMean: [2], slopes: [[3]] };
    const plain = { ...column('0'), transform: 'none' } as const;
    const encoded = file.encode({ ...rules, named: false, columns: [plain], regression }, { supplementary: ['2'] });
    expect(encoded.supplementary).toEqual(['2']);
    expect(await rowsOf(encoded)).toEqual([[5 - 7 + 3], [0], [9 - 7 - 6]]);
  });

  it('encodes columns without names by their position, whatever their numbers are', async () => {
    const array = npyFile('<f8', [2, 4], bytesOf(Float64Array.of(1, 4, 9, 16, 25, 36, 49, 64)));
    const file = await openBlob(new Blob([new Uint8Array(array)]), { columns: ['1-2'], supplementary: ['3'] });
    const encoded = file.encode({ ...rules, named: false, columns: [column('0'), column('1')] });
    for await (const { block, columns } of encoded.withSupplementary()) {
      expect(blockRows(block)).toEqual([
        [2, 3],
        [6, 7],
      ]);
      expect([...columns]).toEqual([16, 64]);
    }
    expect(await rowsOf(encoded)).toEqual([
      [2, 3],
      [6, 7],
    ]);
  });
});
