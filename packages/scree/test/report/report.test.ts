import { formatNumber } from '@scree/analysis/describe';
import { parseHTML } from 'linkedom';
import { Model, makeReport, pca, type Report } from 'scree';
import { beforeAll, describe, expect, it } from 'vitest';
import { digits, iris, irisColumns, labelsOf, noise, sourceOf } from './data.js';
import { report, tableOf, textOf } from './sound.js';
import { problemsOf } from './well-formed.js';

describe('a report of iris', () => {
  const { source, rows, labels } = iris();
  let model: Model;
  let made: Report;
  beforeAll(async () => {
    model = await pca(source, { k: 2 });
    made = await report({
      model,
      source,
      labels,
      labelName: 'species',
      description: 'iris.csv: csv, 150 rows × 4 columns',
      command: 'scree report iris.csv --label species -k 2 -o report.html',
      seconds: 1.25,
      threads: 2,
    });
  });

  it('has every figure and is small', () => {
    expect(made.figures.map(({ name }) => name)).toEqual([
      'scree',
      'cumulative-variance',
      'uniqueness',
      'scores-1-2',
      'correlations-1-2',
      'loadings',
      'contributions',
      'cos2',
      'biplot',
      'reconstruction-error',
      't2-q',
    ]);
    expect(made.html.length).toBeLessThan(300_000);
  });

  it('has the numbers of the model', () => {
    // All variances, not only those of the model.
    expect(model.spectrum).toHaveLength(4);
    expect(tableOf(made, 'scree').map(([, variance]) => variance)).toEqual(
      Array.from(model.spectrum as Float64Array, (variance) => formatNumber(variance, 6)),
    );
    expect(tableOf(made, 'loadings')).toEqual(
      irisColumns.map((name, j) => [name, ...[0, 1].map((c) => formatNumber(model.components.data[4 * c + j]))]),
    );
    expect(tableOf(made, 'cumulative-variance').slice(0, 3)).toEqual([
      ['80 %', '1'],
      ['90 %', '1'],
      ['95 %', '2'],
    ]);
    expect(tableOf(made, 'uniqueness').map(([, unique]) => unique)).toEqual(['yes', 'yes']);
  });

  it('has the scores and the errors of the rows', async () => {
    const scores = await model.transform(rows);
    expect(tableOf(made, 'scores-1-2')).toEqual(
      rows.map((_, i) => [
        String(i + 1),
        labels.names[labels.codes[i]],
        formatNumber(scores.data[2 * i]),
        formatNumber(scores.data[2 * i + 1]),
      ]),
    );
    const errors = await model.reconstructionError(rows);
    const worst = [...errors.keys()].sort((a, b) => errors[b] - errors[a]).slice(0, 20);
    const { document } = parseHTML(made.html);
    const table = [...document.querySelectorAll('section[aria-labelledby=loss] > div.scroll tbody tr')];
    expect(table.map((row) => row.querySelectorAll('td')[0].textContent)).toEqual(worst.map((i) => String(i + 1)));
    expect(table.map((row) => row.querySelectorAll('td')[2].textContent)).toEqual(
      worst.map((i) => formatNumber(errors[i], 6)),
    );
    const counted = tableOf(made, 'reconstruction-error').reduce((sum, [, , count]) => sum + Number(count), 0);
    expect(counted).toBe(150);
  });

  it('says how much variance is kept, how certain the result is, and how it was computed', () => {
    const text = textOf(made);
    expect(text).toContain('2 components keep 97.8 % of the variance of 4 columns.');
    expect(text).toContain('It takes 1 component for 90 % and 2 for 95 %.');
    expect(text).toContain('The sample’s components are unique apart from their signs');
    expect(text).toMatch(/Variances: each is within a part of [\d.]+ × 10⁻\S+ of the exact one/);
    expect(text).toMatch(/no component is farther than [\d.]+ × 10⁻\S+° from the exact one/);
    expect(text).toContain(model.plan.reason);
    expect(text).toContain('1.25 s for the fit');
    expect(text).toContain('scree report iris.csv --label species -k 2 -o report.html');
    expect(text).toContain('No bootstrap was made, so nothing is known here about other samples.');
    expect(text).not.toMatch(/warning/);
  });

  it('names the row and label of each point in a tooltip', () => {
    expect(made.html).toContain('<title>row 1: setosa</title>');
  });
});

describe('a report of pictures', () => {
  it('shows components and reconstructions of 2,000 digits, in less than a megabyte', async () => {
    const { matrix, labels } = await digits(2000);
    const model = await pca(matrix, { k: 20 });
    const made = await report({ model, source: matrix, labels, labelName: 'digit', image: { width: 28, height: 28 } });
    expect(made.html.length).toBeLessThan(1_000_000);
    expect(made.figures.map(({ name }) => name)).toEqual([
      'scree',
      'cumulative-variance',
      'uniqueness',
      'scores-1-2',
      'scores-3-4',
      'component-pictures',
      'reconstruction-pictures',
      'reconstruction-error',
      't2-q',
    ]);
    expect(made.figures[5].svg.match(/<image /g)).toHaveLength(21);
    // One of each digit and the three worst, each as original, three reconstructions and the error.
    expect(made.figures[6].svg.match(/<image /g)).toHaveLength(5 * tableOf(made, 'reconstruction-pictures').length);
    expect(tableOf(made, 'reconstruction-pictures').length).toBeGreaterThanOrEqual(10);
    const errors = await model.reconstructionError(matrix);
    for (const [row, , error] of tableOf(made, 'reconstruction-pictures')) {
      expect(Number(error.replaceAll(',', '')) / errors[Number(row) - 1]).toBeCloseTo(1, 4);
    }
    expect(textOf(made)).toContain('It takes 44 components for 80 %, 84 for 90 % and 141 for 95 %.');
  });

  it('rejects an image size that does not match the rows', async () => {
    const { source } = iris();
    const model = await pca(source, { k: 2 });
    await expect(makeReport({ model, source, title: 'x', image: { width: 3, height: 3 } })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      details: { option: 'image' },
    });
  });

  it('reduces large pictures', async () => {
    const random = noise(3);
    const rows = Array.from({ length: 12 }, () => Array.from({ length: 200 * 150 }, random));
    const model = await pca(rows, { k: 3 });
    const made = await report({ model, source: rows, image: { width: 200, height: 150 } });
    expect(made.html.length).toBeLessThan(1_000_000);
  });
});

describe('names from outside', () => {
  const evil = [
    '<img src=x onerror=alert(1)>',
    '</script><script>alert(2)</script>',
    '"\'><svg onload=alert(3)>',
    '=cmd|" /C calc"!A0 & var(--c0) &amp; \u202Egnp.exe\u0000\ud800 http://evil.example/',
  ];

  it('are shown as text everywhere, even if they look like HTML', async () => {
    const { rows } = iris();
    const source = sourceOf(rows, evil);
    const model = await pca(source, { k: 3 });
    const input = {
      model,
      source,
      title: evil[0],
      description: evil[1],
      labels: labelsOf(rows.map((_, i) => evil[i % 4])),
      labelName: evil[2],
      command: evil[3],
    };
    const made = await makeReport(input);
    const everything = [made.html, ...made.figures.map(({ svg }) => svg)];
    for (const [i, markup] of everything.entries()) {
      expect(problemsOf(markup, i === 0 ? 'html' : 'xml')).toEqual([]);
      const { document } = parseHTML(i === 0 ? markup : `<html><body>${markup}</body></html>`);
      expect(document.querySelectorAll('img, script, [onerror], [onload]')).toHaveLength(0);
    }
    const text = textOf(made);
    expect(text).toContain('<img src=x onerror=alert(1)>');
    expect(text).toContain('</script><script>alert(2)</script>');
    expect(text).toContain('=cmd|" /C calc"!A0 & var(--c0) &amp; gnp.exe\ufffd\ufffd http://evil.example/');
    expect(made.html).toContain('<title>row 1: &lt;img src=x onerror=alert(1)&gt;</title>');
    expect(made.figures.find(({ name }) => name === 'scores-1-2')?.svg).toContain('var(--c0)');
  });

  it('may be empty, equal or very long', async () => {
    const { rows } = iris();
    const source = sourceOf(rows, ['', 'same', 'same', 'x'.repeat(100_000)]);
    const model = await pca(source, { k: 2 });
    const made = await report({ model, source, labels: labelsOf(rows.map((_, i) => (i % 2 ? '' : 'y'.repeat(500)))) });
    expect(made.html.length).toBeLessThan(300_000);
  });
});

describe('labels', () => {
  const { source, rows } = iris();
  const fitted = pca(source, { k: 2 });

  it('beyond ten share one grey group', async () => {
    const labels = labelsOf(rows.map((_, i) => `kind ${i < 120 ? i % 10 : i}`));
    const made = await report({ model: await fitted, source, labels });
    expect(made.html).toContain('other (30 labels)');
    expect(made.html).toContain('var(--other)');
  });

  it('that are many different numbers become a colour scale', async () => {
    const made = await report({
      model: await fitted,
      source,
      labels: labelsOf(rows.map((_, i) => i / 4)),
      labelName: 'age',
    });
    expect(made.html).toContain('coloured by age from 0 to 37.25');
    expect(made.html).toContain('var(--r23)');
  });

  it('may be missing', async () => {
    const { names, codes } = labelsOf(rows.map((_, i) => `kind ${i % 3}`));
    const labels = {
      names,
      codes: codes.map((code, i) => (i % 5 === 0 ? -1 : i % 7 === 0 ? -2 : code)),
      numbers: undefined,
    };
    const made = await report({ model: await fitted, source, labels });
    expect(made.html).toContain('no label');
  });

  it('are rejected if their number differs from the rows', async () => {
    await expect(
      makeReport({ model: await fitted, source, title: 'x', labels: labelsOf(['a', 'b']) }),
    ).rejects.toMatchObject({ code: 'BAD_DATA', details: { value: 2, expected: 150 } });
  });
});

describe('a report is made for', () => {
  it('one component', async () => {
    const { source, labels } = iris();
    const made = await report({ model: await pca(source, { k: 1 }), source, labels });
    expect(made.figures.map(({ name }) => name)).toContain('scores-1');
    expect(made.figures.map(({ name }) => name)).not.toContain('biplot');
  });

  it('one column', async () => {
    const rows = iris().rows.map((row) => [row[0]]);
    const made = await report({ model: await pca(rows), source: rows });
    // A single column always has all of its variance, so this is not a finding.
    expect(textOf(made)).not.toMatch(/keeps 100 %|more column 1|for 95 %\./);
  });

  it('as many components as columns', async () => {
    const { source } = iris();
    const made = await report({ model: await pca(source, { k: 4 }), source });
    expect(textOf(made)).toContain('Nothing is lost');
    expect(made.figures.map(({ name }) => name)).not.toContain('reconstruction-error');
  });

  it('fewer dimensions than columns', async () => {
    const rows = iris().rows.map(([a, b]) => [a, b, a + b, a - b]);
    const model = await pca(rows, { k: 4 });
    const text = textOf(await report({ model, source: rows }));
    expect(text).toContain('Only 2 of the 4 components have variance that can be told from zero');
    for (const { message } of model.warnings) expect(text).toContain(message);
    expect(text).toMatch(/Not unique: components 3 and 4/);
  });

  it('rows that are all the same', async () => {
    const rows = Array.from({ length: 9 }, () => [1, 2, 3]);
    const model = await pca(rows, { k: 2 });
    const text = textOf(await report({ model, source: rows }));
    expect(text).toContain('All rows are the same: there is no variance');
    for (const { message } of model.warnings) expect(text).toContain(message);
  });

  it('300 columns, scaled and whitened', async () => {
    const random = noise(1);
    const rows = Array.from({ length: 200 }, () => {
      const [a, b] = [random(), random()];
      return Array.from({ length: 300 }, (_, j) => a * Math.sin(j) + b * Math.cos(j / 7) + random() / 5);
    });
    const model = await pca(rows, { k: 15, scale: 'unit', whiten: 'zca' });
    const made = await report({ model, source: rows });
    expect(tableOf(made, 'loadings')).toHaveLength(40);
    expect(tableOf(made, 'loadings')[0]).toHaveLength(13);
    const text = textOf(made);
    expect(text).toContain('The 40 of 300 columns with the largest weights and the first 12 of 15 components.');
    expect(text).toContain('turned back to the columns (zca)');
    expect(text).toContain('columns were divided by their standard deviations');
    // Scores are shown before whitening.
    const scores = await new Model({ ...model, whiten: false }).transform(rows);
    expect(tableOf(made, 'scores-1-2')[7].slice(1)).toEqual([
      formatNumber(scores.data[7 * 15]),
      formatNumber(scores.data[7 * 15 + 1]),
    ]);
  });

  it('wide data of few rows, and numbers of any size', async () => {
    const random = noise(2);
    for (const size of [1e-120, 1e-6, 1e6, 1e120]) {
      const rows = Array.from({ length: 6 }, () => Array.from({ length: 50 }, () => size * random()));
      await report({ model: await pca(rows, { k: 3 }), source: rows });
    }
  });

  it('two rows', async () => {
    const rows = [
      [1, 2, 3],
      [2, 2, 1],
    ];
    await report({ model: await pca(rows), source: rows });
  });

  it('sparse rows', async () => {
    const rows = 400;
    const cols = 30;
    const indptr = Int32Array.from({ length: rows + 1 }, (_, i) => 2 * i);
    const indices = Int32Array.from({ length: 2 * rows }, (_, at) =>
      at % 2 === 0 ? (at * 7) % 15 : 15 + ((at * 3) % 15),
    );
    const data = Float64Array.from({ length: 2 * rows }, (_, at) => 1 + (at % 5));
    const source = { rows, cols, indptr, indices, data };
    await report({ model: await pca(source, { k: 3 }), source });
  });
});

describe('making a report', () => {
  it('reports progress and can be aborted', async () => {
    const { source } = iris();
    const model = await pca(source, { k: 2 });
    const seen: number[] = [];
    await makeReport({ model, source, title: 'x', onProgress: ({ done }) => seen.push(done) });
    expect(seen.at(-1)).toBe(150);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(makeReport({ model, source, title: 'x', signal: stop.signal })).rejects.toThrow('enough');
  });

  it('rejects rows of another width, and names the row that is not finite', async () => {
    const { rows, source } = iris();
    const model = await pca(source, { k: 2 });
    await expect(makeReport({ model, source: [[1, 2]], title: 'x' })).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    const broken = sourceOf(rows.map((row, i) => (i === 100 ? [1, 2, Number.NaN, 4] : row)));
    await expect(makeReport({ model, source: broken, title: 'x' })).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 100, column: 2 },
    });
  });
});
