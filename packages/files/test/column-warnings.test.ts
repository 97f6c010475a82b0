import { readFileSync } from 'node:fs';
import { inspectColumns } from '@scree/analysis';
import type { Warning } from '@scree/core';
import { Bool, Float64, Table, tableToIPC, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { type FileOptions, openBlob } from '../src/index.js';
import { EXPECTED } from './tables/expected.js';

/** Tables that other folders have anyway. */
const ELSEWHERE: Record<string, string> = {
  wine: '../../lab/src/data/wine.csv',
  penguins: '../../lab/src/data/penguins.csv',
  decathlon2: '../../core/test/fixtures/decathlon2.csv',
};

describe('warnings about the columns of public tables', () => {
  it.each(EXPECTED)('are those that a statistician wants: $table', async ({ table, wanted }) => {
    const text = readFileSync(new URL(ELSEWHERE[table] ?? `tables/${table}.csv`, import.meta.url));
    const file = await openBlob(new Blob([text]), { name: `${table}.csv`, missing: 'mean' });
    const { warnings } = await inspectColumns(file.source);
    const said = Object.fromEntries(
      warnings.map(({ code, details }) => {
        const columns = (details?.columns ?? []) as readonly (string | number | { readonly name: string })[];
        return [code, columns.map((column) => (typeof column === 'object' ? column.name : column))];
      }),
    );
    for (const [code, columns] of Object.entries(wanted)) if (columns === null && said[code]) delete said[code];
    const named = Object.entries(wanted).filter(
      ([code, columns]) => columns !== null || !warnings.some((each) => each.code === code),
    );
    expect(said).toEqual(Object.fromEntries(named));
  });
});

describe('warnings about what reading did to values', () => {
  const warned = async (
    text: string | Uint8Array,
    name: string,
    options: FileOptions = {},
  ): Promise<readonly Warning[]> => {
    const file = await openBlob(new Blob([text as BlobPart]), { name, ...options });
    for await (const block of file.source.blocks()) expect(block.rows).toBeGreaterThan(0);
    return (await file.source.warnings?.()) ?? [];
  };

  it('count truth values, in text and in types', async () => {
    const columns = [{ name: 'b', kind: 'boolean', count: 2, to: 1 }];
    const expected = [{ code: 'VALUES_CONVERTED', details: { values: 2, columns } }];
    const json = '[{"x":1,"b":true},{"x":2,"b":null},{"x":3,"b":false}]';
    expect(await warned(json, 'x.json', { missing: 'drop' })).toMatchObject([...expected, { code: 'ROWS_DROPPED' }]);
    const table = new Table({
      x: vectorFromArray([1, 2, 3], new Float64()),
      b: vectorFromArray([true, null, false], new Bool()),
    });
    const arrow = tableToIPC(table, 'file');
    expect(await warned(arrow, 'x.arrow', { missing: 'drop' })).toMatchObject([...expected, { code: 'ROWS_DROPPED' }]);
    // Not if the column is not analysed.
    expect(await warned(arrow, 'x.arrow', { columns: ['x'] })).toEqual([]);
  });

  it('name a column of text that is partly numbers, and no other', async () => {
    const text = 'x,lead,city\n1,<0.1,A\n2,0.5,B\n3,n.d.,C\n4,0.7,D\n5,trace,E\n';
    expect(await warned(text, 'x.csv')).toMatchObject([
      { code: 'COLUMNS_LEFT_OUT', details: { columns: [{ name: 'lead', share: 0.4 }], count: 1 } },
    ]);
    expect(await warned(text, 'x.csv', { exclude: ['lead'] })).toEqual([]);
    expect(await warned(text, 'x.csv', { label: 'lead' })).toEqual([]);
  });

  it('count filled values and dropped rows per column, with a missing weight, and nothing if no value is missing', async () => {
    const text = 'x,y,w\n1,2,1\n,3,1\n4,,2\n,,1\n5,6,\n7,8,1\n';
    expect(await warned(text, 'x.csv', { missing: 'mean', exclude: ['w'] })).toMatchObject([
      {
        code: 'VALUES_FILLED',
        message:
          '4 missing values were filled in, each with the column\'s mean, which shrinks correlations: "x" (2), "y" (2), of 6 rows.',
        details: { values: 4, rows: 6, with: 'mean' },
      },
    ]);
    const columns = [
      { name: 'x', count: 2 },
      { name: 'y', count: 2 },
      { name: 'w', count: 1 },
    ];
    expect(await warned(text, 'x.csv', { missing: 'drop', weight: 'w' })).toMatchObject([
      { code: 'ROWS_DROPPED', details: { count: 4, rows: 6, columns } },
    ]);
    expect(await warned('x,y\n1,2\n3,4\n', 'x.csv', { missing: 'mean' })).toEqual([]);
    expect(await warned('x,y\n1,2\n,4\n5,6\n', 'x.csv', { missing: 'drop' })).toMatchObject([
      { message: '1 of 3 rows was left out, because values are missing: "x" (1).' },
    ]);
  });
});
