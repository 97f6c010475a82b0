import { describe, expect, it } from 'vitest';
import { type Data, Moments, type PcaOptions, pca, type SolverName, stream } from '../../../src/index.js';
import { toCsr, toMatrix, withSpectrum } from '../../support/data.js';

const rows = withSpectrum(60, 6, (i) => 2 ** -i);
const codes = (model: { warnings: readonly { code: string }[] }): string[] => model.warnings.map(({ code }) => code);

/** Changes the data when the fit first reports: a small fit may be done before `pca` returns. */
const once = (change: () => void): Pick<PcaOptions, 'onProgress'> => {
  let changed = false;
  return {
    onProgress: () => {
      if (!changed) change();
      changed = true;
    },
  };
};

describe('a matrix that is changed while pca reads it gives a model with the warning SOURCE_CHANGED', () => {
  it.each<SolverName>(['covariance', 'refined', 'dual', 'svd', 'streaming'])('%s', async (solver) => {
    const matrix = toMatrix(rows);
    const change = (): void => {
      matrix.data[17] += 1e-9;
    };
    const model = await pca(matrix, { k: 2, solver, ...once(change) });
    const warning = model.warnings.find(({ code }) => code === 'SOURCE_CHANGED');
    expect(warning?.message).toMatch(/changed while it was read.*pass a copy/);
    // Left alone there is none, also the second time.
    expect(codes(await pca(matrix, { k: 2, solver }))).not.toContain('SOURCE_CHANGED');
  });

  it('right after the call, where the fit has to wait; one that was done at once has read all', async () => {
    await pca(toMatrix(rows), { k: 2 });
    for (const solver of ['streaming', 'svd', 'auto'] as const) {
      const matrix = toMatrix(rows);
      const result = pca(matrix, { k: 2, solver, blocking: 'full' });
      matrix.data[17] += 1e-9;
      if (solver !== 'auto') expect(codes(await result)).toContain('SOURCE_CHANGED');
      else expect((await result).toJSON()).toEqual((await pca(toMatrix(rows), { k: 2, solver })).toJSON());
    }
  });

  it.each(['data', 'indices'] as const)('sparse, its %s', async (part) => {
    const matrix = toCsr(rows);
    const changing = { ...matrix, indices: Int32Array.from(matrix.indices) };
    const change = (): void => {
      [changing[part][2], changing[part][3]] = [changing[part][3], changing[part][2]];
    };
    expect(codes(await pca(changing, { k: 2, solver: 'covariance', ...once(change) }))).toContain('SOURCE_CHANGED');
  });

  it('one row of many, wherever it is', async () => {
    const [n, d] = [3000, 50];
    const data = Float32Array.from({ length: n * d }, (_, at) => Math.sin(at * at));
    for (const row of [0, 1, 1500, 2998, 2999]) {
      const matrix = { rows: n, cols: d, data: data.slice() };
      const change = (): void => {
        matrix.data.fill(5, row * d, (row + 1) * d);
      };
      expect(codes(await pca(matrix, { k: 1, solver: 'covariance', ...once(change) }))).toContain('SOURCE_CHANGED');
    }
  });

  it('but data that are not read may change: gaps between rows, and rows of arrays, which are copied first', async () => {
    const matrix = { rows: 60, cols: 6, stride: 8, data: new Float64Array(480) };
    rows.forEach((row, i) => {
      matrix.data.set(row, 8 * i);
    });
    const fit = pca(matrix, { k: 2 });
    for (let i = 0; i < 60; i++) matrix.data[8 * i + 7] = i;
    expect(codes(await fit)).toEqual([]);
    const copy = rows.map((row) => [...row]);
    const other = pca(copy, { k: 2 });
    copy[0][0] = 1e6;
    expect((await other).variances).toEqual((await pca(rows, { k: 2 })).variances);
  });
});

it('a fit that fails because its matrix was changed says so, and does not blame the tolerance', async () => {
  const data = Float64Array.from({ length: 400 * 40 }, (_, at) => Math.sin(at * at));
  const matrix = { rows: 400, cols: 40, data };
  let seed = 0;
  // Other data at every pass: nothing converges.
  const onProgress: PcaOptions['onProgress'] = () => {
    seed++;
    for (let at = 0; at < data.length; at++) data[at] = Math.sin(at * at + seed) * (1 + ((at + seed) % 7));
  };
  await expect(
    pca(matrix, { k: 3, solver: 'krylov', engine: 'reference', tolerance: 1e-13, onProgress }),
  ).rejects.toMatchObject({
    code: 'SOURCE_CHANGED',
    message: expect.stringMatching(/^The matrix was changed while it was read.*The fit failed: /),
  });
});

describe('results that cannot carry a warning are rejected', () => {
  const change = async (use: (data: Data) => Promise<unknown>): Promise<void> => {
    const matrix = toMatrix(rows);
    const result = use(matrix);
    matrix.data[3] = 7;
    await expect(result).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
  };

  it('scores and reconstructions', async () => {
    const model = await pca(rows, { k: 6 });
    await change((data) => model.transform(data));
    await change((data) => model.inverseTransform(data));
  });

  it('moments, which stay as they were', async () => {
    const moments = await new Moments(6).add(rows);
    const before = moments.toBinary();
    await change((data) => moments.add(data));
    expect(moments.toBinary()).toEqual(before);
  });

  it.each(['moments', 'incremental'] as const)('a stream (%s), which stays as it was', async (rule) => {
    const seen = await stream({ k: 2, rule }).add(rows);
    const before = (await seen.model()).variances;
    await change((data) => seen.add(data));
    expect((await seen.model()).variances).toEqual(before);
  });
});
