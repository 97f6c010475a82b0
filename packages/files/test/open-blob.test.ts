import { deflateRawSync, gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { ScreeError } from '../../core/src/errors.js';
import { pca } from '../../core/src/pca.js';
import { blobBytes } from '../src/bytes/blob-bytes.js';
import { openCsv } from '../src/csv/csv-table.js';
import { type BlobOptions, openBlob, openBlobs } from '../src/open-blob.js';
import { PACKED_ARROW } from './fixtures.js';
import { bytesOf, csrFile, npyFile, zipFile } from './make.js';
import { rowsOf } from './support.js';

const blobOf = (content: string | Uint8Array): Blob => new Blob([content as Uint8Array<ArrayBuffer>]);
const named = (content: string | Uint8Array, name: string): File =>
  new File([content as Uint8Array<ArrayBuffer>], name);

async function rowsFrom(blob: Blob, options: BlobOptions = {}): Promise<number[][]> {
  const file = await openBlob(blob, options);
  try {
    return await rowsOf(file);
  } finally {
    await file.close();
  }
}

async function refused(blob: Blob, options: BlobOptions = {}): Promise<ScreeError> {
  const error = await rowsFrom(blob, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ScreeError);
  // One line, with a sentence that ends.
  expect((error as ScreeError).message).toMatch(/^[^\n]+[.]$/);
  return error as ScreeError;
}

describe('an .npz of SciPy', () => {
  const part = (name: string, content: Uint8Array) => ({ name: `${name}.npy`, content });
  const triples = [
    part('row', npyFile('<i4', [2], bytesOf(Int32Array.of(0, 1)))),
    part('col', npyFile('<i4', [2], bytesOf(Int32Array.of(1, 0)))),
    part('shape', npyFile('<i8', [2], bytesOf(BigInt64Array.of(2n, 2n)))),
    part('data', npyFile('<f8', [2], bytesOf(Float64Array.of(1, 2)))),
  ];

  it('that is not CSR is refused with advice how to save it', async () => {
    const coo = zipFile([...triples, part('format', npyFile('|S3', [], Buffer.from('coo')))]);
    const error = await refused(blobOf(coo));
    expect([error.code, error.message]).toEqual(['UNSUPPORTED', expect.stringMatching(/format "coo".*x\.tocsr\(\)/)]);
    const lost = zipFile([...triples, part('format', npyFile('|S3', [], Buffer.from('csr')))]);
    expect((await refused(blobOf(lost))).code).toBe('BAD_SPARSE');
  });

  it('may be another archive that has arrays of these names', async () => {
    const own = blobOf(zipFile([...triples, part('format', npyFile('<f8', [2], bytesOf(Float64Array.of(1, 2))))]));
    expect((await refused(own)).message).toContain('Choose one with member');
  });
});

const four = bytesOf(Float64Array.of(1, 2, 3, 4));
const arrow = tableToIPC(tableFromArrays({ a: Float64Array.of(1, 3), b: Float64Array.of(2, 4) }), 'file');
const stream = tableToIPC(tableFromArrays({ a: Float64Array.of(1, 3), b: Float64Array.of(2, 4) }), 'stream');
const idx = Buffer.from([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4]);

/** [[1, 2], [3, 4]] in every format. */
const FORMATS: [string, string | Uint8Array, string][] = [
  ['x.csv', 'a,b\n1,2\n3,4\n', 'CSV'],
  ['x.tsv', 'a\tb\n1\t2\n3\t4\n', 'TSV'],
  ['x.json', '[{"a":1,"b":2},{"a":3,"b":4}]', 'JSON'],
  ['x.ndjson', '{"a":1,"b":2}\n{"a":3,"b":4}\n', 'NDJSON'],
  ['x.npy', npyFile('<f8', [2, 2], four), 'NumPy .npy'],
  ['by-columns.npy', npyFile('<f8', [2, 2], bytesOf(Float64Array.of(1, 3, 2, 4)), true), 'NumPy .npy'],
  ['big-endian.npy', npyFile('>i4', [2, 2], Buffer.from('00000001000000020000000300000004', 'hex')), 'NumPy .npy'],
  ['x.npz', zipFile([{ name: 'a.npy', content: npyFile('<f8', [2, 2], four) }]), 'NumPy .npz, a'],
  ['packed.npz', zipFile([{ name: 'a.npy', content: npyFile('<f8', [2, 2], four), packed: true }]), 'NumPy .npz, a'],
  [
    'by-columns.npz',
    zipFile([
      { name: 'a.npy', content: npyFile('<f8', [2, 2], bytesOf(Float64Array.of(1, 3, 2, 4)), true), packed: true },
    ]),
    'NumPy .npz, a',
  ],
  ['x.arrow', arrow, 'Arrow'],
  ['stream.arrow', stream, 'Arrow'],
  ['x-idx2-ubyte', idx, 'IDX'],
];

describe('a blob', () => {
  it.each(FORMATS)('is read, packed too: %s', async (name, content, format) => {
    const file = await openBlob(named(content, name));
    expect(file.format).toBe(format);
    expect(file.source.rereadable).toBe(true);
    for (let pass = 0; pass < 2; pass++) {
      expect(await rowsOf(file)).toEqual([
        [1, 2],
        [3, 4],
      ]);
    }
    expect(file.describe()).toMatch(new RegExp(`^${name}: `));
    await file.close();
    const packed = await openBlob(named(gzipSync(content), `${name}.gz`));
    expect(await rowsOf(packed)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(packed.bytes).toBe(gzipSync(content).length);
    await packed.close();
  });

  it('needs no name', async () => {
    for (const [, content, format] of FORMATS) {
      if (format === 'TSV') continue;
      const file = await openBlob(blobOf(content));
      expect(file.format).toBe(format);
      expect(await rowsOf(file)).toHaveLength(2);
      await file.close();
    }
    expect((await refused(blobOf(''))).message).toBe('the file is empty.');
    expect((await refused(blobOf(''), { name: 'my.csv' })).message).toBe('my.csv is empty.');
  });

  it('takes the options that files take: columns, label, weight, missing values, member, format', async () => {
    const file = await openBlob(named('id,a,b,w\nx,1,2,1\ny,NA,4,2\nx,5,7,3\n', 't.csv'), {
      label: 'id',
      weight: 'w',
      missing: 'drop',
    });
    expect(await rowsOf(file)).toEqual([
      [1, 2],
      [5, 7],
    ]);
    expect((await file.labels()).names).toEqual(['x']);
    expect(await file.weights()).toEqual(Float64Array.of(1, 3));
    await file.close();
    const arrays = blobOf(
      zipFile([
        { name: 'a.npy', content: npyFile('<f8', [2, 2], four) },
        { name: 'b.npy', content: npyFile('<f8', [4, 1], four) },
      ]),
    );
    expect(await rowsFrom(arrays, { member: 'b' })).toHaveLength(4);
    expect((await refused(arrays)).code).toBe('BAD_OPTION');
    expect((await refused(blobOf('a,b\n1,2\n'), { sql: 'select 1' })).code).toBe('BAD_OPTION');
    expect((await refused(blobOf('a,b\n1,2\n'), { memory: 5 })).code).toBe('BAD_OPTION');
    expect(await rowsFrom(named('[1, 2]\n[3, 5]\n', 'x.txt'), { format: 'ndjson' })).toHaveLength(2);
  });

  it('is fitted: rows and sparse rows', async () => {
    const text = Array.from({ length: 500 }, (_, i) => `${i},${2 * i + (i % 3)},${Math.sin(i)}`).join('\n');
    const file = await openBlob(named(gzipSync(`a,b,c\n${text}\n`), 'x.csv.gz'));
    const model = await pca(file.source, { k: 1 });
    expect(model.columnNames).toEqual(['a', 'b', 'c']);
    expect(model.varianceRatios[0]).toBeGreaterThan(0.99);
    await file.close();
    expect(await rowsFrom(blobOf(csrFile(true)))).toEqual([
      [1, 0, 2],
      [0, 0, 0],
      [0, 3, 0],
    ]);
  });

  it('of several gzip members loses no rows', async () => {
    const parts = ['a,b\n1,2\n', '3,4\n5,6\n', '7,8\n'];
    const whole = Buffer.concat(parts.map((part) => gzipSync(part)));
    expect(await rowsFrom(named(whole, 'x.csv.gz'))).toHaveLength(4);
    expect((await refused(named(Buffer.concat([whole, Buffer.from('7,8\n')]), 'x.csv.gz'))).code).toBe('BAD_FILE');
  });

  it('that browsers cannot read any more says so', async () => {
    for (const [name, code] of [
      ['NotFoundError', 'NO_FILE'],
      ['NotReadableError', 'NO_ACCESS'],
      ['SecurityError', 'NO_ACCESS'],
    ]) {
      const gone = named('a,b\n1,2\n', 'x.csv');
      gone.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException('gone', name)) }) as unknown as Blob;
      expect((await refused(gone)).code).toBe(code);
    }
  });

  it('is asked for large pieces, and for none twice in a row', async () => {
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
    const blob = blobOf(content);
    const asked: [number, number][] = [];
    const slice = blob.slice.bind(blob);
    blob.slice = (from = 0, to = 0) => {
      asked.push([from, to]);
      return slice(from, to);
    };
    const bytes = blobBytes(blob, 'x');
    for (let at = 0; at < content.length; at += 1000) {
      const into = new Uint8Array(16);
      expect(await bytes.readAt(into, at)).toBe(16);
      expect(Buffer.compare(into, content.subarray(at, at + 16))).toBe(0);
    }
    expect(asked).toHaveLength(1);
    const into = new Uint8Array(50);
    expect(await bytes.readAt(into, content.length - 20)).toBe(20);
    expect(await bytes.readAt(into, content.length + 5)).toBe(0);
  });

  it('reads the same across the ends of blocks', async () => {
    const content = Uint8Array.from({ length: 1_500_000 }, (_, i) => (i * i) >> 3);
    const bytes = blobBytes(blobOf(content), 'x');
    for (const [at, length] of [
      [(1 << 18) - 3, 10],
      [0, 1 << 18],
      [100, 300_000],
      [(1 << 18) + 1, 1 << 18],
      [1_499_990, 1000],
    ]) {
      const into = new Uint8Array(length);
      const got = await bytes.readAt(into, at);
      expect(got).toBe(Math.min(length, content.length - at));
      expect(Buffer.compare(into.subarray(0, got), content.subarray(at, at + got))).toBe(0);
    }
    const text = Array.from({ length: 30_000 }, (_, i) => `${i},${i / 7}`).join('\n');
    const table = await openCsv(blobBytes(blobOf(`a,b\n${text}\n`), 'x'), { memory: 2 ** 24 });
    let rows = 0;
    for await (const { block } of table.read({ numbers: 'all' })) rows += block.rows;
    expect(rows).toBe(30_000);
  });
});

describe('a blob of a format that needs another reader', () => {
  it.each([
    ['a SQLite database', `SQLite format 3\0${'\0'.repeat(90)}`, 'x.db'],
    ['a DuckDB database', `${'\0'.repeat(8)}DUCK${'\0'.repeat(90)}`, 'x.duckdb'],
  ])('is refused with a sentence that names the format: %s', async (what, content, name) => {
    const error = await refused(named(content, name));
    expect(error).toMatchObject({ code: 'UNSUPPORTED', name: 'FileError', path: name });
    expect(error.message).toContain(`${name} is ${what}, which cannot be read here.`);
    // Before anything is unpacked.
    expect((await refused(named(gzipSync(content), `${name}.gz`))).code).toBe('UNSUPPORTED');
  });

  it('reads zstd, of a whole file and of columns, or passes it to the unpacker that it is given', async () => {
    const packed = Buffer.from('28b52ffd2008410000612c620a312c320a', 'hex');
    expect(await rowsFrom(named(packed, 'x.csv.zst'))).toEqual([[1, 2]]);
    const columns = blobOf(Buffer.from(PACKED_ARROW.zstd, 'base64'));
    expect(await rowsFrom(columns, { columns: ['n'] })).toEqual(Array.from({ length: 60 }, (_, i) => [i]));
    const rows = await rowsFrom(named(packed, 'x.csv.zst'), {
      unpack: {
        async *zstd(reader) {
          await reader.close();
          yield Buffer.from('a,b\n1,2\n3,4\n');
        },
      },
    });
    expect(rows).toHaveLength(2);
    const numbers = await rowsFrom(columns, {
      columns: ['n'],
      unpack: { zstdPiece: (_, size) => new Uint8Array(size) },
    });
    expect(numbers).toHaveLength(60);
    expect(
      (await refused(columns, { columns: ['n'], unpack: { zstdPiece: (_, size) => new Uint8Array(size + 1) } })).code,
    ).toBe('BAD_FILE');
  });

  it('goes to the reader that was passed, unpacked, and is closed with it', async () => {
    const seen: number[] = [];
    let closed = 0;
    const readers: BlobOptions['readers'] = {
      async parquet(bytes, { memory }) {
        seen.push(bytes.size, memory);
        const table = await openCsv(blobBytes(blobOf('a,b\n1,2\n3,4\n'), bytes.path), { memory });
        return Object.assign(table, { close: async () => void closed++ });
      },
    };
    expect(await rowsFrom(blobOf('PAR1 and more'), { readers, memory: 2 ** 25 })).toHaveLength(2);
    expect(await rowsFrom(blobOf(gzipSync('PAR1 and more')), { readers, memory: 2 ** 25 })).toHaveLength(2);
    expect(seen).toEqual([13, 2 ** 25, 13, 2 ** 25]);
    expect(closed).toBe(2);
    await expect(openBlob(blobOf('PAR1 and more'), { readers, columns: ['zzz'] })).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
    });
    expect(closed).toBe(3);
  });
});

describe('a blob that lies', () => {
  const npy = npyFile('<f8', [2, 2], four);
  const zip = zipFile([{ name: 'a.npy', content: npy, packed: true }]);
  const long = gzipSync(`a,b\n${Array.from({ length: 90_000 }, (_, i) => `${i},${Math.sin(i)}`).join('\n')}\n`);

  it.each<[string, string | Uint8Array, string, string]>([
    ['cut off: .npy', npy.subarray(0, npy.length - 3), 'x.npy', 'FILE_TRUNCATED'],
    ['longer than it says: .npy', Buffer.concat([npy, four]), 'x.npy', 'BAD_FILE'],
    ['claims 10^15 rows: .npy', npyFile('<f8', [1e15, 1], four), 'x.npy', 'FILE_TRUNCATED'],
    ['cut off: packed .npy', gzipSync(npy).subarray(0, 60), 'x.npy.gz', 'FILE_TRUNCATED'],
    ['longer than it says: packed .npy', gzipSync(Buffer.concat([npy, four])), 'x.npy.gz', 'BAD_FILE'],
    ['cut off: .npz', zip.subarray(0, zip.length - 30), 'x.npz', 'FILE_TRUNCATED'],
    ['two glued together: .npz', Buffer.concat([zip, zip]), 'x.npz', 'BAD_FILE'],
    ['with something behind it: .npz', Buffer.concat([zip, four]), 'x.npz', 'BAD_FILE'],
    ['wrong sum: .npz', zipFile([{ name: 'a.npy', content: npy, packed: true, lie: { crc: 5 } }]), 'x.npz', 'BAD_FILE'],
    [
      'unpacks to more than it says: .npz',
      zipFile([{ name: 'a.npy', content: npy, packed: true, lie: { size: 40 } }]),
      'x.npz',
      'FILE_TRUNCATED',
    ],
    ['cut off: .arrow', arrow.subarray(0, arrow.length - 9), 'x.arrow', 'FILE_TRUNCATED'],
    ['cut off: stream', stream.subarray(0, stream.length - 40), 'x.arrow', 'FILE_TRUNCATED'],
    ['cut off: IDX', idx.subarray(0, 14), 'x', 'FILE_TRUNCATED'],
    ['claims 4 billion rows: IDX', Buffer.from([0, 0, 8, 2, 255, 255, 255, 255, 0, 0, 0, 2, 1]), 'x', 'FILE_TRUNCATED'],
    ['cut off: packed IDX', gzipSync(idx.subarray(0, 14)), 'x.gz', 'FILE_TRUNCATED'],
    ['cut off: .json', '[{"a": 1}, {"a": 2}', 'x.json', 'FILE_TRUNCATED'],
    ['ragged: .csv', 'a,b\n1,2\n3\n4,5\n', 'x.csv', 'RAGGED_ROWS'],
    ['cut off: .csv.gz', long.subarray(0, long.length - 2000), 'x.csv.gz', 'FILE_TRUNCATED'],
    ['without its last byte: .csv.gz', long.subarray(0, long.length - 1), 'x.csv.gz', 'FILE_TRUNCATED'],
    ['damaged: .csv.gz', Buffer.concat([long.subarray(0, 3000), Buffer.alloc(3000, 7)]), 'x.csv.gz', 'BAD_FILE'],
    ['not what it is called', 'hello', 'x.npy', 'BAD_FILE'],
    ['a picture', Buffer.from('\x89PNG\r\n', 'latin1'), 'x.png', 'UNSUPPORTED'],
    ['binary', Buffer.from([1, 2, 0, 0, 254]), 'x.bin', 'BAD_FILE'],
  ])('%s', async (_, content, name, code) => {
    expect((await refused(named(content, name))).code).toBe(code);
  });

  it('a bomb of zeros is read in blocks, or refused if all of it would have to be kept', async () => {
    const rows = 200_000;
    const bomb = npyFile('<f8', [rows, 100], Buffer.alloc(rows * 800));
    const file = await openBlob(blobOf(gzipSync(bomb)), { memory: 2 ** 24 });
    let largest = 0;
    for await (const block of file.source.blocks()) largest = Math.max(largest, block.data.byteLength);
    expect(largest).toBeLessThanOrEqual(2 ** 20);
    await file.close();
    const fortran = npyFile('<f8', [rows, 100], Buffer.alloc(rows * 800), true);
    expect((await refused(blobOf(gzipSync(fortran)), { memory: 2 ** 24 })).code).toBe('TOO_LARGE');
    expect(
      (await refused(blobOf(gzipSync(Buffer.concat([Buffer.from('ARROW1\0\0'), bomb]))), { memory: 2 ** 24 })).code,
    ).toBe('TOO_LARGE');
    expect(deflateRawSync(bomb).length).toBeLessThan(1e6);
  });
});

describe('openBlobs', () => {
  it('reads several files as one table, columns by name, and refuses one that differs by its name', async () => {
    const first = named('a,b,kind\n1,2,x\n3,4,y\n', 'one.csv');
    const second = named('kind,b,a\nz,6,5\n', 'two.csv');
    const file = await openBlobs([first, second], { label: 'kind' });
    expect(await rowsOf(file)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect((await file.labels()).names).toEqual(['x', 'y', 'z']);
    expect(file.bytes).toBe(first.size + second.size);
    await file.close();
    await expect(openBlobs([first, named('a,c\n1,2\n', 'other.csv')])).rejects.toThrow('other.csv has no column "b"');
    await expect(openBlobs([])).rejects.toMatchObject({ code: 'EMPTY_DATA' });
  });
});
