import {
  compareModels,
  congruence,
  famd,
  monitor,
  pcr,
  principalAngles,
  probabilistic,
  procrustes,
  residualize,
  rotate,
  rowContributions,
  supplementaryRows,
  withinGroups,
} from '@scree/analysis';
import { loadModel, pca, toRows } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { pcaSync } from '../../../src/pca-sync.js';
import { loadTransform } from '../../../src/transform.js';
import { withSpectrum } from '../../support/data.js';

const rows = withSpectrum(20, 4, (i) => 4 - i);
const model = await pca(rows, { k: 2, columnNames: ['a', 'b', 'c', 'd'] });
const again = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('JSON.stringify writes', () => {
  it.each<[string, () => unknown]>([
    ['scores', () => model.transform(rows)],
    ['reconstructions', async () => model.inverseTransform(await model.transform(rows))],
    ['scores of a stored transform', () => loadTransform(model).transform(rows)],
    ['float32 scores', () => model.transform(rows.map((row) => Float32Array.from(row)))],
    ['components', () => model.components],
    ['components of pcaSync', () => pcaSync(rows, { k: 2 }).components],
    ['components of a model that was stored', () => loadModel(model.toBinary()).components],
    ['loadings', () => model.loadings],
    ['a covariance', () => model.covariance()],
    ['a precision', () => probabilistic(model).precision()],
    ['rows drawn from a model', () => probabilistic(model).sample(3)],
    ['rotated loadings', async () => (await rotate(model, { method: 'varimax' })).loadings],
    ['rotated scores', async () => (await rotate(model, { method: 'varimax' })).transform(rows)],
    ['a congruence', () => congruence(model.components, model.components)],
    ['means of groups', async () => (await withinGroups(rows, rows.map((_, i) => i % 3))).means], // biome-ignore format: one line
    ['contributions of rows', async () => (await rowContributions(model, rows)).contributions],
  ])('%s as rows', async (_, make) => {
    const matrix = (await make()) as typeof model.components;
    expect(again(matrix)).toEqual(toRows(matrix));
    expect(again({ matrix })).toEqual({ matrix: toRows(matrix) });
    expect(structuredClone(matrix)).toEqual({ rows: matrix.rows, cols: matrix.cols, data: matrix.data });
  });

  it.each<[string, () => unknown]>([
    ['monitor', () => monitor(model, rows)],
    ['rowContributions', () => rowContributions(model, rows)],
    ['supplementaryRows', () => supplementaryRows(model, rows)],
    ['rotate', () => rotate(model, { method: 'oblimin' })],
    ['compareModels', () => compareModels(model, model)],
    ['procrustes', () => procrustes(rows, rows)],
    [
      'pcr',
      () =>
        pcr(
          rows,
          rows.map((row) => row[0] - row[1]),
        ),
    ],
    [
      'coefficients of pcr',
      async () =>
        (
          await pcr(
            rows,
            rows.map((row) => row[0]),
          )
        ).coefficients(),
    ],
    ['a posterior', () => probabilistic(model).posterior(rows)],
    ['a regression', async () => (await residualize(rows, { x: rows.map((_, i) => i) })).regression],
    ['reconstruct', async () => model.reconstruct(await model.transform(rows))],
  ])('lists in place of typed arrays, and matrices as rows, in a result of %s', async (_, make) => {
    const result = (await make()) as object;
    const plain = again(result) as Record<string, unknown>;
    expect(Object.keys(plain)).toEqual(Object.keys(result));
    let found = 0;
    const compare = (value: unknown, written: unknown, name: string): void => {
      if (ArrayBuffer.isView(value)) expect(written, name).toEqual(Array.from(value as Float64Array));
      else if (typeof value === 'object' && value !== null && 'cols' in value && 'data' in value)
        expect(written, name).toEqual(toRows(value as never));
      else if (typeof value === 'object' && value !== null && value !== model && !('toBinary' in value)) {
        for (const [key, each] of Object.entries(value))
          compare(each, (written as typeof plain)[key], `${name}.${key}`);
        return;
      } else return;
      found++;
    };
    compare(result, plain, 'result');
    expect(found).toBeGreaterThan(0);
  });

  it.each<[string, () => unknown]>([
    ['variances', () => model.variances],
    ['ratios', () => model.cumulativeRatios],
    ['a mean', () => model.mean],
    ['reconstruction errors', () => model.reconstructionError(rows)],
    ['scores of one row', () => model.transformSync(rows[0])],
    ['log-likelihoods', () => probabilistic(model).scoreSamples(rows)],
    ['principal angles', () => principalAngles(model.components, model.components)],
    [
      'predictions',
      async () =>
        (
          await pcr(
            rows,
            rows.map((row) => row[0]),
          )
        ).predict(rows),
    ],
  ])('%s as a list', async (_, make) => {
    const numbers = (await make()) as Float64Array;
    expect(again(numbers)).toEqual(Array.from(numbers));
    expect(again({ numbers })).toEqual({ numbers: Array.from(numbers) });
    expect(Object.keys(numbers)).toEqual(Object.keys(numbers.slice()));
    expect(structuredClone(numbers)).toEqual(numbers.slice());
  });

  it('categories of a reconstruction', async () => {
    const table = { kind: ['a', 'b', 'a', 'b', 'c', 'c'], x: [1, 2, 3, 5, 4, 9] };
    const coded = await famd(table, { k: 2 });
    const columns = await coded.reconstruct(await coded.transform(table));
    expect(again(columns)).toEqual(columns.map((each) => ({ ...each, ...('values' in each ? { values: Array.from(each.values) } : { fitted: Array.from(each.fitted) }) }))); // biome-ignore format: one line
  });

  it('a model in its stored form, which has not changed', () => {
    const stored = again(model) as Record<string, unknown>;
    expect(stored.format).toBe('scree-model');
    expect(stored.components).toEqual(toRows(model.components));
    expect(loadModel(stored).toBinary()).toEqual(model.toBinary());
  });

  it('nothing that spreads, keys and structuredClone see', async () => {
    const result = await monitor(model, rows);
    expect(Object.keys(result)).not.toContain('toJSON');
    expect('toJSON' in structuredClone(result)).toBe(false);
    expect(structuredClone(result).t2).toEqual(result.t2);
  });
});
