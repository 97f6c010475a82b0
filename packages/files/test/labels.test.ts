/// <reference types="node" />

import type { Table } from '@scree/core/data';
import { type DataFile, type FileOptions, openBlob } from '@scree/files';
import { describe, expect, it } from 'vitest';
import { openCsv } from '../src/csv/csv-table.js';
import { openJson } from '../src/json/json-table.js';
import { memoryFile } from './make.js';

const open = (csv: string, options: FileOptions): Promise<DataFile> =>
  openBlob(new Blob([csv]), { name: 'x.csv', ...options });

const LONG = 'sample '.repeat(40);

describe('labels', () => {
  it('that differ only in their last character are two, however long they are', async () => {
    const csv = `g,x\n${Array.from({ length: 10 }, (_, i) => `${LONG}${'ab'[i % 2]},${i}`).join('\n')}\n`;
    const { names, codes } = await (await open(csv, { label: 'g' })).labels();
    expect(names).toEqual([`${LONG}a`, `${LONG}b`]);
    expect([...codes]).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
  });

  it('choose the rows of a group by all of their characters', async () => {
    const csv = `g,x\n${Array.from({ length: 10 }, (_, i) => `${LONG}${'ab'[i % 2]},${i}`).join('\n')}\n`;
    const file = await open(csv, { only: { column: 'g', level: `${LONG}b` } });
    const rows: number[] = [];
    for await (const block of file.source.blocks()) rows.push(...Array.from(block.data.slice(0, block.rows)));
    expect(rows).toEqual([1, 3, 5, 7, 9]);
  });

  it('beyond an eighth of the memory are counted with those that came after the most', async () => {
    const csv = `g,x\n${Array.from({ length: 40 }, (_, i) => `${'x'.repeat(100_000)}${i},${i}`).join('\n')}\n`;
    const { names, codes } = await (await open(csv, { label: 'g', memory: 16e6 })).labels();
    expect(names).toHaveLength(10);
    expect([...codes.slice(9)]).toEqual([9, ...Array(30).fill(-2)]);
  });
});

describe('a batch', () => {
  // The least memory allows about 64 KB of texts in a batch.
  const memory = 16e6;
  const rows = Array.from({ length: 3000 }, (_, i) => ({ id: `${LONG}${i}`, x: i }));
  const csv = `id,x\n${rows.map(({ id, x }) => `${id},${x}`).join('\n')}\n`;
  const formats: [string, () => Promise<Table>][] = [
    ['CSV', () => openCsv(memoryFile(Buffer.from(csv)), { memory })],
    ['JSON', () => openJson(memoryFile(Buffer.from(JSON.stringify(rows))), { memory, lines: false })],
  ];

  it.each(formats)('of %s ends if its texts take their part of the memory, and no row is lost', async (_, make) => {
    const table = await make();
    const seen: (string | null)[] = [];
    let numbers = 0;
    for await (const { block, texts } of table.read({ numbers: [1], texts: [0] })) {
      const [own] = texts;
      expect(own.length).toBe(block.rows);
      expect(own.reduce((sum, each) => sum + (each?.length ?? 0), 0)).toBeLessThan(1 << 17);
      seen.push(...own);
      numbers += block.rows;
    }
    expect(numbers).toBe(rows.length);
    expect(seen).toEqual(rows.map(({ id }) => id));
  });
});
