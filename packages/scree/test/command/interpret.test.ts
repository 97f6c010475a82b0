import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { npy, useBinary } from './binary.js';

/** The meanings of components: `scree analyze` through the real binary. Reference values are FactoMineR's. */

const binary = useBinary('interpret');
const { run, write, refused, path } = binary;

const copy = (name: string, from: string): string =>
  write(name, readFileSync(new URL(`../../../${from}`, import.meta.url)));
const WINE = copy('wine.csv', 'lab/src/data/wine.csv');
const DECATHLON = copy('decathlon2.csv', 'core/test/fixtures/decathlon2.csv');
const ALL_COLUMNS = copy('decathlon2-all.csv', 'core/test/fixtures/decathlon2-all.csv');
const ARRESTS = copy('usarrests.csv', 'core/test/fixtures/usarrests.csv');
const AS_FACTOMINER = ['--scale', 'unit', '--ddof', '0'];

interface Json {
  readonly k: number;
  readonly variances: readonly number[];
  readonly scale: readonly number[];
  readonly columns: readonly {
    readonly name: string;
    readonly correlation: readonly number[];
    readonly cos2: readonly number[];
    readonly contribution: readonly number[];
    readonly communality: number;
  }[];
  readonly rows:
    | readonly {
        readonly row: number;
        readonly name: string | null;
        readonly cos2: readonly number[];
        readonly contribution: readonly number[];
      }[]
    | null;
  readonly supplementary: {
    readonly columns: readonly { readonly name: string; readonly correlation: number[]; readonly cos2: number[] }[];
    readonly rows:
      | readonly { readonly row: number; readonly name: string; readonly scores: number[]; readonly cos2: number[] }[]
      | null;
  };
  readonly groups: readonly {
    readonly column: string;
    readonly level: string;
    readonly n: number;
    readonly center: number[];
    readonly vTest: number[];
  }[];
  readonly eta2: readonly { readonly column: string; readonly values: number[] }[];
  readonly rotation: {
    readonly method: string;
    readonly k: number;
    readonly loadings: readonly (readonly number[])[];
    readonly phi: readonly (readonly number[])[];
  } | null;
  readonly descriptions: readonly (string | null)[];
  readonly notComputed: { readonly rows?: string; readonly rotation?: string };
}

const json = (args: readonly string[], input?: string): Json =>
  binary.json(['analyze', ...args, '--bootstrap', '0'], input === undefined ? {} : { input });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const section = (out: string, title: string): string => out.split(`\n${title}\n`)[1]?.split('\n\n')[0] ?? '';

describe('scree analyze', () => {
  it('has correlations, cos2 and contributions of columns and rows, as FactoMineR', () => {
    const { columns, rows } = json([DECATHLON, ...AS_FACTOMINER, '--name', 'index']);
    const x100m = columns[0];
    expect(x100m.name).toBe('X100m');
    expect(Math.abs(x100m.correlation[0])).toBeCloseTo(0.85062569, 8);
    expect(x100m.cos2[0]).toBeCloseTo(0.72356407, 8);
    expect(x100m.contribution[0]).toBeCloseTo(17.544293, 6);
    const sebrle = rows?.[0];
    expect(sebrle).toMatchObject({ row: 1, name: 'SEBRLE' });
    expect(sebrle?.cos2[1]).toBeCloseTo(0.49747323, 8);
    expect(sebrle?.contribution[1]).toBeCloseTo(5.9714533, 7);
  });

  it('has contributions that add up to 100 % per component, and cos2 of all components that add up to 1', () => {
    const { k, columns, rows } = json([WINE, '--all', '--scale', 'unit']);
    for (let c = 0; c < k; c++) {
      expect(sum(columns.map(({ contribution }) => contribution[c]))).toBeCloseTo(100, 9);
      expect(sum((rows ?? []).map(({ contribution }) => contribution[c]))).toBeCloseTo(100, 9);
    }
    for (const { cos2, communality } of columns) {
      expect(sum(cos2)).toBeCloseTo(1, 9);
      expect(communality).toBeCloseTo(1, 9);
    }
    expect(rows).toHaveLength(178);
    for (const { cos2 } of rows ?? []) expect(sum(cos2)).toBeCloseTo(1, 9);
  });

  it('counts weighted rows in the contributions', () => {
    const lines = readFileSync(new URL('../../../core/test/fixtures/decathlon2.csv', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const weighted = lines.map((each, i) => `${each},${i === 0 ? 'times' : 1 + (i % 3)}`).join('\n');
    const { k, rows } = json([write('weighted.csv', weighted), '--scale', 'unit', '--weight', 'times']);
    for (let c = 0; c < k; c++) expect(sum((rows ?? []).map((each) => each.contribution[c]))).toBeCloseTo(100, 9);
  });

  it('numbers rows as the file does if rows are dropped', () => {
    const file = write('gap.csv', 'a,b\n1,2\n2,\n3,1\n5,4\n4,9\n');
    const { rows } = json([file, '--missing', 'drop']);
    expect(rows?.map(({ row }) => row)).toEqual([1, 3, 4, 5]);
  });

  it('says why rows are not listed if they are too many', () => {
    const { rows, notComputed, columns } = json([
      write(
        'long.npy',
        npy(10_001, 2, (at) => Math.sin(at * at)),
      ),
    ]);
    expect(rows).toBeNull();
    expect(notComputed.rows).toMatch(/^10,001 rows are too many/);
    expect(columns.map(({ name }) => name)).toEqual(['0', '1']);
  });

  it('describes each recommended component in a sentence', () => {
    const { code, out, err } = run(['analyze', WINE, '--scale', 'unit', '--exclude', 'cultivar', '--full', '-q']);
    expect(code, err).toBe(0);
    const said = section(out, 'What they mean').replace(/\s+/g, ' ');
    expect(said).toMatch(/PC1 \(36 %\): (more|less) .*flavanoids/);
    expect(said).toMatch(/PC2 \(19 %\): /);
    expect(said).not.toMatch(/PC4 /);
  });

  it('describes nothing where no component stands out of noise', () => {
    const state = { at: 3 };
    const uniform = (): number => {
      state.at = (state.at * 48_271) % 2_147_483_647;
      return state.at / 2_147_483_647;
    };
    const lines = Array.from({ length: 300 }, () => Array.from({ length: 5 }, () => uniform().toFixed(5)).join(','));
    const { out } = run([
      'analyze',
      write('noise.csv', `a,b,c,d,e\n${lines.join('\n')}\n`),
      '--scale',
      'unit',
      '--full',
      '-q',
    ]);
    expect(section(out, 'What they mean')).toBe('  No component stands out of noise, so none is described.');
  });
});

describe('scree analyze --supplementary --group --supplementary-rows', () => {
  const flags = [...AS_FACTOMINER, '--supplementary', 'Rank,Points', '--group', 'Competition', '--name', 'index'];

  it('has the values of FactoMineR', () => {
    const { columns, rows, supplementary, groups, eta2 } = json([
      ALL_COLUMNS,
      ...flags,
      '--supplementary-rows',
      '24-27',
    ]);
    expect(columns).toHaveLength(10);
    expect(rows).toHaveLength(23);
    // FactoMineR's first component points the other way.
    const sign = Math.sign(columns[0].correlation[0]) === -1 ? 1 : -1;
    const points = supplementary.columns.find(({ name }) => name === 'Points');
    expect(sign * (points?.correlation[0] ?? 0)).toBeCloseTo(0.96370754, 8);
    expect(points?.cos2[0]).toBeCloseTo(0.96370754 ** 2, 7);
    const decastar = groups.find(({ level }) => level === 'Decastar');
    expect(decastar).toMatchObject({ column: 'Competition', n: 11 });
    expect(sign * (decastar?.vTest[0] ?? 0)).toBeCloseTo(-2.9707657, 7);
    expect(eta2.map(({ column }) => column)).toEqual(['Competition']);
    expect(eta2[0].values[0]).toBeCloseTo(0.40115675, 8);
    const karpov = supplementary.rows?.[0];
    expect(karpov).toMatchObject({ row: 24, name: 'KARPOV' });
    expect(sign * (karpov?.scores[0] ?? 0)).toBeCloseTo(0.79472064, 8);
    expect(Math.abs(karpov?.scores[1] ?? 0)).toBeCloseTo(0.77951227, 8);
  });

  it('gives the same for standard input', () => {
    const args = [...flags, '--supplementary-rows', '24-27'];
    const whole = readFileSync(new URL('../../../core/test/fixtures/decathlon2-all.csv', import.meta.url), 'utf8');
    const [file, input] = [json([ALL_COLUMNS, ...args]), json(['-', ...args], whole)];
    expect(input.supplementary).toEqual(file.supplementary);
    expect(input.groups).toEqual(file.groups);
  });

  it('keeps columns, groups and weights beside their rows if rows are dropped', () => {
    const lines = Array.from({ length: 40 }, (_, i) => {
      const a = i % 7 === 3 ? '' : Math.sin(i * i).toFixed(4);
      return `${a},${Math.cos(3 * i * i).toFixed(4)},${i % 5 === 1 ? '' : i},${'xyz'[i % 3]},${1 + (i % 2)}`;
    });
    const head = 'a,b,extra,kind,times';
    const gaps = write('with-gaps.csv', [head, ...lines].join('\n'));
    const clean = write('without.csv', [head, ...lines.filter((each) => !each.startsWith(','))].join('\n'));
    const how = ['--supplementary', 'extra', '--group', 'kind', '--weight', 'times', '--missing', 'drop'];
    const [dropped, whole] = [json([gaps, ...how]), json([clean, ...how])];
    expect(dropped.supplementary).toEqual(whole.supplementary);
    expect(dropped.groups).toEqual(whole.groups);
    expect(dropped.eta2).toEqual(whole.eta2);
    expect(sum(dropped.groups.map(({ n }) => n))).toBe(
      sum(lines.filter((each) => !each.startsWith(',')).map((each) => Number(each.at(-1)))),
    );
  });

  it('says it in the sentence about the component', () => {
    const { out } = run(['analyze', ALL_COLUMNS, ...flags, '--supplementary-rows', '24-27', '--full', '-q']);
    const said = section(out, 'What they mean').replace(/\s+/g, ' ');
    expect(said).toMatch(/correlates with Points \(r −?\.96\) and Rank \(r −?\.70\)/);
    expect(said).toMatch(/\(Competition, η² \.40\)/);
    expect(section(out, 'Supplementary rows')).toMatch(/ 24 .* KARPOV/);
    expect(out.replace(/\s+\\?\s*/g, ' ')).toMatch(
      /scree report .* --supplementary Rank,Points --group Competition .* -o/,
    );
  });

  it('refuses rows that the file does not have, and a column that is everything at once', () => {
    expect(refused(['analyze', ALL_COLUMNS, '--supplementary-rows', '24-28'])).toMatch(
      /--supplementary-rows has row 28, and there are 27 rows/,
    );
    expect(refused(['analyze', ALL_COLUMNS, '--supplementary', 'Rank', '--group', 'Rank'])).toMatch(/--group Rank/);
    expect(run(['analyze', ALL_COLUMNS, '--supplementary-rows', '0-3']).code).toBe(2);
    expect(refused(['analyze', ALL_COLUMNS, '--supplementary', 'Competition'])).toMatch(/Use --group Competition/);
  });
});

describe('scree analyze --rotate', () => {
  const rotation = (method: string) => {
    const found = json([ARRESTS, '--scale', 'unit', '-k', '2', '--rotate', method]).rotation;
    if (!found) throw new TypeError('a rotation was expected');
    return found;
  };

  it('has the loadings and correlations of R’s psych', () => {
    const { method, k, loadings, phi } = rotation('varimax');
    expect({ method, k }).toEqual({ method: 'varimax', k: 2 });
    expect(loadings[0][0]).toBeCloseTo(0.93895778, 7);
    expect(Math.abs(loadings[1][0])).toBeCloseTo(0.06115496, 7);
    expect(loadings[0][0] ** 2 + loadings[1][0] ** 2).toBeCloseTo(0.88538165, 7);
    expect(phi[0][1]).toBeCloseTo(0, 12);
    expect(Math.abs(rotation('promax').phi[0][1])).toBeCloseTo(0.35777869, 7);
    expect(Math.abs(rotation('oblimin').phi[0][1])).toBeCloseTo(0.21255888, 6);
  });

  it('prints a table, and rotates as many components as are recommended', () => {
    const { out, code } = run(['analyze', WINE, '--scale', 'unit', '--rotate', 'oblimin', '--bootstrap', '0', '-q']);
    expect(code).toBe(0);
    expect(out).toMatch(/\nRotated loadings \(oblimin\)\n +RC1 +RC2 +RC3 {2}column\n/);
    expect(out).toMatch(/correlation with RC3/);
    expect(out).toMatch(/not eigenvalues/);
  });

  it('is null if it was not asked for', () => {
    expect(json([ARRESTS, '--scale', 'unit']).rotation).toBeNull();
  });
});

describe('scree compare', () => {
  const model = (name: string, args: readonly string[]): string => {
    const path = write(name, '');
    const { code, err } = run(['fit', ...args, '-o', path, '-q', '--bootstrap', '0']);
    expect(code, err).toBe(0);
    return path;
  };

  it('finds a model equal to itself, whatever the order of its columns', () => {
    const a = model('a.json', [WINE, '--scale', 'unit', '-k', '3', '--columns', 'alcohol,malic_acid,ash,hue,proline']);
    const b = model('b.json', [WINE, '--scale', 'unit', '-k', '3', '--columns', 'proline,ash,hue,malic_acid,alcohol']);
    const { out, code } = run(['compare', a, b, '--json']);
    expect(code).toBe(0);
    const { columns, angles, matches, rv, procrustes, warnings } = JSON.parse(out);
    expect(columns).toHaveLength(5);
    for (const angle of angles) expect(angle).toBeLessThan(1e-7);
    expect(matches.map(({ first, second }: { first: number; second: number }) => [first, second])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(rv).toBeCloseTo(1, 12);
    expect(procrustes.ss).toBeCloseTo(0, 12);
    expect(warnings).toEqual([]);
    expect(run(['compare', a, b]).out).toMatch(/PC1 and PC1: −?1\.000, equal/);
  });

  it('names columns of one model only, and warns if scales differ', () => {
    const a = model('c.json', [WINE, '--scale', 'unit', '-k', '2', '--columns', 'alcohol,ash,hue,proline']);
    const b = model('d.json', [WINE, '-k', '2', '--columns', 'alcohol,ash,hue,flavanoids']);
    const { out } = run(['compare', a, b]);
    expect(out).toMatch(/3 columns are in both\.\n.*c\.json, and not compared: proline\.\n.*d\.json, .*: flavanoids\./);
    expect(out).toMatch(/\nWarning: The models scale their columns differently/);
  });

  it('refuses models without a column in common, in one line', () => {
    const a = model('e.json', [WINE, '-k', '1', '--columns', 'alcohol,ash']);
    const b = model('f.json', [ARRESTS, '-k', '1']);
    const { code, err } = run(['compare', a, b]);
    expect(code).toBe(1);
    expect(err).toMatch(/^scree: .*no column in common/);
  });
});

describe('scree analyze --tables', () => {
  const read = (file: string): string[][] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((each) => each.split(','));
  const args = ['--scale', 'unit', '--name', 'index', '-k', '3'];
  const beside = ['--supplementary', 'Rank,Points', '--group', 'Competition', '--supplementary-rows', '3,24-27'];

  it('has the numbers of --json', () => {
    const folder = path('tables');
    const found = json([ALL_COLUMNS, ...args, ...beside, '--rotate', 'varimax', '--tables', folder]);
    expect(readdirSync(folder).sort()).toEqual([
      'columns.csv',
      'covariates.csv',
      'eta2.csv',
      'groups.csv',
      'rotation.csv',
      'rows.csv',
      'supplementary-columns.csv',
      'supplementary-rows.csv',
    ]);
    const [head, ...rows] = read(join(folder, 'rows.csv'));
    expect(head.slice(0, 3)).toEqual(['index', 'row', 'score_PC1']);
    expect(rows.map(([name, row]) => [name, Number(row)])).toEqual(found.rows?.map(({ name, row }) => [name, row]));
    expect(rows[2][1]).toBe('4');
    const at = head.indexOf('contribution_PC2');
    expect(rows.map((row) => Number(row[at]))).toEqual(found.rows?.map(({ contribution }) => contribution[1]));
    const [, ...columns] = read(join(folder, 'columns.csv'));
    expect(columns.map(([name, ...values]) => [name, ...values.slice(0, 3).map(Number)])).toEqual(
      found.columns.map(({ name, correlation }) => [name, ...correlation]),
    );
    const [, ...groups] = read(join(folder, 'groups.csv'));
    expect(groups.map(([column, level, n]) => [column, level, Number(n)])).toEqual(
      found.groups.map(({ column, level, n }) => [column, level, n]),
    );
    const [, ...apart] = read(join(folder, 'supplementary-rows.csv'));
    expect(apart.map(([name, row, score]) => [Number(row), name, Number(score)])).toEqual(
      found.supplementary.rows?.map(({ row, name, scores }) => [row, name, scores[0]]),
    );
  });

  it('has all supplementary rows, also if they are too many to list', () => {
    const lines = Array.from({ length: 11_100 }, (_, i) => `${(i * 7919) % 1009},${(i * 104_729) % 997},${i % 13}`);
    const file = write('many.csv', `a,b,c\n${lines.join('\n')}\n`);
    const found = json([file, '-k', '2', '--supplementary-rows', '1-11000', '--tables', 'many']);
    expect(found.supplementary.rows).toBeNull();
    expect(found.notComputed).toMatchObject({
      supplementaryRows: expect.stringMatching(/Use --tables FOLDER to write all/),
    });
    const [head, ...rows] = readFileSync(path('many/supplementary-rows.csv'), 'utf8').trim().split('\n');
    expect(head).toBe('row,score_PC1,score_PC2,cos2_PC1,cos2_PC2,squared_distance');
    expect(rows).toHaveLength(11_000);
    expect(rows[10_999]).toMatch(/^11000,/);
    expect(readFileSync(path('many/rows.csv'), 'utf8').trim().split('\n')).toHaveLength(101);
  });

  it('numbers the rows of the file if some are dropped', () => {
    const folder = path('dropped');
    json([write('gaps.csv', 'a,b\n1,2\n2,\n3,1\n5,4\n4,9\n'), '--missing', 'drop', '--tables', folder]);
    const [, ...rows] = read(join(folder, 'rows.csv'));
    expect(rows.map(([row]) => Number(row))).toEqual([1, 3, 4, 5]);
  });

  it('writes rows of more than one block, as Parquet, whose contributions add up to 100 %', () => {
    const folder = path('parquet');
    const file = write(
      'many.npy',
      npy(200_000, 3, (at) => Math.sin(at * at)),
    );
    json([file, '-k', '2', '--memory', '16MB', '--tables', folder, '--tables-format', 'parquet']);
    const { out, code, err } = run([
      'fit',
      join(folder, 'rows.parquet'),
      '-k',
      '1',
      '--json',
      '-q',
      '--columns',
      'contribution_PC1,contribution_PC2',
      '--bootstrap',
      '0',
    ]);
    expect(code, err).toBe(0);
    const { n, mean } = JSON.parse(out);
    expect(n).toBe(200_000);
    for (const each of mean) expect(each * n).toBeCloseTo(100, 8);
  });

  it('refuses to write over the file that it reads, and flags without --tables', () => {
    const folder = path('own');
    mkdirSync(folder);
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'a,b\n1,2\n3,1\n5,4\n');
    const { code, err } = run(['analyze', file, '--tables', folder]);
    expect(code).toBe(1);
    expect(err).toMatch(/is the input/);
    expect(run(['analyze', file, '--tables-format', 'tsv']).code).toBe(2);
  });
});

describe('scree analyze --column-weights', () => {
  const lines = readFileSync(new URL('../../../core/test/fixtures/decathlon2.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((each, i) => `${each},${i === 0 ? 'times' : i}`);
  const file = write('times.csv', lines.join('\n'));
  const fit = (weights: string): Json =>
    json([file, ...AS_FACTOMINER, '--weight', 'times', '--column-weights', write('weights.txt', weights)]);

  it('has the variances of FactoMineR, from lines or from JSON', () => {
    const { variances } = fit('column,weight\nLong.jump,2\n');
    expect(variances[0]).toBeCloseTo(4.979175581, 8);
    expect(variances[1]).toBeCloseTo(1.946186091, 8);
    expect(fit('"Long.jump",2').variances).toEqual(variances);
    expect(fit('{"Long.jump": 2, "X100m": 1}').variances).toEqual(variances);
  });

  it('refuses columns that are not analysed, and weights that are not numbers above 0', () => {
    const refusal = (weights: string): string => {
      const { code, err } = run(['analyze', file, '--column-weights', write('bad.txt', weights)]);
      expect(code).toBe(2);
      return err;
    };
    expect(refusal('Longjump,2')).toMatch(/weight of "Longjump", which is not a column/);
    expect(refusal('X100m,0')).toMatch(/above 0/);
    expect(refusal('X100m,1\nX100m,2')).toMatch(/two weights/);
    expect(refusal('{"X100m": ')).toMatch(/not valid JSON/);
  });
});

describe('--scale median', () => {
  it('divides columns by 1.4826 times their median absolute deviation', () => {
    const { scale } = json([ARRESTS, '--scale', 'median']);
    const murder = readFileSync(new URL('../../../core/test/fixtures/usarrests.csv', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((each) => Number(each.split(',')[1]));
    const median = (values: readonly number[]): number => {
      const sorted = [...values].sort((a, b) => a - b);
      const half = sorted.length / 2;
      return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
    };
    const center = median(murder);
    expect(scale[0]).toBeCloseTo(1.4826 * median(murder.map((value) => Math.abs(value - center))), 12);
  });

  it('refuses a column whose values are mostly the same, with the flags that help', () => {
    expect(refused(['analyze', write('same.csv', 'a,b\n1,2\n1,3\n1,9\n4,1\n'), '--scale', 'median'])).toMatch(
      /column a are the same.* Use --exclude a, or --scale unit\./,
    );
  });

  it('cannot be computed from the sums of a checkpoint', () => {
    expect(refused(['fit', ARRESTS, '--scale', 'median', '--checkpoint', path('sums')])).toMatch(/--scale median/);
  });
});
