import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { FileError } from '@scree/files';
import { identify, openFormat, type Platform, type Table } from '@scree/files/platform';
import { ScreeError } from 'scree';
import { describe, expect, it } from 'vitest';
import { openParquet as openInLab } from '../../../files/src/parquet/parquet-table.js';
import { readTable } from '../../../files/test/damage.js';
import { SMALL_PARQUET, ZSTD_CSV } from '../../../files/test/fixtures.js';
import { bytesOf, memoryFile, npyFile, zipFile } from '../../../files/test/make.js';
import { openParquetInDuckDb } from '../../src/database/duck-table.js';
import { copyToDisk } from '../../src/disk/temporary-copy.js';
import { nodeUnpackers } from '../../src/disk/unpackers.js';
import { pythonWith, runPython, useFolder } from './support.js';

/** Every bit, even if that takes minutes. */
const ALL = process.env.SCREE_ALL_BITS !== undefined;
const folder = useFolder();
const memory = 2 ** 24;
const node: Platform = { unpack: nodeUnpackers, copy: copyToDisk, readers: {} };

async function open(content: Uint8Array): Promise<Table> {
  const found = await identify(memoryFile(content), { name: 'x.csv' }, { memory }, node.unpack);
  return openFormat(found, { memory }, node);
}

function flip(bytes: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3] ^= 1 << (bit & 7);
  return flipped;
}

async function result(opened: () => Promise<Table>): Promise<number[][] | undefined> {
  try {
    return await readTable(opened());
  } catch (error) {
    expect(error).toBeInstanceOf(ScreeError);
    return undefined;
  }
}

const array = npyFile('<f8', [6, 2], bytesOf(Float64Array.from({ length: 12 }, (_, i) => i / 3)));

describe('a file with checksums and one bit flipped', () => {
  it.each<[string, Uint8Array]>([
    ['.csv.gz', gzipSync('a,b\n1,2\n3,4\n5,6\n')],
    ['.csv.gz of two members', Buffer.concat([gzipSync('a,b\n1,2\n'), gzipSync('3,4\n5,6\n')])],
    ['.csv.zst', Buffer.from(ZSTD_CSV.checked, 'base64')],
    ['.npz', zipFile([{ name: 'a.npy', content: array }])],
    ['packed .npz', zipFile([{ name: 'a.npy', content: array, packed: true }])],
  ])(
    'gives its own numbers or an error: %s',
    async (_, content) => {
      const whole = await readTable(open(content));
      // A flipped bit in the signature makes it another format, which may be read as text and is not a packed file any more.
      for (let bit = 32; bit < 8 * content.length; bit++) {
        const rows = await result(() => open(flip(content, bit)));
        if (rows) expect({ bit, rows }).toEqual({ bit, rows: whole });
      }
    },
    120_000,
  );

  it.each(['gzip', 'gzipV2', 'snappyCrc', 'plainCrc'] as const)(
    'gives its own numbers or an error in the pages of Parquet, read by the lab: %s',
    async (kind) => {
      const content = Buffer.from(SMALL_PARQUET[kind], 'base64');
      const whole = await readTable(openInLab(memoryFile(content), { memory }));
      for (let bit = 32; bit < 8 * pagesEnd(content); bit++) {
        const rows = await result(() => openInLab(memoryFile(flip(content, bit)), { memory }));
        if (rows) expect({ bit, rows }).toEqual({ bit, rows: whole });
      }
    },
    120_000,
  );

  it.each(['gzip', 'gzipV2', 'snappyCrc'] as const)(
    'gives its own numbers or an error in the pages of Parquet, read by DuckDB: %s',
    async (kind) => {
      const content = Buffer.from(SMALL_PARQUET[kind], 'base64');
      const path = folder.file(`${kind}.parquet`);
      const read = async (bytes: Uint8Array) => {
        await writeFile(path, bytes);
        return result(() => openParquetInDuckDb({ path, memory: 2 ** 28, file: path }));
      };
      const whole = await read(content);
      expect(whole).toHaveLength(12);
      for (let bit = 32; bit < 8 * pagesEnd(content); bit += ALL ? 1 : 11) {
        const rows = await read(flip(content, bit));
        // Version 2 pages store the positions of missing values outside the part that gzip protects: see docs/limits.md.
        const numbers =
          kind === 'gzipV2' ? rows?.map((row, i) => row.map((x, j) => (Number.isNaN(x) ? whole?.[i][j] : x))) : rows;
        if (numbers) expect({ bit, rows: numbers }).toEqual({ bit, rows: whole });
      }
    },
    600_000,
  );
});

/** The offset of the footer of a Parquet file. */
function pagesEnd(content: Buffer): number {
  return content.length - 8 - content.readUInt32LE(content.length - 8);
}

describe('Parquet whose pages hold fewer values than the footer says', () => {
  it('is an error, although DuckDB would return uninitialised memory', async () => {
    const content = Buffer.from(SMALL_PARQUET.plainCrc, 'base64');
    // The number of values, 12, in zigzag notation; it is in the header of the page, which no checksum covers.
    const at = content.subarray(0, 40).indexOf(Buffer.from([0x15, 24, 0x15, 0]));
    expect(at).toBeGreaterThan(0);
    const changed = Buffer.from(content);
    changed[at + 1] = 16;
    const path = folder.file('fewer.parquet');
    await writeFile(path, changed);
    const table = await openParquetInDuckDb({ path, memory: 2 ** 28, file: path });
    const rows = await readTable(Promise.resolve(table)).catch((error: unknown) => error);
    expect(rows).toBeInstanceOf(FileError);
  });
});

/** The packed values of an Arrow file: from the size before the first frame to the mark behind the last batch. */
function packedPart(content: Buffer): [number, number] {
  const frames = ['04224d18', '28b52ffd'].map((mark) => content.indexOf(Buffer.from(mark, 'hex')));
  const end = content.lastIndexOf(Buffer.from('ffffffff00000000', 'hex'));
  const start = Math.max(...frames) - 8;
  expect(end).toBeGreaterThan(start);
  return [start, end];
}

const python = pythonWith('pyarrow');

/** Writes an Arrow file of one column, packed, and prints what pyarrow reads of it with each bit flipped. */
const ARROW = `
import sys, json, pyarrow as pa
path, codec = sys.argv[1:]
table = pa.table({'x': [i % 5 / 4 for i in range(64)]})
with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer: writer.write_table(table)
data = open(path, 'rb').read()
def read(content):
    try:
        found = pa.ipc.open_file(pa.BufferReader(content)).read_all()
        found.validate(full=True)
        return found.column(0).to_pylist() if found.num_rows < 1000 else None
    except BaseException: return None
def flipped(bit):
    content = bytearray(data)
    content[bit >> 3] ^= 1 << (bit & 7)
    return bytes(content)
print(json.dumps([read(flipped(bit)) for bit in range(8 * len(data))], allow_nan=True).replace('NaN', 'null').replace('-Infinity', '"-Infinity"').replace(' Infinity', '"Infinity"'))
`;

describe.skipIf(python === undefined)('an Arrow file with one bit of its compressed values flipped', () => {
  it.each(['lz4', 'zstd'])(
    'gives its own numbers, those that pyarrow gives, or an error: %s',
    async (codec) => {
      const path = folder.file(`flipped-${codec}.arrow`);
      const others = runPython(python as string, ARROW, path, codec) as ((number | string | null)[] | null)[];
      const { readFile } = await import('node:fs/promises');
      const content = await readFile(path);
      const whole = await readTable(open(content));
      const shown = (value: number) => (Number.isNaN(value) ? null : Number.isFinite(value) ? value : String(value));
      const different: { bit: number; read: unknown; pyarrow: unknown }[] = [];
      const [from, to] = packedPart(content);
      for (let bit = 8 * from; bit < 8 * to; bit++) {
        const rows = await result(() => open(flip(content, bit)));
        if (!rows || JSON.stringify(rows) === JSON.stringify(whole)) continue;
        const read = rows.map(([value]) => shown(value));
        if (JSON.stringify(read) !== JSON.stringify(others[bit])) different.push({ bit, read, pyarrow: others[bit] });
      }
      expect(different).toEqual([]);
    },
    300_000,
  );
});
