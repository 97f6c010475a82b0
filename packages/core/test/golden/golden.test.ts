import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Moments, loadModel, pca } from '../../src/index.js';
import { TableSummary } from '@scree/analysis';

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
      // The model can be written and read again.
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
    expectClose(moments.covariance().data, covariance);
    const { variances } = await pca(moments, { k: moments.cols });
    const trace = covariance.filter((_: number, at: number) => at % (moments.cols + 1) === 0);
    const sum = (values: Iterable<number>): number => Array.from(values).reduce((total, value) => total + value, 0);
    expect(sum(variances) / sum(trace)).toBeCloseTo(1, 12);
    await moments.add([mean]);
    expect(moments.rows).toBe(facts.rows + 1);
  });

  it.each(namesOf('.summary'))('the summary %s loads, and has the same parts, numbers and model', async (name) => {
    const { head: header, mean, covariance, variances, stability, warnings } = JSON.parse(text(`${name}.summary.expected.json`));
    const summary = await TableSummary.fromBinary(bytes(`${name}.summary`));
    expect(TableSummary.headerOf(bytes(`${name}.summary`))).toMatchObject({ header, size: bytes(`${name}.summary`).length });
    expect(summary.header).toEqual(header);
    expectClose(summary.kept.columns.mean, mean);
    if (summary.kept instanceof Moments) expectClose(summary.kept.covariance().data, covariance);
    const model = await summary.model({ k: 2 });
    expectClose(model.variances, variances);
    expect(model.warnings.map(({ code }) => code)).toEqual(warnings);
    if (stability) expectClose(model.stability?.variances.flat() ?? [], stability);
    // It is written again with the same content, and merges.
    const again = await TableSummary.fromBinary(await summary.toBinary());
    expect(again.header).toEqual(header);
    expectClose(again.kept.columns.mean, mean);
    const twice = await TableSummary.merge([summary, summary], { allowDuplicates: true });
    expect(twice.rows).toBe(2 * summary.rows);
    expectClose(twice.kept.columns.mean, mean);
  });

  it.each(namesOf('.summary'))('the summary %s is refused where a byte is changed or missing', async (name) => {
    const whole = bytes(`${name}.summary`);
    const refused = (changed: Uint8Array): Promise<void> =>
      expect(TableSummary.fromBinary(changed)).rejects.toMatchObject({ name: 'ModelError' });
    for (let length = 0; length < whole.length; length += 7) await refused(whole.subarray(0, length));
    for (let at = 0; at < whole.length; at += 5) {
      const changed = Uint8Array.from(whole);
      changed[at] ^= 1 << (at % 8);
      await refused(changed);
    }
    const later = Uint8Array.from(whole);
    new DataView(later.buffer).setUint32(8, 99, true);
    await expect(TableSummary.fromBinary(later)).rejects.toThrow(/99/);
  });
});
