import type { Matrix } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { toMatrix, withSpectrum } from '../../core/test/support/data.js';
import { readGasoline } from '../../core/test/support/public-tables.js';
import { readTable } from '../../core/test/support/table.js';
import { pcr } from '../src/index.js';

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, relative: number): void {
  expect(actual.length).toBeGreaterThanOrEqual(expected.length);
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(actual[i] - expected[i])).toBeLessThanOrEqual(relative * Math.max(1, Math.abs(expected[i])));
  }
}

async function* inBlocks(rows: readonly number[][], size: number): AsyncGenerator<Matrix> {
  for (let from = 0; from < rows.length; from += size) yield toMatrix(rows.slice(from, from + size));
}

describe("pcr as R's pls", () => {
  const { octane, spectra } = readGasoline();

  it('gasoline, leaving out one row at a time', async () => {
    const fit = await pcr(spectra, octane, { k: 6, folds: 'loo' });
    expectClose(
      fit.rmsep,
      [
        1.5429899585109, 1.4470448949172, 1.4743868419139, 1.2549446234204, 0.25005963618869, 0.25028309809827,
        0.2577933455712,
      ],
      1e-9,
    );
    expectClose(
      fit.r2,
      [-0.03418557885665, 0.090429662715742, 0.0557322207602, 0.31589714568302, 0.9728381424065],
      1e-9,
    );
    expectClose(fit.rmse, [1.5172734592024, 1.3656217544531, 1.3602917099091, 1.1097411059899, 0.23047831353777], 1e-9);
    expect(fit.best).toBe(4);
    expect(fit.folds).toBe(60);
  });

  it('gasoline, given segments: errors, coefficients and predictions', async () => {
    const fit = await pcr(spectra, octane, { k: 4, folds: octane.map((_, i) => i % 10) });
    // R's value for 0 components is that of leaving out one row, whatever the segments are.
    expectClose(fit.rmsep.subarray(1), [1.4260900247986, 1.4456551206911, 1.2179160219929, 0.24679529434332], 1e-9);
    const { intercept, slopes } = fit.coefficients(2);
    expectClose(
      [intercept, ...slopes.subarray(0, 3)],
      [75.277190023073, -0.0013602282909445, -0.0011413085941553, -0.0025492580633764],
      1e-9,
    );
    expectClose(
      await fit.predict(spectra, { components: 2 }),
      [87.220724354511, 85.523283084875, 85.817168603453],
      1e-9,
    );
  });

  it('mtcars, columns scaled anew in every fold', async () => {
    const { rows } = readTable('mtcars');
    const fit = await pcr(
      rows.map((row) => row.slice(1)),
      rows.map(([mpg]) => mpg),
      { k: 10, folds: 'loo', scale: 'unit' },
    );
    expectClose(
      fit.rmsep,
      [
        6.1233853443109, 2.6769855912435, 2.7042102623776, 2.5619412566502, 2.6047551767003, 2.613209551921,
        2.7450540978883, 2.8928227895377, 2.9534047085065, 3.3976098848676, 3.4902088772596,
      ],
      1e-9,
    );
    expect(fit.best).toBe(3);
  });
});

describe('pcr', () => {
  const { normal } = random(11);
  const rows = withSpectrum(50, 6, (i) => 20 / (i + 1));
  const y = rows.map((row) => 3 + 2 * row[0] - row[3] + 0.1 * normal());

  it('with all components is least squares: residuals are orthogonal to every column', async () => {
    const fit = await pcr(rows, y, { k: 6, folds: 5 });
    const residuals = (await fit.predict(rows, { components: 6 })).map((value, i) => y[i] - value);
    for (let j = 0; j < 6; j++) {
      expect(Math.abs(rows.reduce((sum, row, i) => sum + row[j] * residuals[i], 0))).toBeLessThan(1e-9);
    }
    expect(Math.abs(Math.hypot(...residuals) / Math.sqrt(50) - fit.rmse[6])).toBeLessThan(1e-10);
    const { intercept, slopes } = fit.coefficients(6);
    expect(
      Math.abs(rows[7].reduce((sum, x, j) => sum + x * slopes[j], intercept) - (y[7] - residuals[7])),
    ).toBeLessThan(1e-10);
  });

  it('predicts each row by a fit to the rows outside its fold', async () => {
    const folds = rows.map((_, i) => ['a', 'b', 'c'][i % 3]);
    const fit = await pcr(rows, y, { k: 3, folds });
    const outside = (label: string): number[] => Array.from(rows.keys()).filter((i) => folds[i] !== label);
    const training = outside('b');
    const own = await pcr(
      training.map((i) => rows[i]),
      training.map((i) => y[i]),
      { k: 3, folds: 2 },
    );
    for (const m of [0, 2, 3]) {
      const found = await own.predict([rows[4]], { components: m });
      expect(Math.abs(found[0] - fit.predictions.data[4 * 4 + m])).toBeLessThan(1e-10);
    }
  });

  it('is the same for a stream, and depends on the seed only through the folds', async () => {
    const fit = await pcr(rows, y, { k: 3, seed: 2 });
    expectClose((await pcr(inBlocks(rows, 7), y, { k: 3, seed: 2 })).rmsep, fit.rmsep, 1e-12);
    expect((await pcr(rows, y, { k: 3, seed: 3 })).rmsep).not.toEqual(fit.rmsep);
    expect((await pcr(rows, y, { k: 3, seed: 3 })).rmse).toEqual(fit.rmse);
  });

  it('has a cross-validated error on noise that is no smaller than that of the mean', async () => {
    const noise = rows.map(() => normal());
    const fit = await pcr(rows, noise, { k: 6, folds: 'loo' });
    expect(fit.rmsep[6]).toBeGreaterThan(fit.rmsep[0]);
    expect(fit.rmse[6]).toBeLessThan(fit.rmse[0]);
  });

  it('refuses invalid options', async () => {
    await expect(pcr(rows, y.slice(1))).rejects.toThrow('y has 49 values for 50 rows');
    await expect(pcr(inBlocks(rows, 7), y.slice(1))).rejects.toThrow('y has 49 values');
    await expect(pcr(rows, [Number.NaN, ...y.slice(1)])).rejects.toThrow('y of row 1 is NaN');
    await expect(pcr(rows, y, { k: 7 })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    const all = y.map((_, i) => (i === 0 ? 'one' : 'others'));
    await expect(pcr(rows, y, { folds: all })).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
    await expect(pcr(rows, y, { folds: 1 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(pcr(rows, y, { folds: y.map(() => 'a') })).rejects.toThrow('at least 2');
    await expect(pcr(rows, y, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
