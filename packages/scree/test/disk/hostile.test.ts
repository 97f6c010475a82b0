import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { createFile, openFile, ScreeError } from 'scree';
import { describe, expect, it } from 'vitest';
import { bytesOf, csrFile, npyFile, zipFile } from '../../../files/test/make.js';
import { npyBytes, npyHeader, readAll, rowsOf, useFolder } from './support.js';

const folder = useFolder();
const eight = bytesOf(Float64Array.of(1, 2, 3, 4, 5, 6));
let count = 0;

async function refused(content: Uint8Array | string, name = 'x.npy', options = {}): Promise<ScreeError> {
  const path = folder.file(`${count++}-${name}`);
  await writeFile(path, content);
  const error = await readAll(path, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ScreeError);
  // One line, with a sentence that ends.
  expect((error as ScreeError).message).toMatch(/^[^\n]+[.]$/);
  return error as ScreeError;
}

describe('an invalid .npy file', () => {
  const header = npyHeader('<f8', [2, 3]);

  it.each<[string, Buffer, string]>([
    ['is cut off in its values', npyBytes(header, eight.subarray(0, 40)), 'FILE_TRUNCATED'],
    ['has more values than it says', npyBytes(header, Buffer.concat([eight, eight])), 'BAD_FILE'],
    ['is cut off in its first bytes', npyBytes(header, eight).subarray(0, 5), 'BAD_FILE'],
    ['is cut off in its header', npyBytes(header, eight).subarray(0, 30), 'FILE_TRUNCATED'],
    ['claims a header beyond its end', npyBytes(header, eight, 1, 60000), 'FILE_TRUNCATED'],
    ['claims a header of 4 GB', npyBytes(header, eight, 2, 0xffffffff), 'BAD_FILE'],
    ['has a version of the future', npyBytes(header, eight, 9), 'UNSUPPORTED'],
    ['has a shape that overflows', npyBytes(npyHeader('<f8', [2 ** 40, 2 ** 40]), eight), 'BAD_FILE'],
    ['has a shape of 10^15 rows', npyBytes(npyHeader('<f8', [1e15, 1]), eight), 'FILE_TRUNCATED'],
    [
      'has a shape with 30 digits',
      npyBytes("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999999999999999999,), }", eight),
      'BAD_FILE',
    ],
    [
      'has a negative shape',
      npyBytes("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -3), }", eight),
      'BAD_FILE',
    ],
    ['has no rows', npyBytes(npyHeader('<f8', [0, 3]), Buffer.alloc(0)), 'EMPTY_DATA'],
    ['has no dimensions', npyBytes(npyHeader('<f8', []).replace('()', '()'), eight.subarray(0, 8)), 'EMPTY_DATA'],
    ['has rows of nothing', npyBytes(npyHeader('<f8', [3, 0]), Buffer.alloc(0)), 'EMPTY_DATA'],
    ['holds objects', npyBytes(npyHeader('|O', [2, 3]), eight), 'UNSUPPORTED'],
    ['holds texts', npyBytes(npyHeader('<U3', [2, 2]), eight), 'UNSUPPORTED'],
    ['holds complex numbers', npyBytes(npyHeader('<c16', [3]), eight), 'UNSUPPORTED'],
    [
      'holds records',
      npyBytes("{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (3,), }", eight),
      'UNSUPPORTED',
    ],
    ['has a type of its own', npyBytes(npyHeader('<f8192', [2, 3]), eight), 'UNSUPPORTED'],
    [
      'has Python code in it',
      npyBytes("{'descr': __import__('os').system('touch /tmp/x'), 'fortran_order': False, 'shape': (2, 3), }", eight),
      'BAD_FILE',
    ],
    [
      'computes its shape',
      npyBytes("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 9**9**9), }", eight),
      'BAD_FILE',
    ],
    [
      'says a thing twice',
      npyBytes("{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", eight),
      'BAD_FILE',
    ],
    [
      'says too much',
      npyBytes("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': True, }", eight),
      'BAD_FILE',
    ],
    ['says too little', npyBytes("{'descr': '<f8', 'shape': (2, 3), }", eight), 'BAD_FILE'],
    ['is no dictionary', npyBytes('[1, 2, 3]', eight), 'BAD_FILE'],
    ['has 70 dimensions', npyBytes(npyHeader('<f8', new Array<number>(70).fill(1)), eight.subarray(0, 8)), 'BAD_FILE'],
  ])('that %s is refused', async (_, content, code) => {
    expect((await refused(content)).code).toBe(code);
  });

  it('is read if it is only unusual: double quotes, long integers, other spacing, every version', async () => {
    const odd = '{"shape": (2L,3L,) ,"fortran_order":False,"descr" : "<f8"}';
    for (const version of [1, 2, 3]) {
      const path = folder.file(`odd${version}.npy`);
      await writeFile(path, npyBytes(odd, eight, version));
      expect((await readAll(path)).rows).toEqual([
        [1, 2, 3],
        [4, 5, 6],
      ]);
    }
  });
});

describe('an invalid .npz file', () => {
  const array = npyFile('<f8', [2, 3], eight);

  it.each<[string, Buffer, string]>([
    ['has a wrong checksum', zipFile([{ name: 'a.npy', content: array, lie: { crc: 1 } }]), 'BAD_FILE'],
    [
      'has a wrong checksum, packed',
      zipFile([{ name: 'a.npy', content: array, packed: true, lie: { crc: 1 } }]),
      'BAD_FILE',
    ],
    [
      'unpacks to less than it says',
      zipFile([{ name: 'a.npy', content: array, packed: true, lie: { size: 1e6 } }]),
      'BAD_FILE',
    ],
    [
      'unpacks to more than it says',
      zipFile([{ name: 'a.npy', content: array, packed: true, lie: { size: 20 } }]),
      'FILE_TRUNCATED',
    ],
    ['has two sizes', zipFile([{ name: 'a.npy', content: array, lie: { size: 20 } }]), 'BAD_FILE'],
    [
      'has a member beyond its end',
      zipFile([{ name: 'a.npy', content: array, packed: true, lie: { stored: 1e9 } }]),
      'FILE_TRUNCATED',
    ],
    ['has a member elsewhere', zipFile([{ name: 'a.npy', content: array, lie: { header: 3 } }]), 'BAD_FILE'],
    ['has no array', zipFile([{ name: 'readme.txt', content: array }]), 'BAD_FILE'],
    ['is a spreadsheet', zipFile([{ name: '[Content_Types].xml', content: array }]), 'UNSUPPORTED'],
    ['has lost its directory', zipFile([{ name: 'a.npy', content: array }]).subarray(0, -30), 'FILE_TRUNCATED'],
    [
      'holds a header that lies',
      zipFile([{ name: 'a.npy', content: npyFile('<f8', [1e6, 1e6], eight), packed: true }]),
      'FILE_TRUNCATED',
    ],
    [
      'sparse, ends beyond its entries',
      csrFile(false, { indptr: npyFile('<i4', [4], bytesOf(Int32Array.of(0, 2, 2, 9))) }),
      'BAD_SPARSE',
    ],
    [
      'sparse, goes back',
      csrFile(true, { indptr: npyFile('<i4', [4], bytesOf(Int32Array.of(0, 3, 1, 3))) }),
      'BAD_SPARSE',
    ],
    [
      'sparse, names columns that are not there',
      csrFile(true, { indices: npyFile('<i4', [3], bytesOf(Int32Array.of(0, 2, 77))) }),
      'BAD_SPARSE',
    ],
    [
      'sparse, of a shape that is none',
      csrFile(true, { shape: npyFile('<i8', [2], bytesOf(BigInt64Array.of(3n, -3n))) }),
      'BAD_FILE',
    ],
    [
      'sparse, of another shape',
      csrFile(true, { shape: npyFile('<i8', [2], bytesOf(BigInt64Array.of(9n, 3n))) }),
      'BAD_SPARSE',
    ],
    ['sparse, in an unknown format', csrFile(true, { format: npyFile('|S3', [], Buffer.from('dia')) }), 'UNSUPPORTED'],
  ])('that %s is refused', async (_, content, code) => {
    expect((await refused(content, 'x.npz')).code).toBe(code);
  });

  it('with a zip bomb of zeros is read in blocks of bounded size', async () => {
    const path = folder.file('bomb.npz');
    const rows = 200_000;
    await writeFile(
      path,
      zipFile([{ name: 'a.npy', content: npyFile('<f8', [rows, 100], Buffer.alloc(rows * 800)), packed: true }]),
    );
    const file = await openFile(path, { memory: 2 ** 24 });
    let [seen, largest] = [0, 0];
    for await (const block of file.source.blocks()) {
      seen += block.rows;
      largest = Math.max(largest, block.data.byteLength);
    }
    await file.close();
    expect(seen).toBe(rows);
    expect(largest).toBeLessThanOrEqual(2 ** 20);
  });

  it('is read if it is a valid sparse matrix, compressed or not', async () => {
    for (const packed of [false, true]) {
      const path = folder.file(`sound${packed}.npz`);
      await writeFile(path, csrFile(packed));
      expect((await readAll(path)).rows).toEqual([
        [1, 0, 2],
        [0, 0, 0],
        [0, 3, 0],
      ]);
    }
  });
});

describe('a text file that is not a table', () => {
  it.each<[string, string, string, RegExp]>([
    ['is ragged', 'a,b\n1,2\n3\n4,5\n', 'RAGGED_ROWS', /Row 2 .* has 1 cell, the others have 2/],
    ['has a row too long', 'a,b\n1,2\n3,4,5,6\n4,5\n', 'RAGGED_ROWS', /Row 2 .* has 4 cells/],
    [
      'has a word among numbers',
      'a,b\n1,2\n3,4\n5,six\n7,8\n9,9\n',
      'NOT_A_NUMBER',
      /Row 3 .* holds "six" in column "b"/,
    ],
    ['is words only', 'a,b\nx,y\nz,w\n', 'BAD_DATA', /no numeric column, only "a" \(text\), "b" \(text\)/],
    ['is a header only', 'a,b,c\n', 'BAD_DATA', /no numeric column/],
    ['is binary', 'a,b\n1,2\n\0\0\0', 'BAD_FILE', /neither text/],
    ['is blank', '\n\n \n', 'BAD_FILE', /no complete line/],
  ])('that %s gives an error with its position', async (_, content, code, message) => {
    const error = await refused(content, 'x.csv');
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('in UTF-16 gives an error that says so', async () => {
    expect((await refused(Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'x.csv')).code).toBe('UNSUPPORTED');
  });

  it('with a quote that is never closed is rejected in bounded time', async () => {
    const rows = `a,b\n1,"2\n${'3,4\n'.repeat(4_000_000)}`;
    expect((await refused(rows, 'x.csv', { memory: 2 ** 24 })).code).toBe('TOO_LARGE');
  });

  it('that is compressed and truncated is reported as truncated', async () => {
    const packed = gzipSync(`a,b\n${Array.from({ length: 90_000 }, (_, i) => `${i},${Math.sin(i)}`).join('\n')}\n`);
    expect((await refused(packed.subarray(0, packed.length - 2000), 'x.csv.gz')).code).toBe('FILE_TRUNCATED');
    expect((await refused(Buffer.concat([packed.subarray(0, 3000), Buffer.alloc(3000, 7)]), 'x.csv.gz')).code).toBe(
      'BAD_FILE',
    );
  });

  it('of 20,000 columns is read', async () => {
    const path = folder.file('wide.csv');
    const row = (i: number) => Array.from({ length: 20_000 }, (_, j) => (i * j) % 97).join(',');
    await writeFile(
      path,
      `${Array.from({ length: 20_000 }, (_, j) => `c${j}`).join(',')}\n${[1, 2, 3, 4, 5].map(row).join('\n')}\n`,
    );
    const { rows, file } = await readAll(path, { memory: 2 ** 26 });
    expect(file.source.cols).toBe(20_000);
    expect(rows.map((each) => each[19_999])).toEqual([1, 2, 3, 4, 5].map((i) => (i * 19_999) % 97));
  });
});

describe('a table with very many columns', () => {
  it.each(['parquet', 'arrow'] as const)('is read from .%s in bounded memory, with labels', async (format) => {
    const path = folder.file(`wide.${format}`);
    const cols = 3000;
    const writer = await createFile(path, { cols, dtype: 'float32' });
    const data = Float32Array.from({ length: 40 * cols }, (_, i) => i % 9973);
    await writer.write({ rows: 40, cols, data });
    await writer.close();
    const file = await openFile(path, { memory: 2 ** 28, label: 'c7' });
    const labels = await file.labels();
    expect(labels.numbers?.[39]).toBe((39 * cols + 7) % 9973);
    for (let pass = 0; pass < 2; pass++) {
      const [last] = (await rowsOf(file)).slice(-1);
      expect(last).toHaveLength(cols - 1);
      expect(last.slice(-1)).toEqual([(40 * cols - 1) % 9973]);
    }
    await file.close();
    const dropped = await openFile(path, { memory: 2 ** 28, label: 'c7', missing: 'drop' });
    expect((await dropped.labels()).codes).toHaveLength(40);
    await dropped.close();
  });
});

describe('a table with more columns than fit in memory', () => {
  const cols = 20_000;
  const memory = 2 ** 24;
  const wide = async (format: 'arrow'): Promise<Buffer> => {
    const path = folder.file(`columns.${format}`);
    const writer = await createFile(path, { cols, dtype: 'float32' });
    await writer.write({ rows: 2, cols, data: new Float32Array(2 * cols) });
    await writer.close();
    return readFile(path);
  };
  const row = new Array<number>(cols).fill(1).join();

  it.each<[string, () => Promise<Uint8Array>]>([
    ['x.json', async () => Buffer.from(`[[${row}]]`)],
    ['x.json.gz', async () => gzipSync(`[[${new Array<number>(4_000_000).fill(1).join()}]]`)],
    ['x.ndjson', async () => Buffer.from(`{${Array.from({ length: cols }, (_, j) => `"c${j}":1`).join()}}`)],
    ['x.csv', async () => Buffer.from(`${row}\n${row}\n`)],
    ['x.arrow', () => wide('arrow')],
  ])('is rejected, and the message says how many fit: %s', async (name, content) => {
    const error = await refused(await content(), name, { memory });
    expect(error.code).toBe('TOO_LARGE');
    expect(error.message).toMatch(/16384 columns fit in the 16\.8 MB .* Allow more memory/);
  });

  it('is read from .npy as a whole, but its columns cannot be chosen', async () => {
    const content = npyFile('|u1', [2, cols], new Uint8Array(2 * cols));
    const path = folder.file('wide-bytes.npy');
    await writeFile(path, content);
    expect((await readAll(path, { memory })).rows[1]).toHaveLength(cols);
    expect((await refused(content, 'x.npy', { memory, columns: ['0-5'] })).code).toBe('TOO_LARGE');
  });

  it('in a Parquet footer is rejected before the footer is read', async () => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(3 << 20);
    const content = Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(3 << 20), length, Buffer.from('PAR1')]);
    const error = await refused(content, 'x.parquet', { memory });
    expect(error).toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('footer') });
  });
});

describe('a file whose content does not match its name', () => {
  it.each([
    ['x.npy', 'a,b\n1,2\n', 'BAD_FILE'],
    ['x.parquet', 'PAR1 and then nothing', 'FILE_TRUNCATED'],
    ['x.parquet', 'hello', 'BAD_FILE'],
    ['x.arrow', 'ARROW1\0\0', 'FILE_TRUNCATED'],
    ['x.sqlite', `SQLite format 3\0${'\0'.repeat(200)}`, 'BAD_FILE'],
    ['x.duckdb', `${'\0'.repeat(8)}DUCK${'\0'.repeat(200)}`, 'BAD_FILE'],
    ['x.json', '[{"a": 1, ', 'FILE_TRUNCATED'],
    ['x.json', '[{"a": 1}, {"a": 2}', 'FILE_TRUNCATED'],
    ['x.json', '[{"a": 1} {"a": 2}]', 'BAD_FILE'],
    ['x.json', '[{"a": 1}, {"a": 2},]', 'BAD_FILE'],
    ['x.json', '[{"a": 1}, {"a": 2}] and more', 'BAD_FILE'],
    ['x.json', '[{"a": 1}, {"a": 2}, [3]]', 'RAGGED_ROWS'],
    ['x.json', '[[1, 2], [3]]', 'RAGGED_ROWS'],
    ['x.json', '[]', 'EMPTY_DATA'],
    ['x.json', '5', 'BAD_FILE'],
    ['x.json', '{"a": {"b": {"c": [}', 'FILE_TRUNCATED'],
    ['x.json', '['.repeat(100_000), 'BAD_FILE'],
    ['x.ndjson', `{"a": ${'['.repeat(1000)}${']'.repeat(1000)}}`, 'BAD_FILE'],
    ['x.ndjson', '{"a": 1}\nnot json\n{"a": 2}\n', 'BAD_FILE'],
    ['x.h5', '\x89HDF\r\n\x1a\n', 'UNSUPPORTED'],
    ['x.bin', '\x01\x02\0\0\xfe', 'BAD_FILE'],
  ])('%s (%j) is rejected', async (name, content, code) => {
    expect((await refused(Buffer.from(content, 'latin1'), name)).code).toBe(code);
  });

  it('that is missing, a folder without files, empty or not readable has its own error code', async () => {
    await expect(openFile(folder.file('nowhere.npy'))).rejects.toMatchObject({
      code: 'NO_FILE',
      path: folder.file('nowhere.npy'),
    });
    await mkdir(folder.file('dir.npy'));
    await expect(openFile(folder.file('dir.npy'))).rejects.toMatchObject({
      code: 'NO_FILE',
      message: expect.stringContaining('folder'),
    });
    await writeFile(folder.file('empty.csv'), '');
    await expect(openFile(folder.file('empty.csv'))).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    await writeFile(folder.file('secret.csv'), 'a,b\n1,2\n');
    await chmod(folder.file('secret.csv'), 0);
    // Root may read everything.
    if (process.getuid?.() !== 0)
      await expect(openFile(folder.file('secret.csv'))).rejects.toMatchObject({ code: 'NO_ACCESS' });
    await expect(openFile(undefined)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});
