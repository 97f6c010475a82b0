/**
 * Writes the golden files of this version of @scree/core: `npm run build && node packages/core/test/golden/write.js`.
 * Run it once per release that changes a format. It never writes to a folder that exists: golden files are not replaced.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Moments, pca, stream, summarize, TableSummary } from '@scree/core';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const folder = new URL(`${version}/`, import.meta.url);
// Files of summaries are of a version that is not released yet: `node write.js summaries` adds them to its folder.
const only = process.argv[2];
if (only === undefined) mkdirSync(folder); // Fails where the folder exists.
const write = (name, content) => {
  if (only === undefined || name.includes('.summary')) writeFileSync(new URL(name, folder), content, { flag: 'wx' });
};
const json = (value) => `${JSON.stringify(value)}\n`;

/** Numbers from -1 to 1, the same on every machine: whole numbers only until the division. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

/** n correlated rows of d numbers, rounded so that they are short as JSON. */
function table(n, d, seed) {
  const next = generator(seed);
  return Array.from({ length: n }, () => {
    const factors = [4 * next(), 2 * next(), next()];
    return Array.from({ length: d }, (_, j) =>
      Number((10 * j + factors[j % 3] + 0.5 * factors[(j + 1) % 3] + 0.2 * next()).toFixed(3)),
    );
  });
}

const rows = table(40, 6, 1);
const names = ['height (cm)', 'Größe', '年齢', 'a "quoted" name', 'tab\there', '🙂'];
const records = rows.map((row) => Object.fromEntries(row.map((value, j) => [names[j], value])));
const weights = rows.map((_, i) => i % 4);
const float32 = { rows: 40, cols: 6, data: Float32Array.from(rows.flat()) };
const constant = rows.map((row) => row.map((value, j) => (j === 2 ? 7 : j > 3 ? row[0] : value)));
const sparse = {
  rows: 40,
  cols: 6,
  indptr: Uint32Array.from({ length: 41 }, (_, i) => 2 * i),
  indices: Uint32Array.from({ length: 80 }, (_, at) => (at % 2) * 3 + (at % 3)),
  data: Float64Array.from({ length: 80 }, (_, at) => rows[at >> 1][at % 2] - 5),
};

const streamed = stream({ k: 2 });
for (let i = 0; i < 40; i += 10) await streamed.add(rows.slice(i, i + 10));

const models = {
  plain: await pca(rows, { k: 3 }),
  uncentred: await pca(rows, { k: 3, center: false }),
  'scaled-named': await pca(records, { k: 3, scale: 'unit' }),
  'scaled-by-numbers': await pca(rows, { k: 2, scale: [1, 2, 4, 8, 16, 32], ddof: 0 }),
  'whitened-pca': await pca(rows, { k: 3, whiten: 'pca', scale: 'pareto' }),
  'whitened-zca': await pca(records, { k: 3, whiten: 'zca' }),
  weighted: await pca(rows, { k: 3, weights }),
  float32: await pca(float32, { k: 3 }),
  sparse: await pca(sparse, { k: 2 }),
  'all-components': await pca(rows, { k: 'all', scale: 'range' }),
  warnings: await pca(constant, { k: 6, scale: 'unit', whiten: 'pca' }),
  krylov: await pca(rows, { k: 2, solver: 'krylov' }),
  refined: await pca(rows, { k: 2, solver: 'refined' }),
  svd: await pca(rows, { k: 2, solver: 'svd' }),
  dual: await pca(table(4, 9, 2), { k: 2, solver: 'dual' }),
  'learned-points': await pca(rows, { k: 2, solver: 'points', tolerance: 0.05 }),
  'learned-autoencoder': await pca(rows, { k: 2, solver: 'autoencoder', tolerance: 0.05 }),
  // A step that is far too long: the loss is not finite, and JSON writes it as null.
  diverged: await pca(rows, { k: 2, solver: 'autoencoder', learn: { step: 1e200, descent: 'plain' } }).catch(
    (error) => error.best,
  ),
  'learned-hebbian': await pca(rows, { k: 1, solver: 'hebbian', tolerance: 1e-2, learn: { rule: 'oja' } }),
  'streaming-solver': await pca(rows, { k: 2, solver: 'streaming' }),
  stream: await streamed.model(),
};

const shown = (values) => Array.from(values);
for (const [name, model] of Object.entries(models)) {
  write(`${name}.json`, json(model));
  write(`${name}.pca`, model.toBinary());
  const few = (model.d === 6 ? (name === 'warnings' ? constant : rows) : table(4, model.d, 2)).slice(0, 3);
  const scores = await model.transform(few);
  write(
    `${name}.expected.json`,
    json({
      rows: few,
      scores: shown(scores.data),
      reconstructed: shown((await model.inverseTransform(scores)).data),
      n: model.n,
      variances: shown(model.variances),
      warnings: model.warnings.map(({ code }) => code),
      ...(model.trace ? { epochs: model.trace.length } : {}),
    }),
  );
}

const moments = {
  dense: await new Moments(6).add(rows),
  'dense-named': await new Moments(6, names).add(rows),
  weighted: await new Moments(6).add(rows, { weights }),
  float32: await new Moments(6).add(float32),
  sparse: await new Moments(6).add(sparse),
  merged: (await new Moments(6).add(rows.slice(0, 25))).merge(await new Moments(6).add(rows.slice(25))),
};
for (const [name, sums] of Object.entries(moments)) {
  write(`${name}.moments`, sums.toBinary());
  const { rows, read, weight, mean, dtype, merges, sparse: isSparse } = sums;
  write(
    `${name}.moments.expected.json`,
    json({
      rows,
      read,
      weight,
      dtype,
      merges,
      sparse: isSparse,
      ...(sums.columnNames ? { columnNames: sums.columnNames } : {}),
      mean: shown(mean),
      covariance: shown(sums.covariance()),
    }),
  );
}

const part = (from, to, options) => summarize(rows.slice(from, to), { engine: 'wasm', name: `rows ${from} to ${to}`, ...options });
const summaries = {
  plain: await part(0, 40),
  'named-weighted': await part(0, 40, { columnNames: names, weights, reading: { missing: 'drop' } }),
  merged: await TableSummary.merge([await part(0, 25), await part(25, 40)], { engine: 'wasm' }),
  bootstrap: await part(0, 40, { bootstrap: 20, seed: 3 }),
  sketch: await part(0, 40, { keep: 'sketch', k: 2, size: 5 }),
};
for (const [name, summary] of Object.entries(summaries)) {
  write(`${name}.summary`, await summary.toBinary());
  const { kept, header: head } = summary;
  const model = await summary.model({ k: 2 });
  write(
    `${name}.summary.expected.json`,
    json({
      head,
      mean: shown(kept.columns.mean),
      ...(kept instanceof Moments ? { covariance: shown(kept.covariance()) } : {}),
      variances: shown(model.variances),
      warnings: model.warnings.map(({ code }) => code),
      ...(model.stability ? { stability: model.stability.variances.flat() } : {}),
    }),
  );
}
