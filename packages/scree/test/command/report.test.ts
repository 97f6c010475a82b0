import { readdirSync, readFileSync } from 'node:fs';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { useBinary } from './binary.js';

/** `scree report` through the real binary: what it says first, and what it computes by default. */

const { run: scree, write, path } = useBinary('report');

const table = (name: string): string =>
  write(`${name}.csv`, readFileSync(new URL(`../../../files/test/tables/${name}.csv`, import.meta.url)));

interface Page {
  readonly lead: string;
  readonly text: string;
  readonly html: string;
}

function report(...args: string[]): Page {
  const { code, err } = scree(['report', ...args, '-o', 'page.html', '-q']);
  expect(code, err).toBe(0);
  const html = readFileSync(path('page.html'), 'utf8');
  const { document } = parseHTML(html);
  const plain = (text: string): string => text.replace(/\u00a0/g, ' ');
  const lead = [...document.querySelectorAll('.lead')].map(({ textContent }) => textContent).join(' ');
  return { lead: plain(lead), text: plain(document.body.textContent), html };
}

describe('scree report', () => {
  it('says how many components to keep and how stable they are, without being asked', () => {
    const arrests = table('USArrests');
    const { lead, html } = report(arrests, '--scale', 'unit', '--figures', path('svg'));
    expect(lead).toMatch(
      /^Keep 1 component, which keeps 62\.0 % of the variance: the permutation test, parallel analysis/,
    );
    expect(lead).toMatch(/PC1 \(±\d+°\) is stable/);
    expect(html).toContain('Of 200 bootstrap samples');
    const figures = readdirSync(path('svg'));
    for (const name of ['scree', 'stability', 'loading-intervals']) expect(figures).toContain(`${name}.svg`);
  });

  it('takes as many replicates as --bootstrap says, and none for 0', () => {
    const arrests = table('USArrests');
    expect(report(arrests, '--bootstrap', '50').text).toContain('Of 50 bootstrap samples');
    const none = report(arrests, '--bootstrap', '0');
    expect(none.lead).toContain('No bootstrap was made, so nothing is known here about other samples.');
    expect(none.text).toContain('--bootstrap 0 was given.');
    expect(none.text).not.toMatch(/(is|are) stable|may swap/);
  });

  it('lets criteria choose with --components auto', () => {
    const { lead, text } = report(table('USArrests'), '--scale', 'unit', '--components', 'auto');
    expect(lead).toMatch(/^Keep 1 component, /);
    expect(text).toContain('1 component keeps 62.0 % of the variance of 4 columns.');
    expect(lead).not.toContain('The model has');
  });

  it('names the column that dominates, and rows by their names', () => {
    const [head, ...lines] = readFileSync(path(table('mtcars')), 'utf8')
      .trim()
      .split('\n');
    const named = [`"car",${head}`, ...lines.map((line, i) => `car ${i + 1},${line}`)].join('\n');
    const { lead, html } = report(write('cars.csv', named), '--name', 'car', '-k', '2', '--scale', 'none');
    expect(lead).toMatch(
      /^Column disp has 76\.4 % of the variance, more than the others together, .* use --scale unit\./,
    );
    expect(html).toContain('<title>row 1: car 1</title>');
    expect(lead).toMatch(/[Rr]ows? \(?(\d+) \(?car \1\b/);
  });

  it('says of a stored model and new rows what each of them tells', () => {
    const [head, ...lines] = readFileSync(path(table('mtcars')), 'utf8')
      .trim()
      .split('\n');
    const first = write('first.csv', [head, ...lines.slice(0, 20)].join('\n'));
    const rest = write('rest.csv', [head, ...lines.slice(20)].join('\n'));
    expect(scree(['fit', first, '--scale', 'unit', '-k', '2', '-o', path('first.json'), '-q']).code).toBe(0);
    const { lead, text } = report(rest, '--model', path('first.json'));
    expect(lead).toMatch(/^About these 12 rows: .* About the fit: Keep \d+ components?, /);
    expect(text).toContain('How sure the fit is');
    expect(text).toContain('Of 200 bootstrap samples');
    expect(scree(['fit', first, '--bootstrap', '0', '-k', '2', '-o', path('bare.json'), '-q']).code).toBe(0);
    const bare = report(rest, '--model', path('bare.json'));
    expect(bare.text).toContain('The model was stored without a bootstrap. Fit it again with scree fit to add one.');
    const refused = scree(['report', rest, '--model', path('first.json'), '--bootstrap', '20', '-o', path('x.html')]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--bootstrap draws from the rows of a fit, and --model brings a model.');
    const predicted = ['report', rest, '--model', path('first.json'), '--missing', 'iterative', '-o', path('x.html')];
    expect(scree(predicted)).toMatchObject({ code: 2, err: expect.stringContaining('Use --missing drop') });
  });

  it('draws groups, supplementary columns and rows, and rotated components, and says what they have to do with the fit', () => {
    const athletes = write(
      'athletes.csv',
      readFileSync(new URL('../../../core/test/fixtures/decathlon2-all.csv', import.meta.url)),
    );
    const flags = ['--scale', 'unit', '--bootstrap', '0', '--name', 'index', '--supplementary', 'Rank,Points'];
    const beside = ['--group', 'Competition', '--supplementary-rows', '24-27', '--rotate', 'varimax', '-k', '3'];
    const { text, html } = report(athletes, ...flags, ...beside);
    expect(text).toMatch(/PC1 \(41 %\): more X100m.*correlates with Points.*\(Competition, η² \.40\)/s);
    for (const name of ['correlations-1-2', 'contributions', 'cos2', 'scores-1-2', 'rotated-loadings']) {
      expect(html).toContain(`id="figure-${name}"`);
    }
    expect(text).toContain('Diamonds are rows that had no part in the fit.');
    expect(text).toContain('Dashed: columns that had no part in the fit.');
    expect(html).toContain('KARPOV</text>');
    expect(text).toMatch(/Competition: η²230\.40/);
    expect(scree(['fit', athletes, '--columns', 'X100m,Discus', '-o', path('two.json'), '-q']).code).toBe(0);
    const refused = scree(['report', athletes, '--model', path('two.json'), '--group', 'Competition', '-o', 'x.html']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(
      '--group belongs to a fit, and --model brings a model. Leave one of them out, or use --color.',
    );
  });

  it('is made of tables that are too small for a bootstrap', () => {
    const { lead, text } = report(write('two.csv', 'a,b,c\n1,2,3\n2,2,1\n'));
    expect(lead).toContain('No bootstrap was made');
    expect(text).toContain('It takes 3 rows or more, and there are 2.');
    expect(report(write('one.csv', 'a\n1\n4\n2\n7\n')).lead).not.toMatch(/Keep|stable|bootstrap/);
  });
});
