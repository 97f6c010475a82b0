import { readFileSync } from 'node:fs';
import { encodeVector, loadQueryModel, reduceVectors } from '@scree/analysis/vectors';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { createFile, openFile } from '../../src/index.js';
import { useBinary } from './binary.js';

/** `scree vectors`, through the real binary. */

const { run, write, path, json, text, refused } = useBinary('vectors');

const [rows, cols] = [240, 12];
const { normal } = random(Number(process.env.SCREE_SEED));
const basis = Array.from({ length: 4 * cols }, normal);
const data = new Float32Array(rows * cols);
for (let i = 0; i < rows; i++) {
  const z = [normal(), normal(), 0.7 * normal(), 0.5 * normal()];
  for (let j = 0; j < cols; j++)
    data[i * cols + j] = 0.1 * normal() + z.reduce((sum, each, t) => sum + each * basis[t * cols + j], 0);
}
const names = Array.from({ length: rows }, (_, i) => `row ${i}`);
const file = await createFile(path('data.npy'), { cols, dtype: 'float32' });
await file.write({ rows, cols, data });
await file.close();
write(
  'data.csv',
  [
    `id,${Array.from({ length: cols }, (_, j) => `x${j}`)}`,
    ...names.map((name, i) => `${name},${data.slice(i * cols, (i + 1) * cols)}`),
  ].join('\n'),
);

interface Json {
  readonly k: number;
  readonly store: string;
  readonly bytes: number;
  readonly recall: { readonly value: number; readonly low: number; readonly high: number; readonly at: number };
  readonly tried: readonly { readonly k: number; readonly bytes: number }[];
}

describe('scree vectors', () => {
  it('writes what the library gives, and a query model with the same bits', async () => {
    const found = json<Json>([
      'vectors',
      'data.npy',
      '--recall',
      '0.8',
      '--store',
      'int8',
      '-o',
      'reduced.npy',
      '--model',
      'query.bin',
    ]);
    const expected = await reduceVectors({ rows, cols, data }, { recall: 0.8, store: 'int8' });
    const { seconds: _, ...rest } = found as Json & { seconds: number };
    expect(rest).toEqual(JSON.parse(JSON.stringify(expected)));
    const bytes = readFileSync(path('reduced.npy'));
    expect(new Int8Array(bytes.buffer, bytes.byteOffset + bytes.length - rows * found.k, rows * found.k)).toEqual(
      expected.codes,
    );
    const model = loadQueryModel(readFileSync(path('query.bin')));
    expect(encodeVector(model, data.subarray(0, cols))).toEqual(expected.code(0));
  });

  it('keeps the names of rows, and reads a list column of Parquet', async () => {
    const common = ['--store', 'float32', '-k', '3', '-q'];
    expect(run(['vectors', 'data.csv', '--name', 'id', '-o', 'named.parquet', ...common]).err).toBe('');
    const named = await openFile(path('named.parquet'), { name: 'id' });
    const labels: (string | null)[] = [];
    for await (const block of named.labelled()) labels.push(...block.labels);
    await named.close();
    expect(labels).toEqual(names);
    expect(run(['vectors', 'data.csv', '--exclude', 'id', '-o', 'named.npy', '-k', '3', '--store', 'bit']).err).toMatch(
      /240 vectors of 1 byte/,
    );
  });

  it('prints a recommendation, everything that was measured, and SQL', () => {
    const printed = text([
      'vectors',
      'data.npy',
      '--recall',
      '0.7',
      '--explain',
      '--pgvector',
      '--queries',
      '30',
      '--at',
      '5',
    ]);
    expect(printed).toMatch(
      /A search of the stored vectors finds \.\d+ \(95 % interval \.\d+ to (1|\.\d+)\) of the 5 nearest neighbours, measured with 15 queries/,
    );
    expect(printed).toMatch(/ bytes {2}recall@5 {2}re-ranked {2}queries {2}stored/);
    expect(printed).toMatch(/ALTER TABLE items ADD COLUMN reduced/);
  });

  it('takes queries from a file', () => {
    expect(json<{ queries: object }>(['vectors', 'data.npy', '-k', '4', '--queries', 'data.npy'])).toMatchObject({
      queries: { count: 240, choosing: 120, heldOut: 120, drawn: false },
    });
  });

  it('refuses what it cannot write or read', () => {
    expect(refused(['vectors', 'data.npy', '-k', '13'])).toMatch(/13/);
    expect(run(['vectors', 'data.npy', '-o', 'reduced.txt']).code).toBe(2);
    expect(run(['vectors', 'data.npy', '-o', 'a.npy', '--model', 'a.npy']).code).toBe(2);
    expect(run(['vectors', 'data.npy', '--recall', '2']).code).toBe(2);
  });
});
