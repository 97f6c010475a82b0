import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openFile } from 'scree';
import { describe, expect, it } from 'vitest';
import { useBinary } from './binary.js';

const { path, folder } = useBinary('parquet-threads');
const library = new URL('../../dist/bin/index.js', import.meta.url);

/** Reads with the built library, which has threads, and prints a digest of the numbers, the labels and the warnings, or the error. */
const PROGRAM = `
import { createHash } from 'node:crypto';
import { openFile } from ${JSON.stringify(library.href)};
const [path, options] = [process.argv[1], JSON.parse(process.argv[2])];
const out = {};
const file = await openFile(path, options);
try {
  const hash = createHash('sha256');
  let rows = 0;
  let shared = false;
  for (let pass = 0; pass < 2; pass++)
    for await (const block of file.source.blocks()) {
      hash.update(new Uint8Array(block.data.buffer, block.data.byteOffset, block.rows * block.cols * block.data.BYTES_PER_ELEMENT));
      shared ||= block.data.buffer instanceof SharedArrayBuffer;
      rows += block.rows;
    }
  Object.assign(out, { digest: hash.digest('hex'), rows, shared, warnings: await file.source.warnings() });
  if (options.label) { const { names, codes } = await file.labels(); Object.assign(out, { names, codes: [...codes] }); }
} catch ({ name, code, message }) { Object.assign(out, { name, code, message }); }
await file.close();
console.log(JSON.stringify(out));`;

function readInThreads(name: string, options: object): Record<string, unknown> {
  const args = ['--input-type=module', '-e', PROGRAM, '--', path(name), JSON.stringify(options)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return JSON.parse(stdout);
}

describe('a Parquet file that threads decode', () => {
  const rows = 200_000;
  const columns = Array.from({ length: 9 }, (_, j) => ({
    name: `x${j}`,
    data: Array.from({ length: rows }, (_, i) => (j === 2 && i % 1000 === 7 ? null : Math.sin(i * (j + 1)))),
    type: 'DOUBLE' as const,
    nullable: true,
  }));
  const bytes = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        ...columns,
        { name: 'n', data: BigInt64Array.from({ length: rows }, (_, i) => 2n ** 53n + BigInt(i % 4)), type: 'INT64' },
        { name: 't', data: Array.from({ length: rows }, (_, i) => `t${i % 5}`), type: 'STRING' },
      ],
      rowGroupSize: 30_000,
      pageSize: 50_000,
    }),
  );

  it('has the same bits, labels and warnings as without threads', async () => {
    writeFileSync(path('x.parquet'), bytes);
    for (const options of [
      { missing: 'drop', label: 't' },
      { columns: ['x7', 'n', 'x8', 'x1', 'x0', 'x3', 'x4'] },
    ] as const) {
      const file = await openFile(path('x.parquet'), options);
      const { createHash } = await import('node:crypto');
      const hash = createHash('sha256');
      let count = 0;
      for (let pass = 0; pass < 2; pass++)
        for await (const block of file.source.blocks()) {
          if (block.kind !== 'dense') throw new Error('dense rows');
          const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = block.data;
          hash.update(new Uint8Array(buffer, byteOffset, block.rows * block.cols * size));
          count += block.rows;
        }
      const own = { digest: hash.digest('hex'), rows: count, warnings: await file.source.warnings?.() };
      const labels = 'label' in options ? await file.labels() : undefined;
      await file.close();
      const read = readInThreads('x.parquet', options);
      expect(read).toMatchObject(own);
      expect(read.shared || options.missing === 'drop').toBe(true);
      if (labels)
        expect({ names: read.names, codes: read.codes }).toEqual({ names: labels.names, codes: [...labels.codes] });
    }
  });

  it('is refused where one of its pages is damaged', () => {
    const damaged = Uint8Array.from(bytes);
    damaged.fill(255, bytes.length >> 1, (bytes.length >> 1) + 100_000);
    writeFileSync(path('damaged.parquet'), damaged);
    expect(readInThreads('damaged.parquet', { missing: 'drop' })).toMatchObject({
      name: 'FileError',
      code: 'BAD_FILE',
    });
  });

  it('is refused where its file became shorter, and says so', () => {
    writeFileSync(path('short.parquet'), bytes);
    const program = PROGRAM.replace(
      'try {',
      `(await import('node:fs')).truncateSync(path, ${bytes.length >> 1}); try {`,
    );
    const args = ['--input-type=module', '-e', program, '--', path('short.parquet'), '{"missing":"drop"}'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({ code: 'FILE_TRUNCATED' });
  });
});
