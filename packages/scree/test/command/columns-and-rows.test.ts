import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openFile } from '../../src/index.js';
import { useBinary } from './binary.js';

/** Which columns and which rows a command takes, and what it never writes over: through the real binary. */

const { run: scree, write, path } = useBinary('columns');

const rows = Array.from({ length: 40 }, (_, i) => ({
  a: Math.sin(i),
  b: 3 * Math.sin(i) + Math.cos(5 * i),
  c: Math.cos(7 * i),
  w: 1 + (i % 3),
  id: `r${i}`,
}));
type Name = keyof (typeof rows)[0];
const table = (names: readonly Name[], gaps: readonly number[] = []): string =>
  [
    names.join(','),
    ...rows.map((row, i) => names.map((name) => (name === 'b' && gaps.includes(i) ? '' : row[name])).join(',')),
  ].join('\n');

const numbers = async (name: string): Promise<number[]> => {
  const file = await openFile(path(name));
  const found: number[] = [];
  for await (const block of file.source.blocks())
    if (block.kind === 'dense') found.push(...block.data.subarray(0, block.rows * block.cols));
  await file.close();
  return found;
};

describe('columns of a model', () => {
  write('data.csv', table(['a', 'b', 'c', 'w', 'id']));
  write('other-order.csv', table(['id', 'c', 'w', 'b', 'a']));
  expect(scree(['fit', 'data.csv', '--exclude', 'w', '-k', '2', '-o', 'm.json', '-q']).code).toBe(0);
  const scores = async (...more: string[]): Promise<number[]> => {
    const { code, err } = scree(['transform', 'm.json', ...more, '-o', 's.npy', '-q']);
    expect(code, err).toBe(0);
    return numbers('s.npy');
  };

  it('are found by name, in any order, with any others excluded', async () => {
    const right = await scores('data.csv');
    expect(await scores('other-order.csv')).toEqual(right);
    expect(await scores('other-order.csv', '--exclude', 'w')).toEqual(right);
    expect(await scores('data.csv', '--columns', 'c,a,b')).toEqual(right);
    expect(scree(['compress', 'other-order.csv', '--model', 'm.json', '--exclude', 'w', '-o', 'x.scree']).code).toBe(0);
  });

  it('are taken in order if they have other names, and are rejected if that is ambiguous', async () => {
    write('renamed.csv', table(['a', 'b', 'c']).replace('a,b,c', 'x,y,z'));
    expect(await scores('renamed.csv', '--columns', 'x,y,z')).toEqual(await scores('data.csv'));
    const excluded = scree(['transform', 'm.json', 'data.csv', '--exclude', 'a', '-o', 's.npy']);
    expect(excluded).toMatchObject({ code: 2 });
    expect(excluded.err).toMatch(/--exclude leaves out "a", and the model was fitted to it/);
    const moved = scree(['transform', 'm.json', 'data.csv', '--columns', 'b,w,a', '-o', 's.npy']);
    expect(moved).toMatchObject({ code: 2 });
    expect(moved.err).toMatch(/"b" in another place than the model, whose columns are a, b, c/);
  });

  it('may have names with commas', () => {
    write('commas.csv', table(['a', 'b', 'c']).replace('a,b,c', '"h, cm","w ""x""",c'));
    const fit = scree(['fit', 'commas.csv', '--columns', '"h, cm",c', '-k', '1', '--json']);
    expect(JSON.parse(fit.out).d).toBe(2);
    expect(JSON.parse(scree(['fit', 'commas.csv', '--columns', 'h,, cm', '-k', '1', '--json']).out).d).toBe(1);
    expect(scree(['fit', 'commas.csv', '--columns', 'a,', '-k', '1']).code).toBe(2);
  });
});

describe('rows with gaps', () => {
  write('gaps.csv', table(['a', 'b', 'c', 'id'], [1, 2, 30]));

  it('are filled with the means of the model, so scores do not depend on other rows', async () => {
    const text = table(['a', 'b', 'c', 'id'], [1, 2, 30]).split('\n');
    write('five.csv', [text[0], ...text.slice(1, 6)].join('\n'));
    const transform = (name: string): number =>
      scree(['transform', 'm.json', name, '--missing', 'mean', '-o', 's.npy', '-q']).code as number;
    expect(transform('gaps.csv')).toBe(0);
    const all = await numbers('s.npy');
    expect(transform('five.csv')).toBe(0);
    const few = await numbers('s.npy');
    for (const [at, value] of few.entries()) expect(value).toBeCloseTo(all[at], 12);
  });

  it('are filled with the means of the file if the model has none', async () => {
    const fit = ['fit', 'gaps.csv', '--no-center', '--missing', 'mean', '-k', '3', '-o', 'free.json', '-q'];
    expect(scree(fit).code).toBe(0);
    const back = ['reconstruct', 'free.json', 'f.npy', '-o', 'b.npy', '-q'];
    expect(scree(['transform', 'free.json', 'gaps.csv', '--missing', 'mean', '-o', 'f.npy', '-q']).code).toBe(0);
    expect(scree(back).code).toBe(0);
    const present = rows.filter((_, i) => ![1, 2, 30].includes(i));
    const mean = present.reduce((sum, { b }) => sum + b, 0) / present.length;
    expect((await numbers('b.npy'))[4]).toBeCloseTo(mean, 10);
  });

  it('are counted when they are left out, and labels name the other rows', () => {
    const done = scree(['transform', 'm.json', 'gaps.csv', '--missing', 'drop', '--label', 'id', '-o', 's.csv']);
    expect(done.err).toMatch(/37 rows of 2 scores; 3 with missing values were left out: s\.csv/);
    const lines = readFileSync(path('s.csv'), 'utf8').trim().split('\n');
    expect(lines[0]).toBe('id,PC1,PC2');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(
      rows.map(({ id }) => id).filter((_, i) => ![1, 2, 30].includes(i)),
    );
    expect(scree(['fit', 'gaps.csv', '--missing', 'drop', '-k', '1']).err).toMatch(
      /37 rows × 3 columns.*; 3 more with missing values were left out; left out: id \(text\)/,
    );
    const binary = scree(['transform', 'm.json', 'gaps.csv', '--missing', 'drop', '--label', 'id', '-o', 's.npy']);
    expect(binary.err).toMatch(/Names of rows are not written to \.npy files/);
  });

  it('do not change the row numbers in messages and in a report', () => {
    const text = table(['a', 'b', 'c'], [1, 2, 30]).split('\n');
    text[21] = 'inf,1,1';
    write('infinite.csv', text.join('\n'));
    const fit = scree(['fit', 'infinite.csv', '--missing', 'drop', '-k', '1']);
    expect(fit.code).toBe(1);
    expect(fit.err).toMatch(/Row 21 of infinite\.csv has Infinity in column a/);
    text[21] = '0,0,0';
    text[40] = '0,0,8';
    write('far.csv', text.join('\n'));
    expect(scree(['report', 'far.csv', '--missing', 'drop', '-k', '1', '-o', 'far.html']).code).toBe(0);
    const [, farthest] = readFileSync(path('far.html'), 'utf8').split(
      'Rows are counted from 1, as they are in the data',
    );
    expect(/<tbody>.*?>(\d+)</s.exec(farthest)?.[1]).toBe('40');
  });
});

describe('an output', () => {
  it('never overwrites a file that is read', () => {
    write('keep.csv', table(['a', 'b', 'c']));
    symlinkSync('keep.csv', path('link.csv'));
    const before = readFileSync(path('keep.csv'), 'utf8');
    for (const args of [
      ['transform', 'm.json', 'keep.csv', '-o', 'keep.csv'],
      ['transform', 'm.json', 'keep.csv', '-o', 'link.csv'],
      ['fit', 'keep.csv', '--checkpoint', 'keep.csv'],
    ]) {
      const { code, err } = scree(args);
      expect(code, args.join(' ')).toBe(1);
      expect(err).toMatch(/is the input, and would be overwritten\. Give the output another name/);
      expect(readFileSync(path('keep.csv'), 'utf8')).toBe(before);
    }
    for (const command of ['report', 'compress']) {
      const { code, err } = scree([command, 'keep.csv', '-o', 'keep.csv']);
      expect(code, command).toBe(2);
      expect(err).toMatch(/not as \.csv/);
      expect(readFileSync(path('keep.csv'), 'utf8')).toBe(before);
    }
    const model = readFileSync(path('m.json'), 'utf8');
    expect(scree(['transform', 'm.json', 'keep.csv', '-o', 'm.json']).code).toBe(2);
    expect(scree(['report', 'keep.csv', '--model', 'm.json', '-o', 'm.json']).code).toBe(2);
    expect(scree(['fit', 'keep.csv', '--checkpoint', 'm.json']).err).toMatch(/m\.json is not a checkpoint/);
    expect(readFileSync(path('m.json'), 'utf8')).toBe(model);
  });

  it('is not a table if it is a model', () => {
    const { code, err } = scree(['fit', 'keep.csv', '-k', '1', '-o', 'model.csv']);
    expect(code).toBe(2);
    expect(err).toMatch(/scree inspect model\.json -o model\.csv writes the components/);
    expect(existsSync(path('model.csv'))).toBe(false);
  });

  it('is written through a link to a missing file, which stays a link', () => {
    symlinkSync('behind.json', path('dangling.json'));
    expect(scree(['fit', 'keep.csv', '-k', '1', '-o', 'dangling.json', '-q']).code).toBe(0);
    expect(existsSync(path('behind.json'))).toBe(true);
  });
});

it.each(['npy', 'csv', 'tsv', 'parquet', 'arrow'])('components of a model become a table: .%s', async (ending) => {
  const { code, err } = scree(['inspect', 'm.json', '-o', `components.${ending}`]);
  expect(code, err).toBe(0);
  const { components } = JSON.parse(readFileSync(path('m.json'), 'utf8'));
  expect(components).toBeDefined();
  const file = await openFile(path(`components.${ending}`));
  if (ending !== 'npy') expect(file.columns).toEqual(['a', 'b', 'c']);
  await file.close();
  const model = JSON.parse(scree(['inspect', 'm.json', '--json']).out);
  expect(await numbers(`components.${ending}`)).toEqual(model.components.flat());
  if (ending === 'csv') {
    const lines = readFileSync(path('components.csv'), 'utf8').split('\n');
    expect(lines[0]).toBe('component,a,b,c');
    expect(lines[1]).toMatch(/^PC1,/);
  }
});

describe('--transpose', () => {
  write('genes.csv', 'gene,s1,s2,s3,s4\ng1,1,2,3,9\ng2,4,1,6,2\ng3,7,3,9,4\n');
  write('samples.csv', 'gene,g1,g2,g3\ns1,1,4,7\ns2,2,1,3\ns3,3,6,9\ns4,9,2,4\n');

  it('fits, transforms and analyses a table of genes in rows as the table of samples in rows', () => {
    const byRows = ['fit', 'samples.csv', '--name', 'gene', '--bootstrap', '0', '-q'];
    const byColumns = ['fit', 'genes.csv', '--transpose', '--bootstrap', '0', '-q'];
    expect(scree([...byRows, '-o', 'rows.json', '--scores', 'rows.csv'])).toMatchObject({ code: 0 });
    expect(scree([...byColumns, '-o', 'columns.json', '--scores', 'columns.csv'])).toMatchObject({ code: 0 });
    expect(readFileSync(path('columns.csv'), 'utf8')).toBe(readFileSync(path('rows.csv'), 'utf8'));
    const modelOf = (file: string): { components: unknown; variances: unknown; columnNames: unknown } =>
      JSON.parse(readFileSync(path(file), 'utf8'));
    expect(modelOf('columns.json').components).toEqual(modelOf('rows.json').components);
    expect(modelOf('columns.json').columnNames).toEqual(['g1', 'g2', 'g3']);
    expect(scree(['transform', 'rows.json', 'genes.csv', '--transpose', '-o', 'again.csv'])).toMatchObject({ code: 0 });
    expect(readFileSync(path('again.csv'), 'utf8')).toBe(readFileSync(path('rows.csv'), 'utf8'));
  });

  it('chooses columns of the transposed table, and appends scores to it', () => {
    const chosen = ['fit', 'genes.csv', '--transpose', '--columns', 'g3,g1', '-k', '1', '-q'];
    expect(scree([...chosen, '--scores', 'all.csv', '--append'])).toMatchObject({ code: 0 });
    const [header, first] = readFileSync(path('all.csv'), 'utf8').split('\n');
    expect([header, first]).toEqual(['gene,g1,g2,g3,PC1', expect.stringMatching(/^s1,1,4,7,-?\d/)]);
  });

  it('reads standard input', () => {
    const { code, out } = scree(['fit', '-', '--transpose', '--json', '-q'], {
      input: readFileSync(path('genes.csv')),
    });
    expect([code, JSON.parse(out).columnNames]).toEqual([0, ['g1', 'g2', 'g3']]);
  });
});
