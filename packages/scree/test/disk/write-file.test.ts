import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { createFile, type OutputFormat } from 'scree';
import { describe, expect, it } from 'vitest';
import { readAll, useFolder } from './support.js';

const folder = useFolder();
const FORMATS: OutputFormat[] = ['npy', 'csv', 'tsv', 'parquet', 'arrow'];
const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('rows written', () => {
  it.each(FORMATS)('as .%s are read back bit for bit, however they are cut into blocks', async (format) => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const table = fc.record({
      cols: fc.integer({ min: 1, max: 6 }),
      heights: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      dtype: fc.constantFrom('float32' as const, 'float64' as const),
      seed: number,
    });
    await fc.assert(
      fc.asyncProperty(table, async ({ cols, heights, dtype, seed }) => {
        const path = folder.file(`round.${format}`);
        const writer = await createFile(path, { cols, dtype });
        const expected: number[][] = [];
        let state = seed;
        for (const rows of heights) {
          const data = Float64Array.from({ length: rows * cols }, () => {
            state = (Math.sin(state) * 1e4) % 37;
            return dtype === 'float32' ? Math.fround(state) : state;
          });
          await writer.write({ rows, cols, data });
          for (let i = 0; i < rows; i++) expected.push(Array.from(data.subarray(i * cols, (i + 1) * cols)));
        }
        await writer.close();
        expect(writer.rows).toBe(expected.length);
        const { rows, file } = await readAll(path);
        const text = format === 'csv' || format === 'tsv';
        // Text does not say that its numbers were float32.
        expect(text && dtype === 'float32' ? rows.map((row) => row.map(Math.fround)) : rows).toEqual(expected);
        if (!text) expect(file.source.dtype).toBe(dtype);
      }),
      { numRuns: 15 },
    );
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('as .arrow can be read by the JavaScript library, in many batches', async () => {
    const path = folder.file('many.arrow');
    const writer = await createFile(path, {
      cols: 40,
      columnNames: Array.from({ length: 40 }, (_, j) => `PC${j + 1}`),
    });
    const rows = 60_000;
    await writer.write({ rows, cols: 40, data: Float64Array.from({ length: rows * 40 }, (_, i) => i / 40) });
    await writer.close();
    const table = tableFromIPC(await readFile(path));
    expect(table.numRows).toBe(rows);
    expect(table.schema.fields.map(({ name }) => name)[39]).toBe('PC40');
    expect(table.getChild('PC1')?.get(rows - 1)).toBe(rows - 1);
    expect(table.batches.length).toBeGreaterThan(1);
  });

  it('may have any number type, and a stride', async () => {
    const path = folder.file('types.npy');
    const writer = await createFile(path, { cols: 2 });
    await writer.write({ rows: 2, cols: 2, stride: 3, data: Uint8Array.of(1, 2, 9, 3, 4) });
    await writer.write({ rows: 1, cols: 2, data: Int32Array.of(-5, 6) });
    await writer.close();
    expect((await readAll(path)).rows).toEqual([
      [1, 2],
      [3, 4],
      [-5, 6],
    ]);
  });

  it('have empty cells for missing values in text, and are read back as missing', async () => {
    const path = folder.file('gaps.csv');
    const writer = await createFile(path, { cols: 2, columnNames: ['a', 'b'] });
    await writer.write({ rows: 3, cols: 2, data: Float64Array.of(1, Number.NaN, 2, 3, 4, 5) });
    await writer.close();
    expect(await readFile(path, 'utf8')).toBe('a,b\n1,\n2,3\n4,5\n');
    expect((await readAll(path, { missing: 'drop' })).rows).toHaveLength(2);
  });
});

describe('a file that is not finished', () => {
  it('leaves the old file unchanged and no other file behind', async () => {
    const path = folder.file('kept.npy');
    await writeFile(path, 'before');
    const writer = await createFile(path, { cols: 2 });
    await writer.write({ rows: 1, cols: 2, data: Float64Array.of(1, 2) });
    expect(await readFile(path, 'utf8')).toBe('before');
    await writer.abort();
    await writer.abort();
    expect(await readFile(path, 'utf8')).toBe('before');
    const other = await createFile(path, { cols: 2 });
    await expect(other.write({ rows: 1, cols: 3, data: new Float64Array(3) })).rejects.toMatchObject({
      code: 'RAGGED_ROWS',
    });
    await expect(createFile(folder.file('x.xlsx'), { cols: 2 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(createFile(folder.file('x.csv'), { cols: 2, columnNames: ['a'] })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('gives the reason: no folder, or a folder of that name', async () => {
    await expect(createFile(folder.file('no/where.npy'), { cols: 2 })).rejects.toMatchObject({
      code: 'NO_FILE',
      name: 'FileError',
    });
    await mkdir(folder.file('taken.npy'), { recursive: true });
    await expect(createFile(folder.file('taken.npy'), { cols: 1 })).rejects.toMatchObject({ code: 'BAD_FILE' });
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  // A limit on the size of files fails as a full disk does, in the middle of a write.
  it.skipIf(process.platform === 'win32')('on a full disk leaves no file, in every format', async () => {
    const program = `
      import { createFile } from 'scree';
      for (const format of ${JSON.stringify(FORMATS)}) {
        const writer = await createFile(${JSON.stringify(folder.file('full'))} + '.' + format, { cols: 100 });
        try {
          for (let i = 0; i < 100; i++) await writer.write({ rows: 1000, cols: 100, data: new Float64Array(100_000).fill(Math.PI) });
          await writer.close();
          console.log(format, 'written');
        } catch (error) {
          console.log(format, error.code, error.message.includes('disk is full'));
        }
      }`;
    const printed = execFileSync(
      'bash',
      ['-c', 'ulimit -f 20000; exec "$0" --input-type=module -e "$1"', process.execPath, program],
      { cwd: `${root}/packages/scree`, encoding: 'utf8' },
    );
    expect(printed.trim().split('\n')).toEqual(FORMATS.map((format) => `${format} DISK_FULL true`));
    expect((await readdir(folder.path)).filter((name) => name.startsWith('full'))).toEqual([]);
  });
});
