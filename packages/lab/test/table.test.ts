import { DataError } from '@scree/core';
import { describe, expect, test } from 'vitest';
import { parseTable } from '../src/table.js';

const read = (...lines: string[]) => parseTable(lines.join('\n'), 'test.csv');

describe('a table', () => {
  test('keeps the columns of numbers, row by row', () => {
    const table = read('height,width', '1,2.5', '-3e2,.5');
    expect(table.columns).toEqual(['height', 'width']);
    expect(table.matrix).toEqual({ rows: 2, cols: 2, data: Float64Array.of(1, 2.5, -300, 0.5) });
    expect(table.label).toBeUndefined();
    expect(table.unused).toEqual([]);
  });

  test('leaves columns of text out and takes the first of them as label', () => {
    const table = read('species,height,place', 'oak,3,"north, by the sea"', 'ash,4,south');
    expect(table.columns).toEqual(['height']);
    expect(table.label).toEqual({ name: 'species', values: ['oak', 'ash'] });
    expect(table.unused).toEqual(['species', 'place']);
  });

  test('takes a column with one word among its numbers as text', () => {
    const table = read('a,b', '1,2', '3,about 4');
    expect(table.columns).toEqual(['a']);
    expect(table.label?.values).toEqual(['2', 'about 4']);
  });

  test('may be separated by semicolons or tabs, end its lines as Windows does, and start with a byte order mark', () => {
    for (const text of ['a;b\r\n1;2\r\n3;4\r\n', '\uFEFFa\tb\n1\t2\n3\t4\n']) {
      expect(parseTable(text, 'test.csv')).toMatchObject({ columns: ['a', 'b'], matrix: { rows: 2 } });
    }
  });

  test('without names numbers its columns and loses no row', () => {
    const table = read('1,2', '3,4');
    expect(table.columns).toEqual(['column 1', 'column 2']);
    expect(table.matrix.rows).toBe(2);
  });

  test('passes over blank lines', () => {
    expect(read('a,b', '', '1,2', '  ', '3,4', '').matrix.rows).toBe(2);
  });

  test('takes names and labels as they are, whatever they say', () => {
    const table = read('<img src=x onerror=alert(1)>,__proto__', '1,constructor', '2,toString');
    expect(table.columns).toEqual(['<img src=x onerror=alert(1)>']);
    expect(table.label).toEqual({ name: '__proto__', values: ['constructor', 'toString'] });
  });
});

describe('a file that is no table', () => {
  test.each([
    [
      'is refused when a value is missing, by row and column',
      ['a,b', '1,2', '3,'],
      'Row 3 of the file has no value in column "b"',
    ],
    [
      'is refused when a value is written as missing',
      ['a,b', 'NA,2', '3,4'],
      'Row 2 of the file has no value in column "a"',
    ],
    ['is refused when empty', [''], 'The file is empty.'],
    ['is refused when it has names only', ['a,b'], 'column names but no rows'],
    [
      'is refused when a row is too short',
      ['a,b', '1,2', '3'],
      'Row 3 of the file has 1 cell, but the first row has 2',
    ],
    ['is refused when a row is too long', ['a,b', '1,2,3'], 'Row 2 of the file has 3 cells, but the first row has 2'],
    ['is refused when no column holds numbers', ['a,b', 'x,y'], 'No column of the file holds numbers only'],
  ])('%s', (_, lines, message) => {
    expect(() => read(...lines)).toThrow(DataError);
    expect(() => read(...lines)).toThrow(message);
  });
});
