import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { decodeHalf } from '@scree/core/data';
import fc from 'fast-check';
import { compressFile, createFile, openCompressed, openFile, pca, type RowSource, type StoredType } from 'scree';
import { describe, expect, it } from 'vitest';
import { encodeHalf, STORED_TYPES } from '../../src/disk/stored-type.js';
import { useFolder } from '../disk/support.js';
import { correlated, decodeAll, roundTrip, sourceOf } from './support.js';

const folder = useFolder();
const MODES = ['uniform', 'int8', 'float16'] as const;

describe('rows that are compressed and read back', () => {
  it('have the reported errors and size, for any shape', async () => {
    let index = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 120 }),
        fc.integer({ min: 1, max: 24 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(...MODES),
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, cols, share, quantise, seed, blockRows) => {
          const k = 1 + Math.floor(share * (Math.min(rows, cols) - 1));
          const matrix = { rows, cols, data: correlated(rows, cols, seed) };
          const path = folder.file(`shape${index++}.scree`);
          const { compressed, size, rms, relative, file } = await roundTrip(matrix, path, { k, quantise, blockRows });
          expect(size).toBe(compressed.bytes);
          expect(compressed).toMatchObject({ rows, cols, k, quantise, dtype: 'float64', original: 8 * rows * cols });
          expect(compressed.ratio).toBeCloseTo((8 * rows * cols) / size, 10);
          expect(Math.abs(compressed.rmsError - rms)).toBeLessThanOrEqual(1e-9 * rms + 1e-12);
          expect(Math.abs(compressed.relativeError - relative)).toBeLessThanOrEqual(1e-9 * relative + 1e-12);
          expect(file).toMatchObject({ rows, cols, k, rmsError: compressed.rmsError, bytes: size });
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(MODES)('lose little more than the model leaves out, as %s', async (quantise) => {
    const matrix = { rows: 3000, cols: 30, data: correlated(3000, 30, 7) };
    const model = await pca(matrix, { k: 0.95 });
    const left = 1 - model.varianceRatios.reduce((sum, ratio) => sum + ratio, 0);
    const { relative } = await roundTrip(matrix, folder.file('left.scree'), { model, quantise });
    const noise = { uniform: 0.1 * left, int8: 3e-4, float16: 1e-6 }[quantise];
    expect(relative ** 2).toBeGreaterThan(0.999 * left);
    expect(relative ** 2).toBeLessThan(left + 1.3 * noise);
  });

  it('take fewer bytes for the same error with one step than with 255 steps per component', async () => {
    const matrix = { rows: 20_000, cols: 30, data: correlated(20_000, 30, 7) };
    const model = await pca(matrix, { k: 20 });
    const int8 = await roundTrip(matrix, folder.file('int8.scree'), { model, quantise: 'int8' });
    const left = 1 - model.varianceRatios.reduce((sum, ratio) => sum + ratio, 0);
    const noise = int8.relative ** 2 - left;
    const uniform = await roundTrip(matrix, folder.file('uniform.scree'), { model, noise: 0.95 * noise });
    expect(uniform.relative).toBeLessThanOrEqual(int8.relative);
    expect(uniform.size).toBeLessThan(0.95 * int8.size);
  });

  it.each(Object.keys(STORED_TYPES) as StoredType[])('are %s again, rounded and in range', async (type) => {
    const { range, make, whole } = STORED_TYPES[type];
    const [rows, cols] = [200, 8];
    const numbers = correlated(rows, cols, 3, 0).map((value) =>
      type === 'uint8' || type === 'uint16' ? 40 + 9 * value : 9 * value,
    );
    if (type === 'uint32') for (let i = 0; i < numbers.length; i++) numbers[i] = 2 ** 31 + 1e7 * numbers[i];
    const data = make(rows * cols);
    if (type === 'float16') data.set(encodeHalf(numbers));
    else data.set(numbers.map((value) => Math.min(range[1], Math.max(range[0], whole ? Math.round(value) : value))));
    const matrix = { rows, cols, data, ...(type === 'float16' ? { dtype: 'float16' as const } : {}) };
    const { compressed, values, rms } = await roundTrip(matrix, folder.file(`${type}.scree`), { k: 6 });
    expect(compressed.dtype).toBe(type);
    expect(Math.abs(compressed.rmsError / rms - 1)).toBeLessThan(1e-9);
    if (whole) expect(values.every(Number.isInteger)).toBe(true);
    expect(values.every((value) => value >= range[0] && value <= range[1])).toBe(true);

    // And into a file that NumPy reads as the same type.
    const file = await openCompressed(folder.file(`${type}.scree`));
    const writer = await createFile(folder.file(`${type}.npy`), { cols, dtype: file.dtype });
    for await (const block of file.source.blocks()) if (block.kind === 'dense') await writer.write(block);
    await writer.close();
    await file.close();
    expect((await stat(folder.file(`${type}.npy`))).size).toBe(128 + rows * cols * STORED_TYPES[type].bytes);
    const npy = await openFile(folder.file(`${type}.npy`));
    expect((await decodeAll(npy)).values).toEqual(values);
    await npy.close();
  });

  it('may be one row, one column, one component', async () => {
    const model = await pca({ rows: 50, cols: 5, data: correlated(50, 5, 1) }, { k: 2 });
    const row = { rows: 1, cols: 5, data: correlated(1, 5, 2) };
    for (const quantise of MODES) {
      const { compressed, relative } = await roundTrip(row, folder.file('row.scree'), { model, quantise });
      expect(compressed.rows).toBe(1);
      expect(compressed.relativeError).toBeCloseTo(relative, 9);
    }
    const column = { rows: 40, cols: 1, data: correlated(40, 1, 2) };
    expect((await roundTrip(column, folder.file('column.scree'), { k: 1, quantise: 'float16' })).relative).toBeLessThan(
      1e-3,
    );
  });

  it('are restored exactly if they do not vary, or only in one column', async () => {
    const data = new Float64Array(60).map((_, i) => [0.1, 1 / 3, 1e6 + 0.7][i % 3]);
    for (const quantise of MODES) {
      const { values, compressed } = await roundTrip({ rows: 20, cols: 3, data }, folder.file('still.scree'), {
        k: 1,
        quantise,
      });
      expect(values).toEqual([...data]);
      expect(compressed).toMatchObject({ rmsError: 0, relativeError: 0 });
    }
    const one = data.map((value, i) => (i % 3 === 1 ? i : value));
    const { values } = await roundTrip({ rows: 20, cols: 3, data: one }, folder.file('one.scree'), {
      k: 1,
      quantise: 'float16',
    });
    values.forEach((value, i) => {
      expect(Math.abs(value - one[i])).toBeLessThan(i % 3 === 1 ? 0.02 : 1e-9 * one[i]);
    });
  });

  it('are almost exact with all components and float16; integers are exact', async () => {
    const matrix = { rows: 300, cols: 20, data: correlated(300, 20, 5) };
    expect(
      (await roundTrip(matrix, folder.file('all.scree'), { k: 'all', quantise: 'float16' })).relative,
    ).toBeLessThan(3e-4);
    const bytes = {
      rows: 300,
      cols: 20,
      data: Uint8Array.from(correlated(300, 20, 5, 0), (value) => 128 + 10 * value),
    };
    const { values, compressed } = await roundTrip(bytes, folder.file('bytes.scree'), {
      k: 'all',
      quantise: 'float16',
    });
    expect(values).toEqual([...bytes.data]);
    expect(compressed.rmsError).toBe(0);
  });

  it('of any size neither overflow nor underflow', async () => {
    for (const factor of [1e-200, 1e-30, 1e30, 1e140]) {
      const data = correlated(200, 6, 9, 0).map((value) => factor * value);
      for (const quantise of MODES) {
        const { compressed } = await roundTrip({ rows: 200, cols: 6, data }, folder.file('size.scree'), {
          k: 4,
          quantise,
        });
        expect(compressed.relativeError).toBeLessThan(0.5);
        expect(compressed.relativeError).toBeGreaterThan(0);
        expect(compressed.rmsError / factor).toBeGreaterThan(1e-3);
      }
    }
  });

  it('are the same with and without whitening, and scaled columns come back in their own units', async () => {
    const matrix = { rows: 400, cols: 6, data: correlated(400, 6, 11).map((value, i) => value * 10 ** (i % 6)) };
    const errors: number[] = [];
    for (const whiten of [false, 'pca', 'zca'] as const) {
      const model = await pca(matrix, { k: 4, scale: 'unit', whiten });
      const { compressed, file, values } = await roundTrip(matrix, folder.file('white.scree'), { model });
      errors.push(compressed.relativeError);
      expect(file.model.whiten).toBe(whiten);
      expect(Math.abs(values[5] - matrix.data[5])).toBeLessThan(3e5);
    }
    expect(errors[1]).toBe(errors[0]);
    expect(errors[2]).toBe(errors[0]);
  });

  it('can be sparse, in small blocks, and have names', async () => {
    const [rows, cols] = [90, 7];
    const dense = correlated(rows, cols, 4, 0).map((value) => (value > 0 ? value : 0));
    const names = Array.from({ length: cols }, (_, j) => `named ${j} ✓`);
    const source: RowSource = {
      rows,
      cols,
      dtype: 'float64',
      rereadable: true,
      resident: false,
      *blocks() {
        for (let i = 0; i < rows; i++) {
          const row = dense.subarray(i * cols, (i + 1) * cols);
          const indices = Int32Array.from([...row.keys()].filter((j) => row[j] !== 0));
          yield {
            kind: 'sparse',
            rows: 1,
            cols,
            indptr: Int32Array.of(0, indices.length),
            indices,
            data: Float64Array.from(indices, (j) => row[j]),
          };
        }
      },
    };
    const path = folder.file('sparse.scree');
    const model = await pca({ rows, cols, data: dense }, { k: 3 });
    const compressed = await compressFile({ source, model, path, columnNames: names });
    const whole = await roundTrip({ rows, cols, data: dense }, folder.file('dense.scree'), { model });
    expect(compressed.rmsError).toBe(whole.compressed.rmsError);
    const file = await openCompressed(path);
    expect(file.columnNames).toEqual(names);
    expect(file.source.columnNames).toEqual(names);
    expect((await decodeAll(file)).values).toEqual(whole.values);
    // Rewindable.
    expect((await decodeAll(file)).values).toEqual(whole.values);
    await file.close();
  });

  it('give the same bytes on any number of threads and for any size of blocks', async () => {
    const matrix = { rows: 5000, cols: 40, data: Float32Array.from(correlated(5000, 40, 21)) };
    const model = await pca(matrix, { k: 30 });
    const files: Buffer[] = [];
    for (const [threads, blockRows] of [
      [1, 5000],
      [2, 17],
      [2, 1234],
    ]) {
      await roundTrip(matrix, folder.file('same.scree'), { model, threads, blockRows });
      files.push(await readFile(folder.file('same.scree')));
    }
    expect(files[1].equals(files[0])).toBe(true);
    expect(files[2].equals(files[0])).toBe(true);
  });

  it('come with a model whose certificate includes the rounding of its components', async () => {
    const matrix = { rows: 2000, cols: 25, data: correlated(2000, 25, 8) };
    const model = await pca(matrix, { k: 10 });
    const { file } = await roundTrip(matrix, folder.file('model.scree'), { model });
    expect(file.model.variances).toEqual(model.variances);
    expect(file.model.certificate.orthonormality).toBeLessThan(1e-12);
    for (let c = 0; c < 10; c++) {
      let product = 0;
      for (let j = 0; j < 25; j++)
        product += file.model.components.data[c * 25 + j] * model.components.data[c * 25 + j];
      const angle = Math.acos(Math.min(1, product));
      expect(angle).toBeLessThanOrEqual(file.model.certificate.angleBounds[c] + 1e-7);
      expect(file.model.certificate.angleBounds[c]).toBeLessThan(0.3);
    }
  });
});

describe('half precision', () => {
  it('is written as it is read, for every float16, and rounds to the nearest', () => {
    const all = Uint16Array.from({ length: 2 ** 16 }, (_, bits) => bits).filter((bits) => (bits & 0x7c00) !== 0x7c00);
    const numbers = decodeHalf(all);
    // −0 is 0.
    expect(encodeHalf(numbers)).toEqual(all.map((bits) => (bits === 0x8000 ? 0 : bits)));
    const positive = [0, ...numbers].filter((value, i) => i === 0 || value > 0).sort((a, b) => a - b);
    for (let i = 0; i + 1 < positive.length; i += 7) {
      const [low, high] = [positive[i], positive[i + 1]];
      const [below, above] = decodeHalf(encodeHalf([low + 0.49 * (high - low), low + 0.51 * (high - low)]));
      expect([below, above]).toEqual([low, high]);
    }
    expect([...decodeHalf(encodeHalf([1e9, -1e9, 65519]))]).toEqual([65504, -65504, 65504]);
  });
});

describe('compressing', () => {
  const matrix = { rows: 60, cols: 4, data: correlated(60, 4, 1) };
  const parts = async (): Promise<string[]> => (await readdir(folder.path)).filter((name) => name.includes('.part'));

  it('rejects NaN with its position, rows of another width, no rows and invalid options', async () => {
    const model = await pca(matrix, { k: 2 });
    const path = folder.file('never.scree');
    const hole = { ...matrix, data: matrix.data.slice() };
    hole.data[50 * 4 + 3] = Number.NaN;
    const attempt = (options: object) =>
      compressFile({ source: sourceOf(matrix), model, path, ...options } as Parameters<typeof compressFile>[0]);
    await expect(attempt({ source: sourceOf(hole, 7) })).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 50, column: 3 },
    });
    await expect(attempt({ source: sourceOf({ rows: 60, cols: 3, data: matrix.data }) })).rejects.toMatchObject({
      code: 'WIDTH_MISMATCH',
    });
    await expect(attempt({ source: { ...sourceOf(matrix), blocks: () => [] } })).rejects.toMatchObject({
      code: 'EMPTY_DATA',
    });
    await expect(attempt({ quantise: 'int4' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(attempt({ noise: 0 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(attempt({ noise: 0.1, quantise: 'int8' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(attempt({ dtype: 'int64' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(attempt({ columnNames: ['a'] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(attempt({ path: folder.file('nowhere/x.scree') })).rejects.toMatchObject({ code: 'NO_FILE' });
    await expect(stat(path)).rejects.toThrow(/ENOENT/);
    expect(await parts()).toEqual([]);
  });

  it('leaves the old file and no other file when it is aborted, even while the source waits', async () => {
    const model = await pca(matrix, { k: 2 });
    const path = folder.file('kept.scree');
    await writeFile(path, 'old');
    const endless = (stuck: boolean): RowSource => ({
      ...sourceOf(matrix),
      async *blocks() {
        for (;;) {
          for await (const block of sourceOf(matrix).blocks()) yield block;
          if (stuck) await new Promise(() => {});
        }
      },
    });
    for (const stuck of [false, true]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error('enough')), 200);
      await expect(compressFile({ source: endless(stuck), model, path, signal: stop.signal })).rejects.toThrow(
        'enough',
      );
      expect((await stat(path)).size).toBe(3);
      expect(await parts()).toEqual([]);
    }
  });

  it('reports its progress to the last row', async () => {
    const model = await pca(matrix, { k: 2 });
    const seen: number[] = [];
    await compressFile({
      source: sourceOf(matrix),
      model,
      path: folder.file('p.scree'),
      onProgress: ({ done }) => seen.push(done),
    });
    expect(seen.at(0)).toBe(0);
    expect(seen.at(-1)).toBe(60);
  });
});

describe('memory stays bounded', () => {
  it('when 400 MB are compressed and read back', () => {
    const program = `
      import { compressFile, openCompressed, pca } from 'scree';
      const peak = () => process.resourceUsage().maxRSS * 1024;
      const [rows, cols, count] = [1000, 100, 500];
      const data = new Float64Array(rows * cols);
      const fill = (b) => { for (let i = 0; i < data.length; i++) data[i] = Math.sin(i * (1 + (i % 7)) + b) + Math.sin(i % 100); return data; };
      const model = await pca({ rows, cols, data: fill(0).slice() }, { k: 20 });
      async function* blocks() { for (let b = 0; b < count; b++) yield { kind: 'dense', rows, cols, stride: cols, data: fill(b) }; }
      const base = peak();
      const path = ${JSON.stringify(folder.file('large.scree'))};
      const { bytes } = await compressFile({ source: { rows: rows * count, cols, dtype: 'float64', rereadable: true, resident: false, blocks }, model, path });
      const file = await openCompressed(path);
      let seen = 0;
      for await (const block of file.source.blocks()) seen += block.rows;
      await file.close();
      console.log(JSON.stringify({ rows: seen, bytes, base, peak: peak() }));`;
    const printed = execFileSync(process.execPath, ['--max-old-space-size=64', '--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
    });
    const { rows, base, peak } = JSON.parse(printed);
    expect(rows).toBe(500_000);
    expect(peak - base).toBeLessThan(250e6);
  });
});
