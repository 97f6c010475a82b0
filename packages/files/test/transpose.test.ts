import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Table, transposeTable } from '../../core/src/data/index.js';
import { pca } from '../../core/src/pca.js';
import { blobBytes } from '../src/bytes/blob-bytes.js';
import { openCsv } from '../src/csv/csv-table.js';
import { type BlobOptions, openBlob } from '../src/open-blob.js';
import { bytesOf, csrFile, npyFile } from './make.js';
import { rowsOf } from './support.js';

const blobOf = (content: string | Uint8Array): Blob => new Blob([content as Uint8Array<ArrayBuffer>]);

/** Everything that a file's rows are, and the model of them. */
async function contentOf(blob: Blob, options: BlobOptions = {}) {
  const file = await openBlob(blob, options);
  const { columns } = file;
  const rows = await rowsOf(file);
  const names: (string | null)[] = [];
  if (file.label !== undefined) for await (const { labels } of file.labelled()) names.push(...labels);
  const { components, variances, mean } = await pca(file.source);
  return { columns, rows, names, components: components.data, variances, mean };
}

/** A table of numbers as CSV, with names of rows and columns. */
const csvOf = (
  corner: string,
  cells: readonly (readonly (number | string)[])[],
  top: string[],
  left: string[],
): string =>
  [[corner, ...top], ...cells.map((row, i) => [left[i], ...row])].map((line) => `${line.join(',')}\n`).join('');

const turned = <T>(cells: readonly (readonly T[])[]): T[][] => cells[0].map((_, j) => cells.map((row) => row[j]));

/** Numbers without −0, which is written as 0. */
const numbers = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value + 0);

const tables = fc
  .tuple(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 2, max: 9 }), fc.constantFrom('gene', ''))
  .chain(([n, d, corner]) =>
    fc.record({
      corner: fc.constant(corner),
      cells: fc.array(fc.array(numbers, { minLength: d, maxLength: d }), {
        minLength: n,
        maxLength: n,
      }),
    }),
  );

describe('transpose', () => {
  it('gives the same bits as the transposed file, with names of rows and columns', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async ({ corner, cells }) => {
        const top = cells[0].map((_, j) => `s${j}`);
        const left = cells.map((_, i) => `g${i}`);
        const given = await contentOf(blobOf(csvOf(corner, cells, top, left)), { transpose: true });
        const other = csvOf(corner, turned(cells), left, top);
        const expected = await contentOf(blobOf(other), { label: corner || 'index' });
        expect(given).toEqual(expected);
        expect(given.names).toEqual(top);
      }),
      { numRuns: 25 },
    );
  });

  it('reads some columns at a time if few fit in memory, with chosen columns in any order, as numbers and as text', async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        fc.integer({ min: 1, max: 400 }),
        fc.infiniteStream(fc.nat()),
        async (given, memory, picks) => {
          const { cells } = given;
          const top = cells[0].map((_, j) => `s${j}`);
          const left = cells.map((_, i) => `g${i}`);
          const table = await openCsv(blobBytes(blobOf(csvOf('gene', cells, top, left)), 'x.csv'), { memory: 16e6 });
          const transposed = await transposeTable(table, { memory, names: 0 });
          const pick = (): number => 1 + ((picks.next().value as number) % cells.length);
          const numbers = Array.from({ length: 3 }, pick);
          const texts = [0, pick(), 0, pick()];
          const found = await readAll(transposed, numbers, texts);
          const expected = turned(cells);
          expect(found.numbers).toEqual(expected.map((row) => numbers.map((j) => row[j - 1])));
          expect(found.texts).toEqual(
            expected.map((row, r) => texts.map((j) => (j === 0 ? top[r] : String(row[j - 1])))),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('takes arrays without names, dense and sparse', async () => {
    const cells = [
      [1, 0, 2],
      [0, 5, 0],
    ];
    const dense = npyFile('<f8', [2, 3], bytesOf(Float64Array.from(cells.flat())));
    const found = await contentOf(blobOf(dense), { transpose: true });
    expect([found.rows, found.columns, found.names]).toEqual([turned(cells), ['0', '1'], []]);
    const sparse = await contentOf(blobOf(csrFile(false)));
    const across = await contentOf(blobOf(csrFile(false)), { transpose: true });
    // A zero that is not stored may come as −0.
    expect(across.rows.map((row) => row.map((value) => value + 0))).toEqual(turned(sparse.rows));
  });

  it('finds missing values in the transposed rows, and drops these rows or fills them', async () => {
    const csv = 'gene,s1,s2,s3\na,1,NA,3\nb,4,5,9\n';
    await expect(contentOf(blobOf(csv), { transpose: true })).rejects.toMatchObject({ code: 'MISSING_VALUES' });
    expect((await contentOf(blobOf(csv), { transpose: true, missing: 'drop' })).names).toEqual(['s1', 's3']);
    const { rows } = await contentOf(blobOf(csv), { transpose: true, missing: 'mean' });
    expect(rows).toEqual([
      [1, 4],
      [2, 5],
      [3, 9],
    ]);
  });

  it('makes names unique, gives names to the nameless, and warns of samples that are mostly numbers', async () => {
    const csv = 'gene,s1,s2,note,s3\na,1,2,x,3\na,4,5,7,9\n,4,6,y,1\nd,7,7,z,2\n';
    const file = await openBlob(blobOf(csv), { transpose: true });
    expect(file.columns).toEqual(['a', 'a_1', 'column3', 'd']);
    await rowsOf(file);
    expect((await file.source.warnings?.())?.map(({ code, details }) => [code, details])).toEqual([
      ['COLUMNS_LEFT_OUT', { columns: [{ name: 'note', share: 0.25 }], count: 1 }],
    ]);
    await file.close();
  });

  it('refuses rows that would not fit in memory, and tables without numbers', async () => {
    const long = `gene,s1,s2\n${'a,1,2\n'.repeat(20_000)}`;
    await expect(openBlob(blobOf(long), { transpose: true, memory: 16e6 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    const words = 'gene,s1\na,x\nb,y\n';
    await expect(openBlob(blobOf(words), { transpose: true })).rejects.toMatchObject({ code: 'BAD_DATA' });
    await expect(openBlob(blobOf(words), { transpose: 1 as unknown as boolean })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
  });
});

async function readAll(table: Table, numbers: number[], texts: number[]) {
  const all = { numbers: [] as number[][], texts: [] as (string | null)[][] };
  for await (const { block, texts: some } of table.read({ numbers, texts })) {
    if (block.kind !== 'dense') throw new TypeError('a transposed table is dense');
    for (let i = 0; i < block.rows; i++) {
      all.numbers.push(Array.from(block.data.subarray(i * block.stride, i * block.stride + block.cols)));
      all.texts.push(some.map((list) => list[i]));
    }
  }
  return all;
}
