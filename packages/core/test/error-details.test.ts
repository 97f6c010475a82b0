import { chooseComponents, famd, inspectColumns, rowLimits, summarize } from '@scree/analysis';
import { ConvergenceError, DataError, loadModel, type PcaOptions, pca, ScreeError, stream } from '@scree/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalidValues } from '../../../test/invalid-values.js';
import { refusal } from '../../../test/refusal.js';
import { withDetails } from '../src/errors.js';
import { descend } from '../src/learn/descend.js';
import { pcaSync } from '../src/pca-sync.js';
import { loadTransform } from '../src/transform.js';

const rows = [
  [1, 2, 4],
  [3, 5, 1],
  [4, 4, 2],
  [7, 1, 3],
];
const model = await pca(rows);

/** Calls that must refuse most of the arguments of this test. */
const calls: Readonly<Record<string, (value: never) => unknown>> = {
  pca: (value) => pca(value),
  pcaSync: (value) => pcaSync(value),
  'pca, as a row': (value) => pca([[1, 2], value]),
  'pca, as a cell': (value) =>
    pca([
      [1, 2],
      [3, value],
    ] as number[][]),
  'pca, as a column': (value) => pca({ a: [1, 2], b: value }),
  'pca, as the numbers of a matrix': (value) => pca({ rows: 2, cols: 2, data: value }),
  'pca, as a shape': (value) => pca({ rows: value, cols: value, data: new Float64Array(4) }),
  'pca, as the options': (value) => pca(rows, value),
  transform: (value) => model.transform(value),
  loadModel: (value) => loadModel(value),
  loadTransform: (value) => loadTransform(value),
  descend: (value) => descend(value, { rule: 'pairwise' }),
  stream: (value) => stream({ k: 1 }).add(value),
  summarize: (value) => summarize(value),
  chooseComponents: (value) => chooseComponents(value),
  inspectColumns: (value) => inspectColumns(value),
  rowLimits: (value) => rowLimits(model, value),
  famd: (value) => famd(value),
};

const OPTIONS: readonly (keyof PcaOptions)[] = [
  'k',
  'scale',
  'weights',
  'columnNames',
  'solver',
  'engine',
  'seed',
  'learn',
  'columnTransform',
  'memory',
];

describe('the details of an error', () => {
  it.each(Object.keys(calls))('are small and can be written as JSON, whatever is given to %s', async (name) => {
    let refused = 0;
    for (const [what, value] of invalidValues()) if (await refusal(() => calls[name](value as never), what)) refused++;
    expect(refused).toBeGreaterThan(3);
  });

  it('are small and can be written as JSON, whatever an option is', async () => {
    for (const option of OPTIONS) {
      let refused = 0;
      for (const [what, value] of invalidValues()) {
        if (await refusal(() => pca(rows, { [option]: value }), `${option}: ${what}`)) refused++;
      }
      expect(refused, option).toBeGreaterThan(10);
    }
  });

  it('are small for any value that programs can make', () => {
    const anything = fc.anything({ withBigInt: true, withTypedArray: true, withSparseArray: true, maxDepth: 1 });
    const text = fc.tuple(fc.string({ unit: 'binary' }), fc.nat(1000)).map(([part, times]) => part.repeat(times));
    fc.assert(
      fc.property(anything, anything, text, (value, expected, path) => {
        const { details } = new DataError('BAD_DATA', 'A message.', { value, expected, path, option: path });
        expect(JSON.stringify(details).length).toBeLessThanOrEqual(4000);
      }),
      { numRuns: 20 },
    );
  });

  it('keep numbers, short texts and short lists as they are', () => {
    const columns = [
      { name: 'height', count: 3 },
      { name: 'weight', count: 1 },
    ];
    const given = { row: 3, columnName: 'height', value: columns, expected: -0, path: 'data.csv' };
    expect(new DataError('MISSING_VALUES', '', given).details).toEqual(given);
    expect(new DataError('NOT_FINITE', '', { value: Number.NaN }).details).toEqual({ value: Number.NaN });
    expect(new DataError('BAD_DATA', '', { value: ['a', 'b'] }).details).toEqual({ value: ['a', 'b'] });
  });

  it('have the first entries of a long list, and their number', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `column ${i}`);
    const { details } = new DataError('BAD_DATA', '', { value: names });
    expect(details).toEqual({ value: names.slice(0, 10), count: 5000 });
    // A copy does not take the ten for all.
    expect(new DataError('BAD_DATA', '', details).details).toEqual(details);
  });

  it('say what an object is', () => {
    const found = (value: unknown) => new DataError('BAD_DATA', '', { value }).details.value;
    expect(found(new Float64Array(2e6))).toBe('a Float64Array');
    expect(found({ a: 1, b: 2 })).toBe('an object with keys "a, b"');
    expect(found(10n ** 100n)).toMatch(/^10{36}\.\.\.$/);
  });
});

describe('an error with more details', () => {
  it('is a new one of the same class, with the stack of the first', () => {
    const first = new DataError('NOT_FINITE', 'A value is not finite.', { row: 3 });
    const second = withDetails(first, { row: 5, path: 'data.csv' });
    expect(second).toBeInstanceOf(DataError);
    expect(second).toMatchObject({ code: 'NOT_FINITE', message: first.message, stack: first.stack });
    expect(second.details).toEqual({ row: 5, path: 'data.csv' });
    expect(first.details).toEqual({ row: 3 });
  });

  it('keeps what an iteration had', () => {
    const best = { loss: 3 };
    const slow = new ConvergenceError('Too slow.', best, { value: 1 }, 'DIVERGED');
    const error = withDetails(slow, { path: 'a.csv' });
    expect(error).toBeInstanceOf(ConvergenceError);
    expect(error).toMatchObject({ best, code: 'DIVERGED', details: { value: 1, path: 'a.csv' } });
    expect(error).toBeInstanceOf(ScreeError);
  });
});
