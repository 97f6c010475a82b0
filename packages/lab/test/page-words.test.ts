import { describe, expect, it } from 'vitest';
import { pageWords, pageWordsOfFile } from '../src/page-words.js';
import { Session } from '../src/worker/session.js';

const open = (text: string, name = 'row 7.csv') => new Session().open({ kind: 'text', name, text }, {});

describe('what the library says, in the words of the page', () => {
  it('counts rows from 1, but not those in names', async () => {
    await expect(open('a,b\n1,2\n3,4\n5\n')).rejects.toThrow('Row 3 of row 7.csv has 1 cell');
    await expect(open('[[1,2],[3]]', 'rows.json')).rejects.toThrow('Row 2 of rows.json has 1 values');
    expect(pageWordsOfFile('Row 4 of f.csv holds "row 9" in column "row 3".', 'f.csv')).toBe(
      'Row 5 of f.csv holds "row 9" in column "row 3".',
    );
  });

  it('tells a table without rows from one without numbers', async () => {
    await expect(open('a,b,c\n')).rejects.toThrow('row 7.csv has no rows');
    await expect(open('a,b\nx,y\n')).rejects.toThrow('No column of row 7.csv holds numbers');
  });

  it('advises what can be done here', async () => {
    const session = new Session();
    const text = 'a,b\n1e200,1\n-1e200,2\n3e200,5\n';
    const { id: data } = await session.open({ kind: 'text', name: 'huge.csv', text }, {});
    const plain = { data, columns: [0, 1], scale: 'none', missing: 'drop', solver: 'auto' } as const;
    await expect(session.fit(plain, {})).rejects.toThrow(
      /or divide the columns by their standard deviation \(see Fit\)/,
    );
    await session.fit({ ...plain, scale: 'unit' }, {});
    expect(pageWords("Use solver: 'svd', or scale the columns.")).not.toContain(':');
  });
});

describe('columns of numbers with other things in them', () => {
  const many = Array.from({ length: 400 }, (_, i) => `${i},${(i * 7) % 11},${(i * 3) % 5}`);

  it.each([
    ['csv', `a,b,c\n${many.join('\n')}\n1,ill,3\n2,5,worse\n`],
    ['json', JSON.stringify([...many.map((line) => line.split(',').map(Number)), [1, 'ill', 3], [2, 5, 'worse']])],
  ])('are text, and say why: %s', async (ending, text) => {
    const session = new Session();
    const { columns, rows } = await session.open({ kind: 'text', name: `some.${ending}`, text }, {});
    expect(rows).toBe(402);
    expect(columns.map(({ kind, usable, broken }) => [kind, usable, broken])).toEqual([
      ['number', true, undefined],
      ['text', false, 'row 401 holds "ill"'],
      ['text', false, 'row 402 holds "worse"'],
    ]);
  });
});
