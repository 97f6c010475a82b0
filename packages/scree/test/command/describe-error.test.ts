import { DataError, type ErrorDetails, OptionError, type ScreeError } from '@scree/core';
import { FileError } from '@scree/files';
import { describe, expect, it } from 'vitest';
import { afterRows, describeError, nameFile, warningWithFlags } from '../../src/command/describe-error.js';

const about = (code: ScreeError['code'], details: ErrorDetails, message = 'the library says'): string =>
  describeError(nameFile(new DataError(code, message, details), 'cars.csv') as ScreeError);

describe('an error of the command', () => {
  it('names the rows with missing values, and the flags that deal with them', () => {
    const value = ['mpg', 'horse power', 'a,b'].map((name) => ({ name, count: 1 }));
    expect(about('MISSING_VALUES', { row: 0, columnName: 'mpg', value, affectedRows: 6, totalRows: 3200 })).toBe(
      "cars.csv has missing values in 6 of 3,200 rows (first: row 1, column mpg). Use --missing drop to leave those rows out, --missing mean to fill them with column means, or --exclude 'mpg,horse power,a,,b'.",
    );
    expect(about('MISSING_VALUES', {})).toMatch(/^cars\.csv has missing values\. Use --missing drop/);
    expect(about('MISSING_VALUES', { row: 3, columnName: 'w' })).toMatch(
      /^Row 4 of cars\.csv has no weight \(column w\)/,
    );
    expect(about('MISSING_VALUES', { column: 2, columnName: 'w', reason: 'empty-column' })).toMatch(/--exclude w\.$/);
  });

  it.each([
    ['NOT_FINITE', { row: 9, column: 1, value: Number.POSITIVE_INFINITY }, /^Row 10 .* has Infinity in column "1"\./],
    ['NOT_A_NUMBER', { row: 9, columnName: 'my x', value: 'ill' }, /^Row 10 .* has "ill" in column "my x".*'my x'\.$/],
    ['NOT_A_NUMBER', { row: 9, columnName: 'x', value: '1.5' }, /where numbers with a decimal comma are expected/],
    ['RAGGED_ROWS', { row: 1, value: 1, expected: 2 }, /^Row 2 .* has 1 cell, but the others have 2\./],
    [
      'RAGGED_ROWS',
      { row: 1, columnName: 'v', value: 3, expected: 4, reason: 'list-length' },
      /a list of 3 in column v/,
    ],
    ['BAD_DATA', { reason: 'open-quote' }, /^The first line of cars\.csv opens/],
    [
      'BAD_DATA',
      { row: 0, columnName: 'x', value: '1,234', expected: ',', reason: 'ambiguous-mark' },
      /its comma may separate .* Write 1234 or 1\.2340,/,
    ],
    ['BAD_FILE', { row: 4, reason: 'missing-comma' }, /no comma after row 5 of cars\.csv/],
    ['FILE_TRUNCATED', { row: 4, expected: 9, reason: 'missing-row' }, /should have 9 rows and ends before row 5/],
    ['TOO_LARGE', { row: 4, reason: 'memory' }, /^Row 5 .*--memory/],
    ['TOO_LARGE', { reason: 'memory' }, /^the library says \(The limit is --memory\.\)/],
    ['EMPTY_DATA', { reason: 'no-complete-row' }, /--missing mean/],
    ['OUT_OF_RANGE', { value: 1e200 }, /--scale unit/],
    ['OUT_OF_RANGE', { row: 6 }, /^Row 7 of cars\.csv is too far .* --quantise float16\.$/],
    ['K_OUT_OF_RANGE', { option: 'k', value: 9, expected: 3 }, /^-k is 9, .* Use -k 3 or less, or --all\.$/],
    ['BAD_WEIGHTS', { row: 2, value: -1 }, /^Row 3 of cars\.csv has the weight -1\./],
    ['BAD_OPTION', { option: 'engine', value: 'blas' }, /^--engine blas is not available .* scree doctor/],
    ['NOT_CONVERGED', { value: 0.5, expected: 0.1 }, /larger --tolerance/],
    ['WORKER_LOST', { value: 'killed' }, /--threads 1/],
    ['SOURCE_CHANGED', {}, /^the library says$/],
  ] as const)('has a sentence of its own for %s %j', (code, details, expected) => {
    expect(about(code, details)).toMatch(expected);
  });

  it('names the file of the error itself, and standard input', () => {
    const row = { row: 0, reason: 'not-a-record' } as const;
    expect(describeError(new FileError('BAD_FILE', 'other.json', '', row))).toMatch(/^Row 1 of other\.json is/);
    const error = nameFile(new DataError('MISSING_VALUES', ''), '-') as ScreeError;
    expect(describeError(error)).toMatch(/^Standard input has missing values/);
    const named = new OptionError('K_OUT_OF_RANGE', 'k is the fraction 0.5', { option: 'k', value: 0.5 });
    expect(describeError(named)).toBe('k is the fraction 0.5');
  });

  it('counts rows from the beginning of the file, not of the block', async () => {
    const failing = afterRows(100, async () => {
      throw new DataError('NOT_FINITE', '', { row: 5, column: 0, value: Number.NaN });
    });
    await expect(failing).rejects.toMatchObject({ details: { row: 105 } });
  });

  it('leaves the error of the library as it was', async () => {
    const given = new FileError('BAD_FILE', 'a.csv', 'It cannot be read.', { row: 5 });
    const failing = afterRows(100, async () => {
      throw given;
    });
    await expect(failing).rejects.toMatchObject({ name: 'FileError', path: 'a.csv', details: { row: 105 } });
    await expect(failing).rejects.toBeInstanceOf(FileError);
    expect(given.details).toEqual({ row: 5 });
    const data = new DataError('NOT_FINITE', '', { row: 5 });
    expect(nameFile(data, 'a.csv')).toMatchObject({ name: 'DataError', stack: data.stack, details: { path: 'a.csv' } });
    expect(data.details).toEqual({ row: 5 });
  });

  it('counts all columns with missing values, also if the details have the first ones', () => {
    const columns = Array.from({ length: 300 }, (_, j) => ({ name: `c${j}`, count: 1 }));
    const details = { row: 0, columnName: 'c0', value: columns, affectedRows: 1, totalRows: 9 };
    expect(about('MISSING_VALUES', details)).toMatch(/or --exclude to leave out some of these 300 columns\.$/);
  });
});

describe('a warning of the command', () => {
  it.each([
    ['CONSTANT_COLUMN', { columns: [1], count: 1 }, /^Column b does not vary .* --exclude/],
    ['CONSTANT_COLUMN', { columns: [0, 1], count: 7 }, /^Columns a, b and 5 more do not vary/],
    [
      'RANK_BELOW_K',
      { rank: 2, k: 3, d: 3, solver: 'svd' },
      /; component 3 is the one direction orthogonal to the others\./,
    ],
    ['RANK_BELOW_K', { rank: 2, k: 3, d: 9, solver: 'svd' }, /; the other is not determined by the data\./],
    [
      'RANK_BELOW_K',
      { rank: 2, k: 5, d: 9, solver: 'dual' },
      /; the others are not determined by the data\. Use -k 2 or less, or --solver svd/,
    ],
    ['BELOW_ACCURACY', { component: 2, variance: 1, degrees: 3, solver: 'dual' }, /^From component 3 .*--scale unit/],
    ['ENGINE_FALLBACK', { engine: 'reference', cause: 'why' }, /With --engine reference this warning goes away/],
    ['ENGINE_FALLBACK', { engine: 'wasm', cause: 'why' }, /With --threads 1 this warning goes away/],
    ['INTEGERS_ROUNDED', {}, /^the library says$/],
    [
      'FEW_DIGITS',
      { columns: [0], count: 1, largest: 1e15, step: 0.125, deviation: 1.02, dtype: 'float64' },
      /^The differences between rows in column "0" have only about 1 digit: its numbers are up to 1\s×\s10¹⁵, where neighbours in float64 are 0\.125 apart, and its standard deviation is 1\.02\. .*subtract a constant before they are stored\.$/,
    ],
    [
      'FEW_DIGITS',
      { columns: ['a', 'b c'], count: 3, largest: 1e-321, step: 5e-324, deviation: 1e-322, dtype: 'float64' },
      /in columns a, "b c" and 1 more have few digits, those of a only about 1 digit: .* multiply them by a constant/,
    ],
    [
      'DOMINANT_COLUMN',
      { columns: ['a b'], share: 0.998 },
      /^Column "a b" has 99\.8\s%.* of the variance, more than the others together, .* use --scale unit\.$/,
    ],
    [
      'DOMINANT_COLUMN',
      { columns: ['index'], share: 0.59, remedy: 'leave-out' },
      /^Column index has 59\.0\s% .* use --exclude index; otherwise use --scale unit if the columns have different units\.$/,
    ],
    [
      'DOMINANT_COLUMN',
      { columns: ['a'], share: 0.59, remedy: 'none' },
      /^Column a has .* and columns are not scaled\.$/,
    ],
    [
      'DOMINANT_COLUMN',
      { columns: [3], share: 0.6, among: 5 },
      /^Column "3" has 60\.0\s% of the variance of the 5 columns that look like measurements, more/,
    ],
    [
      'UNEQUAL_SPREAD',
      { columns: ['a', 'b'], deviations: [1200, 1], ratio: 1200.7 },
      /differ 1,200-fold, from 1 \(column b\) to 1200 \(column a\): .* use --scale unit\.$/,
    ],
    [
      'ID_COLUMN',
      { columns: ['id'], count: 1, reasons: ['counting'], share: 0.928 },
      /^Column id changes by 1 from row to row.*, and has 92\.8\s% of the variance; unless it measures something, use --exclude id\.$/,
    ],
    [
      'ID_COLUMN',
      { columns: ['id', 'no'], count: 2, reasons: ['name', 'unique'] },
      /^Column id has the name of an identifier; column no has .*; unless they measure something, use --exclude id,no\.$/,
    ],
    [
      'CATEGORY_CODES',
      { columns: ['kind'], count: 1, levels: [3] },
      /^The whole numbers of column kind look like codes .* --exclude kind, or --label/,
    ],
    [
      'DUPLICATE_COLUMNS',
      { columns: ['a', 'b', 'c,d'], count: 3, groups: [['a', 'b', 'c,d']], correlations: [1], rows: 9 },
      /^Columns a, b and "c,d" are nearly the same .* use --exclude b,c,,d\.$/,
    ],
    [
      'FEW_ROWS',
      { rows: 5, cols: 1200, components: 4 },
      /^There are only 5 rows of 1,200 columns: no more than 4 components/,
    ],
    ['FEW_ROWS', { rows: 2, cols: 2, components: 1 }, /no more than 1 component can have variance/],
    [
      'CORRELATION_MATRIX',
      { rows: 25 },
      /^These 25 rows of 25 columns look like a correlation matrix .* with --scale unit\..* use scree fit --covariance FILE\.$/,
    ],
    [
      'COLUMNS_LEFT_OUT',
      {
        columns: [
          { name: 'note', holds: 'text' },
          { name: 'day', holds: 'dates' },
        ],
        count: 2,
      },
      /^Column note \(text\), column day \(dates\) were left out because they hold no numbers\.$/,
    ],
    [
      'MISSING_LEVEL',
      { columns: [{ name: 'sex', level: 'NA' }], count: 1 },
      /^The level NA of column sex counts as a value\. If missing values are meant: --na NA and --missing drop, mean or level\.$/,
    ],
    ['ZERO_INFLATED', { columns: ['rain'], count: 1, zeros: [60], rows: 100 }, /values of column rain are 0/],
    [
      'VALUES_FILLED',
      { columns: [{ name: 'Ozone', count: 37 }], values: 37, rows: 153, with: 'mean' },
      /^37 of 153 values of column Ozone were filled in with the column mean, which shrinks correlations\.$/,
    ],
    [
      'VALUES_FILLED',
      { columns: [{ name: 'x', count: 1 }], values: 1, rows: 5, with: 'given' },
      /^1 of 5 values of column x was filled in with the model's mean\.$/,
    ],
    [
      'ROWS_DROPPED',
      { count: 1, rows: 9, columns: [{ name: 'x', count: 1 }] },
      /^1 of 9 rows was left out because of missing values: column x \(1\)\.$/,
    ],
    [
      'VALUES_CONVERTED',
      { values: 3, columns: [{ name: 'p', kind: 'currency', count: 3, from: '$5', to: 5 }] },
      /^3 values were not written as plain numbers and were converted: column p \(3, such as \$5 → 5\)\.$/,
    ],
    [
      'VALUES_FILLED',
      { columns: [{ name: 'x', count: 2 }], values: 2, rows: 5, with: 'level' },
      /^2 missing values count as a level of their own in categories, and as the mean in columns of numbers: column x \(2\)/,
    ],
    ['CONSTANT_COLUMN', { names: ['kind'], count: 1 }, /^Column kind does not vary/],
    ['ROTATED', { method: 'varimax', k: 3 }, /^The 3 rotated components .* rotate fewer with -k\.$/],
    ['SCALES_DIFFER', { scales: ['unit', 'none'] }, /differently \(unit and none\).* Fit both with the same --scale/],
    ['COVARIATE_DROPPED', { covariates: ['a', 'b'] }, /^The covariates a and b are constant, or a combination/],
    [
      'COLUMNS_LEFT_OUT',
      { columns: [{ name: 'lead', share: 0.4 }], count: 1 },
      /^Column lead \(40 % numbers\) was left out because it is mostly text\./,
    ],
  ] as const)('names flags: %s', (code, details, expected) => {
    expect(warningWithFlags({ code, message: 'the library says', details }, ['a', 'b'])).toMatch(expected);
  });
});
