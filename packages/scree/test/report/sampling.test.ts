import type { AnalyzeOptions } from '@scree/analysis';
import type { Scale } from '@scree/core';
import { parseHTML } from 'linkedom';
import {
  type Choice,
  chooseComponents,
  type Data,
  Model,
  type PcaOptions,
  pca,
  type Report,
  type Stability,
} from 'scree';
import { describe, expect, it } from 'vitest';
import { analyzed } from '../../../analysis/test/support/analyzed.js';
import { iris, labelsOf, normal, sourceOf, wine } from './data.js';
import { report, tableOf, textOf } from './sound.js';

/** Normal rows whose columns have these standard deviations. */
function columns(n: number, deviations: readonly number[], seed: number): number[][] {
  const next = normal(seed);
  return Array.from({ length: n }, () => deviations.map((deviation) => deviation * next()));
}

/** Rows of two strong factors and noise. */
function factors(n: number, d: number, seed: number, strength: readonly number[] = [4, 2.4]): number[][] {
  const next = normal(seed);
  return Array.from({ length: n }, () => {
    const scores = strength.map((size) => size * next());
    return Array.from(
      { length: d },
      (_, j) => scores[0] * Math.cos(2 * j) + (scores[1] ?? 0) * Math.sin(2 * j) + next(),
    );
  });
}

/** A model that knows how many components to keep, and how stable they are. */
async function examined(
  data: Data,
  options: AnalyzeOptions & { readonly scale?: Scale | undefined } = {},
): Promise<Model> {
  const { k: _, bootstrap: __, inspectColumns: ___, criteria: ____, ...rest } = options;
  const choice = await chooseComponents(data, { ...rest, permutations: 99 });
  return new Model({ ...(await analyzed(data, { bootstrap: 100, ...options })), choice });
}

/** The beginning of a report. */
function leadOf({ html }: Report): string {
  const { document } = parseHTML(html);
  return [...document.querySelectorAll('.lead')]
    .map(({ textContent }) => textContent)
    .join(' ')
    .replace(/\u00a0/g, ' ');
}

/** The page gives the reason of a choice, and what it says of criteria is what they say. */
function expectTrue(made: Report, { k, criteria, reason }: Choice): void {
  expect(textOf(made)).toContain(reason);
  const [first] = reason.split(/\.(?= [A-Z]|$)/);
  const [agree, differ = ''] = first.replace(/^[^:;]*:? ?/, '').split('; ');
  const found = (words: string): [name: string, k: number | null][] =>
    criteria.flatMap(({ name, k: own }) => (new RegExp(TITLES[name]).test(words) ? [[name, own]] : []));
  const [same, other] = [found(agree), found(differ)];
  // If no test against noise applies, the sentence says so.
  if (/^(the lower median of|a default for) the criteria that apply here, none/.test(agree)) return;
  expect(same.length).toBeGreaterThan(0);
  for (const [name, own] of same) expect([name, own]).toEqual([name, k]);
  for (const [name, own] of other) {
    expect(own).not.toBe(k);
    expect(differ).toMatch(new RegExp(`${TITLES[name]}( says)? ${own}\\b`));
  }
  expect(other.length + Number(/and (\d+) more differ/.exec(differ)?.[1] ?? 0)).toBe(
    criteria.filter((each) => each.k !== null && each.k !== k).length,
  );
  const more = Number(/and (\d+) more agree/.exec(agree)?.[1] ?? 0);
  expect(same.length + more).toBe(criteria.filter((each) => each.k === k).length);
}

/** Names of criteria in sentences. */
const TITLES: Readonly<Record<string, string>> = {
  permutation: 'the permutation test',
  parallel: 'parallel analysis',
  'cross-validation': '(?<!generalised )cross-validation',
  elbow: 'the elbow',
  kaiser: "Kaiser's rule",
  map: "Velicer's MAP",
  'broken-stick': 'the broken stick',
  'tracy-widom': 'the Tracy–Widom test',
  'gavish-donoho': "Gavish and Donoho's threshold",
  'profile-likelihood': 'profile likelihood',
  gcv: 'generalised cross-validation',
  mle: "Minka's likelihood",
};

describe('the first paragraph of a report', () => {
  it('says of wine how many components to keep, that they are stable, and which rows are unusual', async () => {
    const { rows, names } = wine();
    const source = sourceOf(rows, names);
    const model = await examined(source, { scale: 'unit', k: 3 });
    const made = await report({ model, source });
    const lead = leadOf(made);
    expect(lead).toMatch(
      /^Keep 3 components, which keep 66\.5 % of the variance: the permutation test, parallel analysis, .* agree; /,
    );
    expectTrue(made, model.choice as Choice);
    expect(lead).toMatch(/PC1 \(±\d+°\)(,| and) PC2 \(±\d+°\).* are stable in other samples/);
    expect(lead).toMatch(/Rows 70, 96, 111 and 122 are unusual\.$/);
    expect(lead).not.toMatch(/more than the others|bootstrap/);
  });

  it('says of wine without scaling that proline dominates, and with which components rows are unusual', async () => {
    const { rows, names } = wine();
    const source = sourceOf(rows, names);
    const model = await examined(source, { k: 5 });
    expect(model.choice?.k).toBe(1);
    const made = await report({ model, source });
    const lead = leadOf(made);
    expect(lead).toMatch(/^Column "proline" has 99\.8 % of the variance, more than the others together/);
    expect(lead).toContain('Keep 1 component, which keeps 99.8 % of the variance: ');
    expect(lead).toMatch(/Row 96 is unusual\.$/);
    expect(textOf(made)).toContain('Rows are compared with the first component alone.');
    // Findings at the beginning of the page are not repeated.
    expect(textOf(made).match(/more than the others together/g)).toHaveLength(1);
    const all = await report({ model, source, kept: 5 });
    expect(leadOf(all)).toContain('The model has 5 components, which keep');
    expect(leadOf(all)).toMatch(/; 1 is recommended\. .*[rR]ows? .* unusual\.$/);
    expect(textOf(all)).not.toContain('Rows are compared with');
  });

  it('says of noise that nothing stands out, and calls nothing stable', async () => {
    const rows = columns(200, new Array(10).fill(1), 4);
    const made = await report({ model: await examined(rows), source: rows });
    const lead = leadOf(made);
    expect(lead).toMatch(/^Nothing stands out of noise: /);
    expect(lead).not.toMatch(/stable/);
    const text = textOf(made);
    expect(text).toMatch(/may change places in another sample|uncertain/);
    expect(text).toContain('No component is kept, so rows are compared with the mean alone');
    expect(text).not.toMatch(/\bKeep \d|(is|are) stable|dominates/);
    // Components that are noise get no meaning.
    expect(text).not.toMatch(/PC\d \(\d+ %\): (more|less)/);
    expect(text).toMatch(/Computed to \d+ digits/);
  });

  it('says of two factors what is true of them, and not of noise', async () => {
    const rows = factors(300, 8, 5);
    const lead = leadOf(await report({ model: await examined(rows, { k: 2 }), source: rows }));
    expect(lead).toMatch(/^Keep 2 components, which keep /);
    expect(lead).toMatch(/PC1 \(±\d+°\) and PC2 \(±\d+°\) are stable in other samples\./);
    expect(lead).not.toMatch(/Nothing stands out|swap|change places|uncertain/);
  });

  it('says that components may swap if their variances are the same, and not if they differ', async () => {
    // Every row also turned by a right angle in the first two columns, which have the same variance then.
    const same = columns(150, [3, 3, 1, 1, 1], 6).flatMap(([a, b, ...rest]) => [
      [a, b, ...rest],
      [-b, a, ...rest],
    ]);
    const swapping = textOf(await report({ model: await examined(same, { k: 2 }), source: same }));
    expect(swapping).toContain('PC1 and PC2 may swap in another sample.');
    const apart = columns(300, [6, 3, 1, 1, 1], 6);
    expect(textOf(await report({ model: await examined(apart, { k: 2 }), source: apart }))).not.toContain('may swap');
  });

  it('names the swap with a component that is not kept', async () => {
    const rows = columns(200, [2, 2, 6, 0.5, 0.5], 8).flatMap(([a, b, ...rest]) => [
      [a, b, ...rest],
      [-b, a, ...rest],
    ]);
    const model = await examined(rows, { k: 4 });
    const choice = { ...(model.choice as Choice), k: 2, agree: [] };
    const made = await report({ model: new Model({ ...model, choice }), source: rows });
    expect(leadOf(made)).toMatch(/PC1 \(±\d+°\) is stable in other samples; PC2 \(±\d+°\) is not\./);
    expect(textOf(made)).toMatch(/PC1 is stable \(±[\d.]+°\); PC2 and PC3 may swap in another sample\./);
  });

  it('speaks of many components together', async () => {
    const rows = columns(150, new Array(12).fill(1), 9).map((row) => row.map((value, j) => (j === 0 ? 9 : 1) * value));
    const model = await analyzed(rows, { k: 10, bootstrap: 50 });
    const lead = leadOf(await report({ model, source: rows, kept: 10 }));
    expect(lead).toMatch(/PC1 \(±\d+°\) is stable in other samples; components 2 to 10 are not\./);
    const none = await analyzed(columns(60, new Array(12).fill(1), 9), { k: 10, bootstrap: 50 });
    const text = leadOf(await report({ model: none, source: columns(60, new Array(12).fill(1), 9), kept: 10 }));
    expect(text).toContain('Components 1 to 10 are not stable in other samples.');
  });

  it('says nothing of other samples without a bootstrap', async () => {
    const rows = factors(100, 6, 10);
    const made = await report({ model: await pca(rows, { k: 2 }), source: rows });
    expect(leadOf(made)).toContain('No bootstrap was made, so nothing is known here about other samples.');
    const text = textOf(made);
    expect(text).toContain('The model was made without a bootstrap; analyze makes one.');
    expect(text).not.toMatch(/\bKeep \d|(is|are) stable|uncertain|may swap|may change places|95 % interval/);
    expect(made.figures.map(({ name }) => name)).not.toContain('stability');
    const describeReason = (part: string): string => (part === 'choice' ? 'No choice.' : 'Too large.');
    const why = textOf(await report({ model: await pca(rows, { k: 2 }), source: rows, describeReason }));
    expect(why).toContain('nothing is known about other samples. Too large.');
    expect(why).toContain('No choice.');
    expect(why).not.toContain('analyze makes one');
  });

  it('does not call a column dominant that is not, or that scaling made equal', async () => {
    const dominant = columns(80, [20, 1, 1, 1, 1, 1, 1], 11);
    const said = async (rows: number[][], options: PcaOptions = {}): Promise<boolean> =>
      /more than the others together/.test(
        leadOf(await report({ model: await analyzed(rows, { k: 2, bootstrap: 0, ...options }), source: rows })),
      );
    expect(await said(dominant)).toBe(true);
    expect(await said(dominant, { scale: 'unit' })).toBe(false);
    expect(await said(dominant, { center: false })).toBe(false);
    // Two thirds of the variance are not much for one of four columns.
    expect(await said(columns(80, [2.4, 1, 1, 1], 11))).toBe(false);
  });

  it('separates new rows from the fit', async () => {
    const rows = factors(200, 6, 12);
    const model = await examined(rows, { k: 2 });
    const far = factors(30, 6, 13).map((row) => row.map((value) => value + 100));
    const made = await report({ model, source: far, rows: 'new' });
    const { document } = parseHTML(made.html);
    const [about, fit] = [...document.querySelectorAll('.lead')].map(({ textContent }) => textContent);
    expect(about).toMatch(/^About these 30 rows: All 30 rows are unusual for this model\./);
    expect(about).not.toMatch(/Keep|sample/);
    expect(fit).toMatch(new RegExp(`^About the fit: Keep ${model.choice?.k} components?, .* PC1 .* stable`));
    expect(fit).not.toMatch(/unusual/);
    expect(textOf(made)).toContain('How sure the fit is');
  });

  it.each<[string, number[][], PcaOptions]>([
    ['one component', factors(60, 5, 14), { k: 1 }],
    ['weights', factors(60, 5, 15), { k: 2, weights: Array.from({ length: 60 }, (_, i) => 1 + (i % 3)) }],
    ['fewer rows than columns', factors(12, 30, 16), { k: 4 }],
    ['data that are not centred', factors(60, 5, 17), { k: 2, center: false }],
    ['rank below k', factors(60, 2, 18).map(([a, b]) => [a, b, a + b, a - b]), { k: 4 }],
    ['a constant column', factors(60, 5, 19).map((row) => [...row, 7]), { k: 3, scale: 'unit' }],
    ['three rows', factors(3, 4, 20), { k: 2 }],
  ])('can be read of %s', async (_, rows, options) => {
    const model = await examined(rows, options);
    const made = await report({ model, source: rows, rows: 'fit' });
    const { choice, stability, k } = model as Model & { stability: Stability };
    const lead = leadOf(made);
    if (choice?.criteria.some((each) => each.k !== null)) {
      const kept = Math.min(k, choice.k);
      const keeps = kept < choice.k ? `The model has ${kept} component` : `Keep ${kept} component`;
      expect(lead).toMatch(choice.k === 0 ? /Nothing stands out/ : new RegExp(keeps));
      expectTrue(made, choice);
    }
    const drawn = made.figures.map(({ name }) => name);
    expect(drawn).toContain('stability');
    expect(drawn).toContain('loading-intervals');
    expect(tableOf(made, 'stability')).toHaveLength(k);
    for (const [, names] of lead.matchAll(/((?:PC\d+ \(±\d+°\)(?:, | and )?)+) (?:is|are) stable/g)) {
      for (const [, component] of names.matchAll(/PC(\d+)/g))
        expect(stability.angles[Number(component) - 1].q95).toBeLessThanOrEqual(Math.PI / 6);
    }
  });

  it('says of rows that are all the same only that', async () => {
    const rows = Array.from({ length: 9 }, () => [1, 2, 3]);
    const made = await report({ model: await examined(rows, { k: 2, bootstrap: 0 }), source: rows });
    expect(leadOf(made)).toMatch(/^All rows are the same: there is no variance/);
    expect(leadOf(made)).not.toMatch(/Keep|default|bootstrap|stable/);
  });

  it('says nothing of the stability of the only direction that there is', async () => {
    const rows = columns(50, [2], 21);
    const made = await report({ model: await analyzed(rows, { bootstrap: 20 }), source: rows });
    expect(leadOf(made)).not.toMatch(/stable|sample/);
  });
});

describe('the figures', () => {
  const { rows, names } = wine();
  const source = sourceOf(rows, names);
  const fitted = examined(source, { scale: 'unit', k: 3 });
  const made = fitted.then((model) => report({ model, source }));

  it('of the scree plot mark what every criterion keeps, and have the quantiles of parallel analysis', async () => {
    const { choice, spectrum } = (await fitted) as Model & { choice: Choice; spectrum: Float64Array };
    const page = await made;
    const svg = page.figures.find(({ name }) => name === 'scree')?.svg ?? '';
    const titles = [...svg.matchAll(/<title>([^<]*): (\d+)<\/title>/g)].map(([, title, k]) => [title, Number(k)]);
    const answered = choice.criteria.filter(({ k }) => k !== null);
    expect(titles).toHaveLength(answered.length + 1);
    expect(titles).toContainEqual(['recommended', choice.k]);
    expect(titles).toContainEqual(['parallel analysis', choice.criteria.find(({ name }) => name === 'parallel')?.k]);
    expect(titles.map(([, k]) => k).sort()).toEqual([choice.k, ...answered.map(({ k }) => k)].sort());
    const table = tableOf(page, 'scree');
    expect(table).toHaveLength(13);
    const thresholds = choice.criteria.find(({ name }) => name === 'parallel')?.thresholds ?? [];
    table.forEach(([component, variance, share, , interval, quantile], i) => {
      expect(Number(component)).toBe(i + 1);
      expect(Number(variance)).toBeCloseTo(spectrum[i], 4);
      expect(Number.parseFloat(share)).toBeCloseTo((100 * spectrum[i]) / 13, 1);
      expect(interval === '').toBe(i >= 3);
      expect(Number.parseFloat(quantile)).toBeCloseTo((100 * thresholds[i]) / 13, 1);
    });
    expect(textOf(page)).toContain('What each criterion says');
    for (const { sentence } of choice.criteria) expect(textOf(page)).toContain(sentence.replace(/\u00a0/g, ' '));
  });

  it('of stability have its angles and how often neighbours swap', async () => {
    const { angles, subspaceAngles, swaps } = (await fitted).stability as Stability;
    const table = tableOf(await made, 'stability');
    table.forEach((cells, i) => {
      const wanted = [angles[i].median, angles[i].q95, subspaceAngles[i].median, subspaceAngles[i].q95];
      expect(cells.slice(1, 5).map(Number.parseFloat)).toEqual(
        wanted.map((angle) => Number(((angle * 180) / Math.PI).toPrecision(3))),
      );
      expect(cells[5] === '').toBe(i === 2);
      if (i < 2) expect(Number.parseFloat(cells[5])).toBeCloseTo(100 * swaps[i], 1);
    });
  });

  it('of loadings have intervals around them, and say if 0 is inside', async () => {
    const model = await fitted;
    const { correlations } = model.stability as Stability;
    const page = await made;
    const table = tableOf(page, 'loading-intervals');
    expect(table).toHaveLength(30);
    for (const [component, column, value, interval] of table) {
      const at = 13 * (Number(component.slice(2)) - 1) + names.indexOf(column);
      const [low, high] = interval.split(' to ').map((text) => Number(text.replace('−', '-')));
      expect(Number(value.replace('−', '-'))).toBeCloseTo(model.loadings.data[at], 2);
      expect(low).toBeCloseTo(correlations.low[at], 2);
      expect(high).toBeCloseTo(correlations.high[at], 2);
    }
    const svg = page.figures.find(({ name }) => name === 'loading-intervals')?.svg ?? '';
    const hollow = svg.match(/<circle[^>]*fill="#ffffff"/g)?.length ?? 0;
    const inside = table.filter(([component, column]) => {
      const at = 13 * (Number(component.slice(2)) - 1) + names.indexOf(column);
      return correlations.low[at] <= 0 && correlations.high[at] >= 0;
    });
    expect(inside.length).toBeGreaterThan(0);
    expect(hollow).toBe(inside.length);
  });

  it('of rounding speak of this sample, in a fold-out', async () => {
    const { document } = parseHTML((await made).html);
    const figure = document.querySelector('#figure-uniqueness');
    expect(figure?.closest('details')?.querySelector('summary')?.textContent).toContain('certificate');
    expect(figure?.textContent).toContain('other samples are another question');
    expect(figure?.textContent).toContain('unique in this sample');
  });
});

describe('names of rows', () => {
  const { rows, source, labels } = iris();
  rows.length = 60;
  rows[16] = [9, 1, 1, 9];
  const few = sourceOf(rows, source.columnNames);
  const fitted = pca(few, { k: 2 });
  const kinds = { names: labels.names, codes: labels.codes.subarray(0, 60), numbers: undefined };

  it('stand beside the numbers of rows in sentences, tables and figures', async () => {
    const named = labelsOf(rows.map((_, i) => `flower <${i}>`));
    const made = await report({ model: await fitted, source: few, names: named, labels: kinds, labelName: 'kind' });
    expect(leadOf(made)).toContain('Row 17 (flower <16>) is unusual.');
    expect(made.html).toContain('<title>row 17: flower &lt;16&gt;, setosa</title>');
    expect(tableOf(made, 'scores-1-2')[16].slice(0, 3)).toEqual(['17', 'flower <16>', 'setosa']);
    expect(tableOf(made, 't2-q')[0].slice(0, 3)).toEqual(['17', 'flower <16>', 'setosa']);
    for (const name of ['scores-1-2', 't2-q']) {
      const svg = made.figures.find((figure) => figure.name === name)?.svg ?? '';
      expect(svg).toMatch(/<text[^>]*>flower &lt;16&gt;<\/text>/);
      expect(svg).not.toMatch(/<text[^>]*>flower &lt;15&gt;<\/text>/);
    }
  });

  it('that are the labels are listed once', async () => {
    const named = labelsOf(rows.map((_, i) => `flower ${i}`));
    const made = await report({ model: await fitted, source: few, names: named, labels: named, labelName: 'flower' });
    expect(tableOf(made, 't2-q')[0]).toHaveLength(5);
    expect(made.html).toContain('<title>row 17: flower 16</title>');
  });

  it('that do not tell rows apart are labels only, and rows have their numbers', async () => {
    const made = await report({ model: await fitted, source: few, names: kinds, labels: kinds, labelName: 'kind' });
    expect(leadOf(made)).toContain('Row 17 is unusual.');
    expect(made.figures.find(({ name }) => name === 'scores-1-2')?.svg).toMatch(/<text[^>]*>17<\/text>/);
  });

  it('are rejected if there are more or fewer than rows', async () => {
    await expect(report({ model: await fitted, source: few, names: labelsOf(['a', 'b']) })).rejects.toMatchObject({
      code: 'BAD_DATA',
    });
  });
});
