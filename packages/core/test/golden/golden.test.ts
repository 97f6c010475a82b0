import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadModel, Moments, pca } from '../../src/index.js';

const versions = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it('there are golden files of version 0.1.0', () => {
  expect(versions).toContain('0.1.0');
});

/** Later versions may add up in another order: the last digits are theirs. */
function expectClose(values: ArrayLike<number>, expected: readonly number[]): void {
  expect(values).toHaveLength(expected.length);
  const size = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (let i = 0; i < expected.length; i++) expect(Math.abs(values[i] - expected[i])).toBeLessThanOrEqual(1e-12 * size);
}

describe.each(versions)('files that version %s wrote', (version) => {
  const bytes = (name: string): Uint8Array =>
    new Uint8Array(readFileSync(new URL(`${version}/${name}`, import.meta.url)));
  const text = (name: string): string => readFileSync(new URL(`${version}/${name}`, import.meta.url), 'utf8');
  const names = readdirSync(new URL(version, import.meta.url));
  const namesOf = (end: string): string[] =>
    names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));

  it.each(namesOf('.pca'))('the model %s loads from JSON and from bytes, and gives the stored scores', async (name) => {
    const expected = JSON.parse(text(`${name}.expected.json`));
    const models = [
      loadModel(text(`${name}.json`)),
      loadModel(JSON.parse(text(`${name}.json`))),
      loadModel(bytes(`${name}.pca`)),
    ];
    for (const model of models) {
      const scores = await model.transform(expected.rows);
      expectClose(scores.data, expected.scores);
      expectClose((await model.inverseTransform(scores)).data, expected.reconstructed);
      expect(Array.from(model.variances)).toEqual(expected.variances);
      expect(model.n).toBe(expected.n);
      expect(model.warnings.map(({ code }) => code)).toEqual(expected.warnings);
      expect(model.trace?.length).toBe(expected.epochs);
      expect(model.certificate.residuals).toHaveLength(model.k);
      // What is written again can be read again.
      expectClose((await loadModel(model.toBinary()).transform(expected.rows)).data, expected.scores);
    }
    expect(models[0]).toEqual(models[1]);
    expect(models[0]).toEqual(models[2]);
  });

  it.each(namesOf('.moments'))('the moments %s load, take more rows, and can be fitted', async (name) => {
    const { mean, covariance, ...facts } = JSON.parse(text(`${name}.moments.expected.json`));
    const moments = Moments.fromBinary(bytes(`${name}.moments`));
    expect(moments).toMatchObject(facts);
    expectClose(moments.mean, mean);
    expectClose(moments.covariance(), covariance);
    const { variances } = await pca(moments, { k: moments.cols });
    const trace = covariance.filter((_: number, at: number) => at % (moments.cols + 1) === 0);
    const sum = (values: Iterable<number>): number => Array.from(values).reduce((total, value) => total + value, 0);
    expect(sum(variances) / sum(trace)).toBeCloseTo(1, 12);
    await moments.add([mean]);
    expect(moments.rows).toBe(facts.rows + 1);
  });
});
