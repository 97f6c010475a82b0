import { inspectColumns } from '@scree/analysis';
import { loadModel, pca, ScreeError, type Warning } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { describeMixedCell, describeProblem, warningSentence } from '../src/describe-problem.js';
import { Session } from '../src/worker/session.js';

/** The sentence of the page about the error of this promise. */
async function said(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (problem: unknown) => problem,
  );
  if (!(error instanceof ScreeError)) throw new Error(`not an error of scree: ${error}`);
  return describeProblem(error);
}

const open = (text: string, name = 'row 7.csv') => new Session().open({ kind: 'text', name, text }, {});
const plain = { columns: [0, 1], scale: 'none', missing: 'drop', solver: 'auto' } as const;

/** The sentence of the page about a fit of this text that fails. */
async function saidOfFit(text: string, request: object = {}, name = 'table.csv'): Promise<string> {
  const session = new Session();
  const { id: data } = await session.open({ kind: 'text', name, text }, {});
  return said(session.fit({ ...plain, ...request, data }, {}));
}

describe('the page, about a file that cannot be read,', () => {
  it('counts rows from 1, but not those in names and cells', async () => {
    expect(await said(open('a,b\n1,2\n3,4\n5\n'))).toBe(
      'Row 3 of row 7.csv has 1 cell, the others have 2. Complete the row or remove it.',
    );
    expect(await said(open('[[1,2],[3]]', 'rows.json'))).toMatch(/^Row 2 of rows\.json has 1 cell/);
    expect(await said(open('[{"row 3":1},{"row 3":2},{"row 3":"row 9"}]', 'row 7.json'))).toBe(
      'Row 3 of row 7.json holds "row 9" in column "row 3", where numbers are expected. Correct it, or leave the cell empty if the value is missing.',
    );
  });

  it.each([
    ['[{"a":1},{"a":2},[3]]', 'Row 3 of x.json is a list among records, or the reverse. Use one form for all rows.'],
    [
      '[{"a":[1,2]},{"a":[1,2,3]}]',
      'Row 2 of x.json has a list of 3 in "a", the first row has a list of 2. Make all lists equally long.',
    ],
    ['[[1,2],[2,3] [3,4]]', 'x.json cannot be read: there is no comma after row 2 of x.json.'],
    ['[[1,2],7]', 'Row 2 of x.json is neither a record nor a list.'],
    ['[[1,2],[3,4', 'x.json is cut off: row 2 of x.json does not end. Copy or download it again.'],
  ])('says which row of %s is wrong', async (text, sentence) => {
    expect(await said(open(text, 'x.json'))).toBe(sentence);
  });

  it('names the row in which a value replaces a list, far down', async () => {
    const text = `[${'{"a":[1,2]},'.repeat(5000)}{"a":7}]`;
    expect(await said(open(text, 'x.json'))).toBe(
      'Row 5,001 of x.json has 7 in "a", the first row has a list of 2. Make all lists equally long.',
    );
  });

  it('says which row is not valid JSON', async () => {
    expect(await said(open('[[1,2],[3,x]]', 'x.json'))).toMatch(/^Row 2 of x\.json is not valid JSON \(.+\)\.$/);
  });

  it('names numbers that can be read in two ways', async () => {
    expect(await said(open('a\n17,995\n60,567\n950\n', 'two.tsv'))).toMatch(
      /^Row 1 of two\.tsv holds "17,995" in column "a": the comma may separate thousands or decimals\./,
    );
  });

  it('names a quotation mark that is never closed', async () => {
    expect(await said(open('a,b\n1,2\n3,"4\n5,6\n', 'q.csv'))).toMatch(/^Row 2 of q\.csv opens a quotation mark/);
  });

  it('distinguishes a table without rows from one without numbers', async () => {
    expect(await said(open('a,b,c\n'))).toContain('row 7.csv has no rows');
    expect(await said(open('a,b\nx,y\n'))).toContain('No column of row 7.csv holds numbers');
  });

  it.each([
    [{ row: 4 }, 'Row 5 of big.csv is too large for the page to read.'],
    [{}, 'big.csv is too large for the page to read.'],
  ])('refers to the command if memory is short', (where, start) => {
    const details = { ...where, path: 'big.csv', reason: 'memory' } as const;
    const sentence = describeProblem({ code: 'TOO_LARGE', message: 'Allow more memory.', details });
    expect(sentence).toBe(`${start} The command can be given more memory: scree fit --memory.`);
  });

  it('warns of a correlation matrix that is opened as a table', async () => {
    const text = 'a,b,c\n1,0.5,0.2\n0.5,1,-0.3\n0.2,-0.3,1\n';
    const session = new Session();
    const { id: data } = await session.open({ kind: 'text', name: 'correlations.csv', text }, {});
    const { model } = await session.fit({ ...plain, columns: [0, 1, 2], data }, {});
    const warning = loadModel(model).warnings.find(({ code }) => code === 'CORRELATION_MATRIX');
    expect(warningSentence(warning as Warning, ['a', 'b', 'c'])).toBe(
      'These 3 rows of 3 columns look like a correlation matrix (symmetric, with 1 on the diagonal), and PCA takes them for rows of data. Open the table that the matrix was computed from, and divide the columns by their standard deviation (see Fit).',
    );
  });

  it('shows the message of the library if it has no sentence of its own', () => {
    expect(describeProblem({ code: 'BAD_FILE', message: 'x.npy cannot be read: no header.', details: {} })).toBe(
      'x.npy cannot be read: no header.',
    );
    expect(describeProblem({ message: 'out of memory' })).toBe('out of memory');
  });
});

describe('the page, about a fit that fails,', () => {
  it('gives advice that can be followed there', async () => {
    const text = 'a,b\n1e200,1\n-1e200,2\n3e200,5\n';
    expect(await saidOfFit(text)).toMatch(/or divide the columns by their standard deviation \(see Fit\)\.$/);
    await expect(saidOfFit(text, { scale: 'unit' })).rejects.toThrow('not an error');
  });

  it('names the row and the column of an infinite value as the table has them', async () => {
    const text = '[{"x":null,"y":1},{"x":2,"y":3},{"x":2,"y":1e999},{"x":3,"y":4}]';
    expect(await saidOfFit(text, {}, 'x.json')).toBe(
      'Row 3 of the column "y" is Infinity. Infinite values have no variance: leave the column out, or correct the data.',
    );
  });

  it('gives advice if every row misses a value, or a column misses all', async () => {
    const text = 'a,b,c\n1,,\n,2,\n3,,\n,4,\n';
    expect(await saidOfFit(text)).toMatch(/^Every row has a missing value in one of the chosen columns\./);
    const empty = '[{"a":1,"b":2},{"a":3,"b":null},{"a":4,"b":5}]';
    const session = new Session();
    const { id: data, columns } = await session.open({ kind: 'text', name: 'e.json', text: empty }, {});
    expect(columns[1].missing).toBe(1);
    await session.fit({ ...plain, data, missing: 'mean' }, {});
    expect(
      describeProblem({
        code: 'MISSING_VALUES',
        message: '',
        details: { column: 1, columnName: 'b', reason: 'empty-column' },
      }),
    ).toBe('The column "b" has no value at all, so it has no mean. Leave it out.');
  });

  it('says how many rows there must be', async () => {
    expect(await saidOfFit('x,y\n1,2\n')).toContain('at least 2');
  });
});

describe('the page, about a model,', () => {
  const names = ['height', 'weight', 'age'];
  /** Two equal columns, and one that does not vary. */
  const rows = Array.from({ length: 20 }, (_, i) => [Math.sin(i), Math.sin(i), 3]);

  it('names columns that do not vary', async () => {
    const { warnings } = await pca(rows, { k: 1, scale: 'unit' });
    expect(warnings.map((warning) => warningSentence(warning, names))).toEqual([
      'The column age does not vary enough to be scaled. Leaving constant columns out changes nothing else.',
    ]);
  });

  it('advises fewer components if no variance is left', async () => {
    const { warnings } = await pca(rows, { k: 2, solver: 'covariance' });
    expect(warningSentence(warnings[0], names)).toBe(
      'Only 1 of the 2 components has variance that can be told from zero; the other is not determined by the data. Keep 1 at most, or choose the solver svd if you expect variances this small.',
    );
  });

  it('advises another solver if the accuracy is too low, without names of options', async () => {
    const { warnings } = await pca(
      Array.from({ length: 40 }, (_, i) => [1e9 * Math.sin(i), Math.cos(2 * i), 0.9 * Math.sin(3 * i)]),
      { k: 3, solver: 'covariance' },
    );
    const warning = warnings.find(({ code }) => code === 'BELOW_ACCURACY' || code === 'RANK_BELOW_K');
    if (!warning) throw new Error('no warning');
    expect(warning.message).toContain("solver: 'svd'");
    expect(warningSentence(warning, names)).toContain('choose the solver svd');
    expect(warningSentence(warning, names)).not.toContain("'");
  });

  it('has sentences of its own for warnings about columns', async () => {
    const data = Array.from({ length: 60 }, (_, i) => ({
      id: i + 1,
      class: 1 + ((i * i) % 3),
      celsius: Math.sin(i),
      kelvin: 273.15 + Math.sin(i),
      mass: 100 * Math.cos(3 * i),
      rain: i % 3 === 0 ? 1 + Math.abs(Math.sin(7 * i)) : 0,
    }));
    const { warnings } = await inspectColumns(data);
    const said = Object.fromEntries(warnings.map((warning) => [warning.code, warningSentence(warning, [])]));
    expect(said).toEqual({
      DOMINANT_COLUMN: expect.stringMatching(/^mass has .* of the variance of the 4 columns .* \(see Fit\)\.$/),
      ID_COLUMN: expect.stringMatching(
        /^id changes by 1 from row to row.*\. Leave it out unless it measures something\.$/,
      ),
      CATEGORY_CODES: expect.stringMatching(
        /^The whole numbers of class look like codes .* can still colour the points\.$/,
      ),
      DUPLICATE_COLUMNS: expect.stringMatching(/^celsius and kelvin are nearly the same/),
      ZERO_INFLATED: expect.stringMatching(/^More than half of the values of rain are 0/),
    });
    for (const sentence of Object.values(said)) expect(sentence).not.toMatch(/scale:|--/);
  });

  it.each([
    [
      'VALUES_FILLED',
      { columns: [{ name: 'Ozone', count: 37 }], values: 37, rows: 153 },
      "37 of 153 values of Ozone were filled in with the column's mean.",
    ],
    [
      'ROWS_DROPPED',
      { count: 1, rows: 153, columns: [{ name: 'Ozone', count: 1 }] },
      '1 of 153 rows has gaps and is left out (1 in Ozone).',
    ],
    [
      'ROWS_DROPPED',
      {
        count: 42,
        rows: 153,
        columns: [
          { name: 'Solar.R', count: 7 },
          { name: 'Ozone', count: 37 },
        ],
      },
      '42 of 153 rows have gaps and are left out (37 in Ozone, 7 in Solar.R).',
    ],
    [
      'COLUMNS_LEFT_OUT',
      { columns: [{ name: 'note', holds: 'text' }], count: 1 },
      'note (text) was left out because it holds no numbers.',
    ],
    [
      'VALUES_CONVERTED',
      { values: 1, columns: [{ name: 'p', kind: 'percent', count: 1, from: '5%', to: 5 }] },
      '1 value was not written as a plain number and was converted: p (1, such as 5% → 5).',
    ],
  ] as const)('counts what reading did to values: %s', (code, details, expected) => {
    expect(warningSentence({ code, message: '', details }, [])).toBe(expected);
  });

  it('names chosen columns whose whole numbers were rounded when they were read', async () => {
    const text = `id,x,y\n${Array.from({ length: 8 }, (_, i) => `900719925474099${i},${i * i},900719925474100${i}`).join('\n')}\n`;
    const session = new Session();
    const { id: data } = await session.open({ kind: 'text', name: 'ids.csv', text }, {});
    const warningsOf = async (columns: readonly number[]): Promise<readonly Warning[]> => {
      const { id, model } = await session.fit({ ...plain, columns, data }, {});
      session.show(id);
      // The model of fewer components, which the page shows and exports, has the same warning.
      const rounded = (binary: Uint8Array) =>
        loadModel(binary).warnings.filter(({ code }) => code === 'INTEGERS_ROUNDED');
      expect(rounded(await session.shown.modelOf(1))).toEqual(rounded(model));
      return rounded(model);
    };
    const [warning] = await warningsOf([0, 1, 2]);
    expect(warningSentence(warning, ['id', 'x', 'y'])).toBe(
      '7 whole numbers beyond 2^53 were rounded to the nearest float64: id (3) and y (4). If a column holds identifiers, leave it out.',
    );
    const [ofOne] = await warningsOf([0, 1]);
    expect(ofOne.details).toEqual({ count: 3, columns: [{ name: 'id', count: 3 }] });
    expect(ofOne.message).toContain('3 whole numbers beyond 2^53 in ids.csv');
    expect(await warningsOf([1])).toEqual([]);
  });

  it('says which columns have few digits left', () => {
    const details = { columns: ['t'], count: 1, largest: 1e15, step: 0.125, deviation: 30, dtype: 'float64' };
    expect(warningSentence({ code: 'FEW_DIGITS', message: '', details }, [])).toMatch(
      /^The differences between rows in column t have only about 2 digits: .* subtract a constant before they are stored\.$/,
    );
  });

  it('calls columns without names by their quoted numbers', () => {
    const details = { columns: [2], count: 1, share: 0.9 };
    expect(warningSentence({ code: 'DOMINANT_COLUMN', message: '', details }, [])).toMatch(/^column "2" has 90/);
  });

  it('shows the message of the library if a warning has no details', () => {
    expect(warningSentence({ code: 'CONSTANT_COLUMN', message: 'Column 2 keeps scale 1.' }, names)).toBe(
      'Column 2 keeps scale 1.',
    );
  });
});

describe('numeric columns with cells that are not numbers', () => {
  const many = Array.from({ length: 400 }, (_, i) => `${i},${(i * 7) % 11},${(i * 3) % 5}`);

  it.each([
    ['csv', `a,b,c\n${many.join('\n')}\n1,ill,3\n2,5,worse\n`],
    ['json', JSON.stringify([...many.map((line) => line.split(',').map(Number)), [1, 'ill', 3], [2, 5, 'worse']])],
  ])('count as text, and the first such cell is named: %s', async (ending, text) => {
    const { columns, rows } = await open(text, `some.${ending}`);
    expect(rows).toBe(402);
    expect(
      columns.map(({ kind, usable, firstNonNumber }) => [
        kind,
        usable,
        firstNonNumber && describeMixedCell(firstNonNumber),
      ]),
    ).toEqual([
      ['number', true, undefined],
      ['text', false, 'row 401 holds "ill"'],
      ['text', false, 'row 402 holds "worse"'],
    ]);
  });
});
