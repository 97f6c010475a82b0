import {
  changeTable,
  encodeColumns,
  encodedNames,
  encodeTerms,
  matrixSource,
  packedRows,
  selectNamed,
  sourceTable,
  type Table,
  type TableBatch,
  type Text,
} from '@scree/core/data';
import { describe, expect, it } from 'vitest';
import type { Encoding } from '../../src/data/encoding/encoding.js';

const RULES = { version: 1, method: 'famd', named: true, missing: 'error', unseen: 'error' } as const;

/** Columns of numbers and of texts, in batches of the given heights; every second row of the user's table was left out. */
function tableOf(columns: Readonly<Record<string, readonly number[] | readonly string[]>>, heights: readonly number[]) {
  const names = Object.keys(columns);
  const lists = Object.values(columns);
  const isText = (j: number): boolean => typeof lists[j][0] === 'string';
  const table: Table = {
    format: 'test',
    columns: names.map((name, j) => ({ name, kind: isText(j) ? 'text' : 'number', type: 'test' })),
    width: names.length,
    named: true,
    uniform: false,
    rows: lists[0].length,
    dtype: () => 'float64',
    mayMissValues: true,
    checkMissing: true,
    rereadable: true,
    manyTexts: true,
    async *read({ numbers, texts = [] }) {
      const asked = numbers === 'all' ? names.map((_, j) => j) : numbers;
      let from = 0;
      for (const rows of heights) {
        const own = Array.from({ length: rows }, (_, i) => from + i);
        const data = Float64Array.from(own.flatMap((i) => asked.map((j) => Number(lists[j][i]))));
        yield {
          block: { kind: 'dense', rows, cols: asked.length, stride: asked.length, data },
          texts: texts.map((j) => own.map((i) => String(lists[j][i]))),
          rowNumbers: own.map((i) => 2 * i),
        };
        from += rows;
      }
    },
    close: async () => {},
  };
  return table;
}

async function read(table: Table, request: Parameters<Table['read']>[0]) {
  const batches: TableBatch<Text>[] = [];
  for await (const batch of table.read(request)) batches.push(batch);
  const rows = batches.flatMap(({ block }) => {
    const packed = packedRows(block);
    // A zero that is not stored is packed as −0.
    const rowOf = (i: number) => packed.subarray(i * block.cols, (i + 1) * block.cols);
    return Array.from({ length: block.rows }, (_, i) => Array.from(rowOf(i), (value) => value + 0));
  });
  return {
    batches,
    rows,
    texts: batches[0].texts.map((_, t) => batches.flatMap(({ texts }) => texts[t])),
    rowNumbers: batches.flatMap(({ rowNumbers = [] }) => rowNumbers),
  };
}

describe('encodeColumns', () => {
  const table = tableOf(
    { id: ['r', 's', 't', 'u'], x: [0, 1, 3, 7], sex: ['F', 'M', 'F', 'F'], age: [20, 30, Number.NaN, 50] },
    [3, 1],
  );
  const coding: Encoding = {
    ...RULES,
    columns: [
      { kind: 'category', name: 'sex', levels: ['F', 'M'], shares: [0.75, 0.25] },
      { kind: 'number', name: 'x', transform: 'log1p' },
    ],
  };
  const encoded = encodeColumns(table, coding, { inputs: [2, 1], others: [3, 0, 2] });

  it('puts the encoded columns before the others', () => {
    expect(encoded.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ...(encodedNames(coding) ?? []).map((name) => [name, 'number']),
      ['age', 'number'],
      ['id', 'text'],
      ['sex', 'text'],
    ]);
  });

  it('passes texts, further numbers and row numbers through, in the order that is asked for', async () => {
    const { rows, texts, rowNumbers } = await read(encoded, { numbers: [3, 2, 0], texts: [5, 4] });
    expect(rows).toEqual([
      [20, Math.log1p(0), 1],
      [30, Math.log1p(1), 0],
      [Number.NaN, Math.log1p(3), 1],
      [50, Math.log1p(7), 1],
    ]);
    expect(texts).toEqual([
      ['F', 'M', 'F', 'F'],
      ['r', 's', 't', 'u'],
    ]);
    expect(rowNumbers).toEqual([0, 2, 4, 6]);
  });

  it('names the row of the user in an error', async () => {
    const strict: Encoding = { ...coding, columns: [{ kind: 'category', name: 'sex', levels: ['F'], shares: [1] }] };
    const wrong = encodeColumns(table, strict, { inputs: [2] });
    await expect(read(wrong, { numbers: 'all' })).rejects.toMatchObject({ details: { row: 2, columnName: 'sex' } });
  });

  it('cuts a batch into blocks of sparse rows that keep what stands beside them', async () => {
    const count = 150_000;
    const levels = Array.from({ length: 50 }, (_, l) => `level ${l}`);
    const own = Array.from({ length: count }, (_, i) => levels[(i * 7) % 50]);
    const beside = Array.from({ length: count }, (_, i) => i / 3);
    const many: Encoding = {
      ...RULES,
      columns: [{ kind: 'category', name: 'town', levels, shares: levels.map(() => 1 / 50) }],
    };
    const long = encodeColumns(tableOf({ town: own, weight: beside }, [count]), many, { others: [1, 0] });
    const { batches, rowNumbers } = await read(long, { numbers: [...Array(51).keys()], texts: [51] });
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.every(({ block }) => block.kind === 'sparse')).toBe(true);
    expect(rowNumbers).toEqual(own.map((_, i) => 2 * i));
    let row = 0;
    let wrong = 0;
    for (const { block, texts } of batches) {
      const packed = packedRows(block);
      for (let i = 0; i < block.rows; i++, row++) {
        const level = levels.indexOf(own[row]);
        const right = packed[i * 51 + level] === 1 && packed[i * 51 + 50] === beside[row] && texts[0][i] === own[row];
        if (!right) wrong++;
      }
    }
    expect([row, wrong]).toEqual([count, 0]);
  });

  it('keeps sparse rows sparse if the transforms keep zeros', async () => {
    const matrix = {
      ...{ rows: 2, cols: 3, indptr: Int32Array.of(0, 1, 3), indices: Int32Array.of(2, 0, 1) },
      data: Float64Array.of(3, 1, 7),
    };
    const columns = ['0', '1', '2'].map((name) => ({ kind: 'number', name, transform: 'log1p' }) as const);
    const counts = encodeColumns(sourceTable(matrixSource(matrix)), { ...RULES, method: 'pca', named: false, columns });
    const { batches, rows } = await read(counts, { numbers: 'all' });
    expect(counts.nonzeros).toBe(3);
    expect(batches.map(({ block }) => block.kind)).toEqual(['sparse']);
    expect(rows).toEqual([
      [0, 0, Math.log1p(3)],
      [Math.log1p(1), Math.log1p(7), 0],
    ]);
  });
});

describe('encodeTerms', () => {
  const table = tableOf({ batch: ['b', 'a', 'c'], x: [1, 2, 3], age: [20, 30, 40] }, [2, 1]);
  const covariates = [{ name: 'age' }, { name: 'batch', levels: ['a', 'b', 'c'] }];

  it('makes a number of a number, and indicators of all levels but the first', async () => {
    const terms = encodeTerms(selectNamed(table, ['age', 'batch']), covariates);
    expect(terms.columns.map(({ name }) => name)).toEqual(['age', 'batch: b', 'batch: c']);
    expect((await read(terms, { numbers: 'all' })).rows).toEqual([
      [20, 1, 0],
      [30, 0, 0],
      [40, 0, 1],
    ]);
  });

  it('names the row of the user whose label is not a level', async () => {
    const few = encodeTerms(selectNamed(changeTable(table, {}), ['batch']), [{ name: 'batch', levels: ['a', 'b'] }]);
    await expect(read(few, { numbers: 'all' })).rejects.toMatchObject({ details: { row: 4, columnName: 'batch' } });
  });
});
