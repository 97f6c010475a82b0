import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Moments, pca } from '@scree/core';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { PACKED_ARROW, SMALL_PARQUET, TYPED_ARROW, ZSTD_CSV } from '../../packages/files/test/fixtures.js';
import { bytesOf, csrFile, npyFile, zipFile } from '../../packages/files/test/make.js';
import { PACKED_PARQUET } from '../../packages/files/test/packed-parquet.js';
import { compressFile } from '../../packages/scree/src/compress/compress-file.js';
import { type Format, writtenCheckpoint } from './targets.js';

/** Sound files that a fuzzing run without a corpus begins with, and words that a format gives meaning to. */

const text = (content: string): Uint8Array => Buffer.from(content);
const base64 = (content: string): Uint8Array => Buffer.from(content, 'base64');

const CSV = [
  'id,a,"b ""x""",c\r\nu,1.5,2,3\r\nv,,-4e3,5\r\n"w,\nw",6,7,"8"\r\n',
  'a;b;c\n1,5;2;3\n2,5;1.000,25;4\n',
  '1\t2\n3\t4\n5\t6\n',
  '\ufeffsep=|\nx|y\n1|NA\n2|inf\n3|1,234.5\n',
  '# made by hand\n2019,2020,2021\n1,2,3\n4,5,6\n7,8,9\n',
];

const values = Float64Array.from({ length: 24 }, (_, i) => Math.sin(i * i) * (1 + (i % 4)));
const array = npyFile('<f8', [6, 4], bytesOf(values));

const parquet = (): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: ['a', 'b', 'a', 'ü'], type: 'STRING' },
        { name: 'x', data: [1.5, null, 3.5, -4.25], type: 'DOUBLE' },
        { name: 'n', data: Int32Array.of(-1, 0, 1, 2), type: 'INT32' },
        { name: 'big', data: BigInt64Array.of(-(2n ** 40n), 5n, 2n ** 53n + 1n, 7n), type: 'INT64' },
        { name: 'ok', data: [true, false, true, true], type: 'BOOLEAN' },
      ],
    }),
  );

/** Lists of two numbers, in pages that begin within rows. */
const parquetLists = (): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [{ name: 'v', data: Array.from({ length: 9 }, (_, i) => (i === 4 ? null : [i, i % 3 ? 1 : null])) }],
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'v', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'FLOAT', repetition_type: 'OPTIONAL' },
      ],
      codec: 'UNCOMPRESSED',
      pageSize: 20,
      rowGroupSize: 5,
    }),
  );

const rows = Array.from({ length: 6 }, (_, i) => Array.from(values.subarray(4 * i, 4 * i + 4)));
const records = rows.map(([a, b, c, d]) => ({ a, 'b ✓': b, c, d }));

async function models(): Promise<Uint8Array[]> {
  const made = [
    await pca(rows, { k: 2 }),
    await pca(records, { k: 1, scale: 'unit', whiten: 'pca', weights: [1, 2, 1, 2, 1, 2] }),
    await pca(rows, { k: 1, solver: 'autoencoder', tolerance: 1e-3 }),
  ];
  return made.flatMap((model) => [text(JSON.stringify(model)), model.toBinary()]);
}

async function compressed(): Promise<Uint8Array[]> {
  const path = join(tmpdir(), `scree-fuzz-${randomUUID()}`);
  const data = Float64Array.from({ length: 64 }, (_, i) => Math.sin(i * i) + (i % 4));
  const matrix = { rows: 16, cols: 4, data };
  const model = await pca(matrix, { k: 2 });
  const files: Uint8Array[] = [];
  for (const quantise of ['uniform', 'int8', 'float16'] as const) {
    const block = { kind: 'dense', rows: 16, cols: 4, stride: 4, data } as const;
    const source = { rows: 16, cols: 4, dtype: 'float64', rereadable: true, resident: false } as const;
    await compressFile({ source: { ...source, blocks: () => [block] }, model, path, quantise });
    files.push(await readFile(path));
  }
  await rm(path, { force: true });
  return files;
}

export const SEEDS: Record<Format, () => Uint8Array[] | Promise<Uint8Array[]>> = {
  csv: () => CSV.map(text),
  gzip: () => [
    ...CSV.map((content) => gzipSync(content)),
    gzipSync('a,b\n1,2\n3,4\n', { level: 0 }),
    // Long enough for codes of its own.
    gzipSync(`a,b\n${Array.from({ length: 200 }, (_, i) => `${i},${(i * i) % 97}`).join('\n')}\n`),
    Buffer.concat([gzipSync('a,b\n1,2\n'), gzipSync('3,4\n5,6\n')]),
  ],
  zstd: () => [
    ...Object.values(ZSTD_CSV).map(base64),
    // Two frames, one of them with a checksum, and one between them that is to be skipped.
    Buffer.from(
      '28b52ffd0458610000612c620a312c320a332c340ae1b3cb2e522a4d1802000000000028b52ffd0058210000352c360a',
      'hex',
    ),
    // 3,000 times the same byte.
    Buffer.from('28b52ffd00584d00001031310100b3f30116', 'hex'),
  ],
  json: () => [
    text('[{"a": 1.5, "b": [1, 2], "t": "x\\"}"}, {"a": null, "b": [3, 4], "t": null},\n {"a": true, "b": [5, 6]}]'),
    text('[[1, 2.5e-3], [3, "NaN"], [-5, 6]]'),
    text('{"rows": [[1,2],[3,4],[5,6]], "names": ["a", "b"]}'),
    text('[{"p": {"q": 1, "r": {"s": 2}}}, {"p": {"q": 3, "r": {"s": 4}}}]'),
  ],
  ndjson: () => [
    text('[1, 2, "x"]\n[3, NaN, "y"]\n[5, 6, null]\n'),
    text('{"a":1,"b":"\\u00e9"}\r\n{"a":2,"b":"z"}\n\n{"b":"w","a":3}'),
  ],
  npy: () => [
    array,
    npyFile('>f4', [6, 4], bytesOf(Float32Array.from(values)), true),
    npyFile('<f2', [3, 2], bytesOf(Uint16Array.of(0x3c00, 0x4000, 0x7c00, 0xc000, 1, 0x7e00))),
    npyFile('|b1', [2, 3], Uint8Array.of(0, 1, 1, 0, 1, 0)),
    npyFile('<i8', [2, 2, 2], bytesOf(BigInt64Array.of(1n, -2n, 3n, 2n ** 60n, 5n, 6n, 7n, 8n)), true),
    npyFile('>u2', [4, 1], bytesOf(Uint16Array.of(1, 2, 3, 4))),
  ],
  npz: () => [
    zipFile([{ name: 'a.npy', content: array }]),
    zipFile([{ name: 'a.npy', content: array, packed: true }]),
    zipFile([
      { name: 'y.npy', content: npyFile('<i4', [6], bytesOf(Int32Array.of(1, 2, 3, 4, 5, 6))) },
      { name: 'x.npy', content: npyFile('<f8', [6, 4], bytesOf(values), true), packed: true },
    ]),
    csrFile(false),
    csrFile(true),
  ],
  idx: () => [
    Buffer.concat([Buffer.from([0, 0, 0x0d, 2, 0, 0, 0, 6, 0, 0, 0, 5]), Buffer.alloc(120, 1)]),
    Buffer.concat([
      Buffer.from([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2]),
      Buffer.from([1, 2, 3, 4, 5, 6, 7, 9]),
    ]),
    Buffer.concat([Buffer.from([0, 0, 0x0e, 1, 0, 0, 0, 3]), Buffer.alloc(24, 64)]),
  ],
  arrow: () => [base64(PACKED_ARROW.lz4), base64(TYPED_ARROW), base64(PACKED_ARROW.zstd)],
  parquet: () => [
    parquet(),
    parquetLists(),
    ...Object.values(PACKED_PARQUET).map(base64),
    ...Object.values(SMALL_PARQUET).map(base64),
  ],
  model: models,
  moments: async () => {
    const plain = await new Moments(4).add(rows, { engine: 'reference' });
    const named = await new Moments(4, ['a', 'b', 'c', 'd']).add(rows, {
      engine: 'reference',
      weights: [1, 2, 1, 1, 3, 1],
    });
    return [plain.toBinary(), named.toBinary()];
  },
  checkpoint: async () => [await writtenCheckpoint()],
  scree: compressed,
};

const NUMBERS = '0 1 -1 -0 1e308 1e309 1e-400 9007199254740993 18446744073709551616 0.1 NaN null true'.split(' ');
const STRUCTURE = ['{', '}', '[', ']', ':', ',', '"', '\\"', '\\u0000', '\\ud800', '[[', '{"a":', '"__proto__":', ' '];

export const TOKENS: Record<Format, readonly string[]> = {
  csv: [
    ...NUMBERS,
    ',',
    ';',
    '\t',
    '|',
    '"',
    '""',
    '\r\n',
    '\n',
    '\r',
    '.',
    '#',
    ' ',
    'sep=;',
    '1.234,5',
    '1,234.5',
    "1'000",
    'inf',
    'NA',
    '\0',
    'é',
    '\ufeff',
    '2020',
    '%',
    '1_000',
  ],
  zstd: ['\x28\xb5\x2f\xfd', '\x50\x2a\x4d\x18', '\x01\x00\x00'],
  gzip: ['\x1f\x8b\x08', '\x00\x00\xff\xff', '\x01\x00\x00\xff\xff'],
  json: [...NUMBERS, ...STRUCTURE],
  ndjson: [...NUMBERS, ...STRUCTURE, '\n', '\r\n'],
  npy: [
    "'descr': ",
    "'fortran_order': ",
    "'shape': ",
    'True',
    'False',
    '()',
    '(1,)',
    '(2, 3)',
    "'<f8'",
    "'>f4'",
    "'<f2'",
    "'|b1'",
    "'|u1'",
    "'<i8'",
    "'<c16'",
    "'|O'",
    "'<U4'",
    '4294967296',
    '\n',
    ', ',
  ],
  npz: [
    'PK\x01\x02',
    'PK\x03\x04',
    'PK\x05\x06',
    'PK\x06\x06',
    'PK\x06\x07',
    'indptr.npy',
    'indices.npy',
    'data.npy',
    'shape.npy',
    'format.npy',
    'csr',
    'csc',
    "'<i8'",
    "'<i4'",
    '(3,)',
  ],
  idx: ['\x00\x00\x08\x01', '\x00\x00\x0d\x02', '\xff\xff\xff\xff'],
  arrow: ['ARROW1', '\xff\xff\xff\xff', '\x04\x22\x4d\x18'],
  parquet: ['PAR1', 'PARE', '\x15\x00', '\x15\x02', '\x19\x1c', '\x2c'],
  model: [
    ...NUMBERS,
    ...STRUCTURE,
    '"version":1',
    '"k":',
    '"arrays"',
    '"components"',
    '"plan"',
    '"warnings"',
    '"certificate"',
    '"uniqueness"',
  ],
  moments: [...NUMBERS, ...STRUCTURE, '"rows":', '"weight":', '"inflation":', '"columnNames":', '"merges":', '"read":'],
  checkpoint: [...NUMBERS, ...STRUCTURE, '"rows":', '"identity":', '"version":2', '\n', 'SCREEMOM'],
  scree: [
    ...NUMBERS,
    ...STRUCTURE,
    '"quantise":',
    '"uniform"',
    '"int8"',
    '"float16"',
    '"step":',
    '"dtype":',
    '"k":',
    '"cols":',
  ],
};
