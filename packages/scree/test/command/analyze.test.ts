import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Choice, Stability, Warning } from 'scree';
import { describe, expect, it } from 'vitest';
import { npy, PROGRAM, useBinary } from './binary.js';

/** How many components, how stable, which rows: what `fit` and `analyze` say, through the real binary. */

const binary = useBinary('analyze');
const { folder, run, write, text } = binary;

const copy = (name: string, from: string): string =>
  write(name, readFileSync(new URL(`../../../${from}`, import.meta.url)));
const WINE = copy('wine.csv', 'lab/src/data/wine.csv');
const IRIS = copy('iris.csv', 'files/test/tables/iris.csv');
const AIR = copy('airquality.csv', 'files/test/tables/airquality.csv');
const DECATHLON = copy('decathlon2.csv', 'core/test/fixtures/decathlon2-27.csv');

/** Numbers that look random, the same in every run: a table of independent columns. */
function table(name: string, rows: number, cols: number, factor: (j: number) => number = () => 1): string {
  let state = 7;
  const uniform = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const head = Array.from({ length: cols }, (_, j) => `v${j + 1}`).join(',');
  const lines = Array.from({ length: rows }, () =>
    Array.from({ length: cols }, (_, j) => (factor(j) * normal()).toFixed(5)).join(','),
  );
  return write(name, `${head}\n${lines.join('\n')}\n`);
}

interface Json {
  readonly n: number;
  readonly k: number;
  readonly choice: Choice | null;
  readonly stability: Stability | null;
  readonly notComputed: { readonly choice?: string; readonly stability?: string; readonly unusual?: string };
  readonly warnings: readonly Warning[];
  readonly spectrum: readonly number[] | null;
  readonly variances: readonly number[];
  readonly unusual: {
    readonly components: number;
    readonly rows: readonly { row: number; name: string | null; t2: number; q: number }[];
  } | null;
  readonly table: { readonly rows: number; readonly dropped: number; readonly leftOut: readonly { name: string }[] };
}

const json = (args: readonly string[], input?: string): Json => binary.json(args, input === undefined ? {} : { input });

const line = (out: string, start: string): string => out.split('\n').find((each) => each.startsWith(start)) ?? '';
const degrees = (radians: number): number => (180 / Math.PI) * radians;

describe('scree fit', () => {
  it('says how many components of wine to keep and that these are stable', () => {
    const out = text(['fit', WINE, '--scale', 'unit']);
    expect(line(out, 'How many: ')).toMatch(/^How many: Keep 3: .*parallel analysis.* agree; /);
    expect(line(out, 'How stable: ')).toMatch(
      /^How stable: PC1, PC2 and PC3 are stable \(±\d+°, ±\d+°, ±\d+°\); PC4 to PC7.* may change places in another sample/,
    );
    expect(line(out, 'Rounding: ')).not.toBe('');
    expect(out).not.toMatch(/^Warning/m);
    expect(out).not.toMatch(/determined by the data/);
  }, 60_000);

  it('warns of the column that dominates, and keeps ten components unless it is asked', () => {
    const out = text(['fit', WINE]);
    expect(line(out, 'Warning: ')).toMatch(/proline has 99\.\d\s% of the variance.*--scale unit/);
    expect(out).toMatch(/^10 components keep/m);
  }, 60_000);

  it('calls no axis of decathlon2 stable that a bootstrap turns by 50°', () => {
    const out = line(text(['fit', DECATHLON, '--scale', 'unit']), 'How stable: ');
    expect(out).not.toMatch(/PC2.* (is|are) stable/);
    expect(out).toMatch(/another sample/);
  }, 60_000);

  it('--components auto fits as many as are recommended, or as a criterion says', () => {
    const auto = json(['fit', WINE, '--scale', 'unit', '--components', 'auto', '--bootstrap', '0']);
    expect(auto).toMatchObject({ k: 3, choice: { k: 3 }, stability: null });
    expect(auto.notComputed.stability).toMatch(/--bootstrap 0/);
    const stick = json(['fit', WINE, '--scale', 'unit', '-k', 'broken-stick', '--bootstrap', '0']);
    expect(stick).toMatchObject({ k: 2, choice: { k: 2, criteria: [{ name: 'broken-stick', k: 2 }] } });
    const refused = run(['fit', WINE, '-k', 'kaiser', '-q']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^scree: -k kaiser is for correlations: it applies with --scale unit\. Use -k auto/);
    expect(run(['fit', WINE, '-k', 'scree'])).toMatchObject({ code: 2, out: '' });
    expect(run(['fit', WINE, '--bootstrap', '5'])).toMatchObject({ code: 2, out: '' });
  }, 60_000);

  it('stores what it found in the model, and inspect shows it', () => {
    const fitted = json(['fit', IRIS, '-o', 'iris.json', '--bootstrap', '50']);
    expect(fitted.stability?.replicates).toBe(50);
    const stored = json(['inspect', 'iris.json']);
    expect(stored.choice).toEqual(fitted.choice);
    expect(stored.stability).toEqual(fitted.stability);
    const out = text(['inspect', 'iris.json']);
    expect(line(out, 'How many: ')).toBe(`How many: ${fitted.choice?.reason}`);
    expect(line(out, 'How stable: ')).toMatch(/PC1/);
  }, 60_000);

  it('gives the same numbers for standard input as for a file', () => {
    const file = json(['fit', IRIS]);
    const piped = json(
      ['fit', '-'],
      readFileSync(new URL('../../../files/test/tables/iris.csv', import.meta.url), 'utf8'),
    );
    expect(piped.choice?.k).toBe(file.choice?.k);
    expect(piped.stability?.variances.length).toBe(4);
    piped.stability?.variances.forEach(([low, high], i) => {
      expect(low).toBeCloseTo(file.stability?.variances[i][0] ?? Number.NaN, 8);
      expect(high).toBeCloseTo(file.stability?.variances[i][1] ?? Number.NaN, 8);
    });
  }, 60_000);

  it('asks the sums of a checkpoint, and draws from the file', () => {
    const { choice, stability } = json(['fit', WINE, '--scale', 'unit', '--checkpoint', 'wine.part']);
    expect(choice?.k).toBe(3);
    expect(choice?.criteria.find(({ name }) => name === 'permutation')).toMatchObject({ k: null });
    expect(stability?.replicates).toBe(200);
  }, 60_000);

  it('does not draw from a large table unless it is asked, and says how to', () => {
    write(
      'large.npy',
      npy(1_010_000, 10, (at) => Math.sin(at * at)),
    );
    const found = json(['fit', 'large.npy', '-k', '2']);
    expect(found.stability).toBeNull();
    expect(found.notComputed.stability).toMatch(/1,010,000 × 10 .*--bootstrap 200/);
    expect(line(text(['fit', 'large.npy', '-k', '2']), 'How stable: ')).toMatch(
      /^How stable: not examined\. .*--bootstrap/,
    );
  }, 120_000);

  it('leaves criteria that count rows out if rows have weights', () => {
    const rows = Array.from(
      { length: 40 },
      (_, i) => `${Math.sin(i * i)},${Math.cos(i * 7)},${Math.sin(3 * i)},${i % 3}`,
    );
    write('weights.csv', `a,b,c,w\n${rows.join('\n')}\n`);
    const { choice, stability, n } = json(['fit', 'weights.csv', '--weight', 'w']);
    expect(n).toBe(26);
    expect(choice?.criteria.find(({ name }) => name === 'parallel')?.k).toBeNull();
    expect(stability?.replicates).toBe(200);
  }, 60_000);
});

describe('scree analyze', () => {
  const wine = run(['analyze', WINE, '--scale', 'unit', '--full', '-q']);
  const noise = table('noise.csv', 200, 10);

  it('with --full says all of it in lines of at most 80 characters, without colours', () => {
    expect(wine.code).toBe(0);
    expect(wine.err).toBe('');
    for (const each of wine.out.split('\n')) expect([...each].length, each).toBeLessThanOrEqual(80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for
    expect(wine.out).not.toMatch(/\x1b/);
    for (const heading of ['How many components', 'How stable they are', 'Unusual rows', 'Next'])
      expect(wine.out.split('\n')).toContain(heading);
    expect(wine.out).toMatch(/^Scaling: unit\./m);
    expect(wine.out).toMatch(/left out: cultivar\s+\(text\)/);
    expect(wine.out).toContain('scree report wine.csv --scale unit -o wine.html');
  });

  it('can be read in a minute: a headline, the scree plot, correlations, unusual rows, next steps', () => {
    const out = text(['analyze', WINE, '--scale', 'unit']);
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(45);
    for (const each of lines) expect([...each].length, each).toBeLessThanOrEqual(80);
    const headline = out
      .split('\n\n')[1]
      .replace(/\n {2}/g, ' ')
      .split('\n');
    expect(headline.length).toBeLessThanOrEqual(5);
    expect(headline[0]).toMatch(/^Keep 3 components, which keep 66\.5\s% of the variance: /);
    expect(headline[1]).toMatch(/^PC1 \(±\d+°\), PC2 \(±\d+°\) and PC3 \(±\d+°\) are stable/);
    expect(out).toMatch(/╰─ keep 3\n/);
    expect(out).toMatch(/^ +0\.92 .* flavanoids$/m);
    expect(out).toMatch(/^ +122 +20\.1 \*/m);
    expect(out).toContain('scree analyze wine.csv --scale unit --full');
    // Criteria, intervals and bounds are for --full.
    expect(out).not.toMatch(/kaiser|swaps|Rounding:/);
    expect(run(['analyze', WINE, '--full', '--json']).code).toBe(2);
  }, 60_000);

  it('does not say what is so of all data', () => {
    const out = text(['analyze', IRIS, '-k', '4']);
    expect(out).not.toMatch(/4 components keep 100|exact to|10⁻/);
  }, 60_000);

  it('leads to a page with two axes, also if one component is recommended or asked for', () => {
    const next = (args: readonly string[]): string =>
      /scree report .*?(?= {3}|$)/m.exec(text(['analyze', IRIS, ...args]))?.[0] ?? '';
    expect(next(['--bootstrap', '0'])).toBe('scree report iris.csv --scale none -o iris.html');
    expect(next(['--bootstrap', '0', '-k', '1'])).toBe(
      'scree report iris.csv --components 2 --scale none -o iris.html',
    );
  }, 60_000);

  it('calls no component stable beyond those that are recommended', () => {
    const { choice } = json(['fit', IRIS]);
    expect(choice?.k).toBe(1);
    for (const out of [text(['fit', IRIS]), text(['analyze', IRIS, '--full'])]) {
      expect(out).toMatch(/PC1 is stable \(±\d+°\)\.$/m);
      expect(out).not.toMatch(/stable.*PC2|PC2.*stable/);
    }
  }, 60_000);

  it('has one line per criterion, marked in the scree plot', () => {
    for (const [name, k] of [
      ['parallel', 3],
      ['permutation', 3],
      ['kaiser', 3],
      ['broken-stick', 2],
      ['profile-likelihood', 2],
      ['gavish-donoho', 3],
    ])
      expect(wine.out).toMatch(new RegExp(`^  ${name} +${k}  \\S`, 'm'));
    expect(wine.out).toMatch(/╰─ keep 3: [^╰]*parallel/);
    expect(wine.out).toMatch(/╰─ or 2: [^╰]*broken-stick/);
    expect(wine.out).toMatch(/│ marks what components have in permuted tables/);
  });

  it('finds the rows of wine that the literature finds, by T² and Q of three components', () => {
    const { unusual } = json(['analyze', WINE, '--scale', 'unit', '--name', 'cultivar']);
    expect(unusual?.components).toBe(3);
    expect(unusual?.rows.find(({ row }) => row === 122)?.t2).toBeCloseTo(20.051061, 5);
    expect(unusual?.rows.find(({ row }) => row === 96)?.q).toBeCloseTo(24.53328, 4);
    expect(unusual?.rows.find(({ row }) => row === 122)?.name).toBe('cultivar 2');
    expect(wine.out).toMatch(/Rows 70, 96, 111 and 122 are unusual/);
  }, 60_000);

  it('compares rows with as many components as are asked for', () => {
    expect(json(['analyze', WINE, '--scale', 'unit', '-k', '5']).unusual?.components).toBe(5);
  }, 60_000);

  it('says that nothing stands out of noise, that no axis is stable, and that no row is unusual', () => {
    const out = text(['analyze', noise, '--full']);
    expect(out).toMatch(/Nothing stands out of noise/);
    expect(out).toMatch(/^Warning: No component stands out of noise/m);
    expect(out).toMatch(/PC1 to PC10 may change places/);
    expect(out).toMatch(/╰─ keep none: /);
    expect(out).toMatch(/No row is unusual/);
    expect(out).not.toMatch(/stable \(|Keep \d/);
    const found = json(['analyze', noise]);
    expect(found.choice?.k).toBe(0);
    expect(found.warnings.map(({ code }) => code)).toContain('NO_STRUCTURE');
    expect(degrees(found.stability?.angles[0].median ?? 0)).toBeGreaterThan(30);
  }, 60_000);

  it('does not call axes unstable because columns are unrelated: unequal variances fix them', () => {
    const out = text(['analyze', table('unequal.csv', 200, 4, (j) => 3 ** j), '--scale', 'none', '--full']);
    expect(out).toMatch(/Nothing stands out of noise/);
    // A stable component of noise is still noise.
    expect(out).toMatch(/No component is recommended, so none is called stable\./);
    expect(out).not.toMatch(/swap in|change places|uncertain/);
    expect(out.replace(/\s+/g, ' ')).toMatch(/No component stands out of noise: the columns are no more related than/);
  }, 60_000);

  it('counts what was filled in or left out, and leads to the same with --scale unit', () => {
    const filled = text(['analyze', AIR, '--missing', 'mean', '--scale', 'none', '--full']);
    expect(filled).toMatch(/^Warning: 44 missing values were filled in .*Ozone\s+\(37\)/ms);
    expect(filled).toMatch(/scree analyze airquality\.csv --missing mean --scale unit/);
    const short = text(['analyze', AIR, '--missing', 'mean']).replace(/\s+/g, ' ');
    expect(short).toMatch(/44 missing values were filled in/);
    const dropped = json(['analyze', AIR, '--missing', 'drop']);
    expect(dropped.table).toMatchObject({ rows: 111, dropped: 42 });
    expect(run(['analyze', AIR])).toMatchObject({ code: 1, out: '' });
  }, 60_000);

  it('counts rows as the file does, also if rows before them were left out', () => {
    const lines = readFileSync(`${folder}/${noise}`, 'utf8').trim().split('\n');
    lines[5] = lines[5].replace(/^[^,]*/, '');
    lines[20] = lines[20].replace(/^[^,]*/, '60');
    write('outlier.csv', lines.join('\n'));
    const { table: read, unusual } = json(['analyze', 'outlier.csv', '--missing', 'drop']);
    expect(read).toMatchObject({ rows: 199, dropped: 1 });
    expect(unusual?.rows.map(({ row }) => row)).toEqual([20]);
    // Nothing stands out of noise: rows are compared with the mean alone.
    expect(unusual).toMatchObject({ components: 0, limits: { t2: null } });
    expect(text(['analyze', 'outlier.csv', '--missing', 'drop'])).toMatch(/Row 20 is unusual/);
  }, 60_000);

  it('--json has the names of the issue, as fit has them, and every number', () => {
    const [analysis, fitted] = [json(['analyze', IRIS, '--name', 'Species']), json(['fit', IRIS])];
    expect(analysis.choice).toEqual(fitted.choice);
    expect(analysis.stability).toEqual(fitted.stability);
    expect(analysis.variances).toEqual(fitted.variances);
    expect(analysis.choice?.criteria.map(({ name }) => name).sort()).toEqual(
      [
        ...['parallel', 'permutation', 'broken-stick', 'kaiser', 'gavish-donoho', 'mle', 'profile-likelihood', 'gcv'],
        ...['cross-validation', 'map', 'tracy-widom', 'elbow'],
      ].sort(),
    );
    expect(analysis.choice?.criteria.find(({ name }) => name === 'mle')?.k).toBe(3);
    const { replicates, variances, angles, swaps } = analysis.stability as Stability;
    expect([replicates, variances.length, angles.length, swaps.length]).toEqual([200, 4, 4, 3]);
    variances.forEach(([low, high], i) => {
      expect(low).toBeLessThan(analysis.variances[i]);
      expect(high).toBeGreaterThan(analysis.variances[i]);
    });
    expect(analysis.notComputed).toEqual({});
    expect(analysis.warnings).toEqual([]);
  }, 60_000);

  it('writes a model with -o, which has what was found', () => {
    expect(text(['analyze', IRIS, '-o', 'kept.json'])).toMatch(/PC1 \(±\d+°\) is stable/);
    expect(json(['inspect', 'kept.json'])).toMatchObject({ choice: { k: 1 }, stability: { replicates: 200 } });
    expect(run(['analyze', IRIS, '-o', 'kept.csv'])).toMatchObject({ code: 2, out: '' });
  }, 60_000);

  it.each([
    ['two rows', 'a,b,c\n1,2,3\n2,1,5\n', /It takes 3 rows or more, and there are 2\./],
    ['one column', 'a\n1\n2\n4\n8\n7\n', /There is only one column\./],
    ['constant data', 'a,b\n1,2\n1,2\n1,2\n1,2\n', /All rows are the same\./],
  ])(
    'of %s says why there is nothing to say',
    (_, content, why) => {
      write('small.csv', content);
      const out = text(['analyze', 'small.csv']);
      expect(out).toMatch(why);
      expect(out).not.toMatch(/uncertain|swap|stands out/);
      const found = json(['analyze', 'small.csv']);
      expect(found.choice).toBeNull();
      expect(found.notComputed.choice).toMatch(why);
    },
    60_000,
  );

  it('refuses one row in one line', () => {
    write('one.csv', 'a,b\n1,2\n');
    expect(run(['analyze', 'one.csv', '-q'])).toMatchObject({ code: 1, out: '' });
  });

  it('works if there are fewer rows than columns', () => {
    const found = json(['analyze', table('wide.csv', 12, 40)]);
    expect(found.choice?.k).toBe(0);
    expect(found.stability?.angles.length).toBe(10);
    expect(found.warnings.map(({ code }) => code)).toContain('FEW_ROWS');
  }, 60_000);

  it('ends at Ctrl-C in the middle of a bootstrap', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'analyze', noise, '--bootstrap', '100000'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const over = new Promise<number | null>((resolve) => child.on('exit', resolve));
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    expect(await over).toBe(130);
  }, 60_000);
});
