import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { PROCESS_ID } from '../../src/disk/process-id.js';
import { openFile, pca, readModel } from '../../src/index.js';

/** The real binary, in a folder of its own. */
const PROGRAM = fileURLToPath(new URL('../../dist/bin/scree.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scree-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function scree(args: readonly string[], input?: string): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    ...(input === undefined ? {} : { input }),
  });
  return { code: status, out: stdout, err: stderr };
}

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return name;
};

/** Numbers from a formula: three columns that hang together, and a word. */
const TABLE = [
  'a,b,c,kind',
  ...Array.from({ length: 60 }, (_, i) =>
    [Math.sin(i), 2 * Math.sin(i) + 0.1 * Math.cos(3 * i), Math.cos(7 * i), i % 2 ? 'odd' : 'even'].join(','),
  ),
].join('\n');

function npy(rows: number, cols: number, value: (at: number) => number): Uint8Array {
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${cols}), }`;
  const header = `${text.padEnd(118 - 1)}\n`;
  const bytes = Buffer.alloc(128 + 8 * rows * cols);
  bytes.write('\x93NUMPY\x01\x00', 0, 'latin1');
  bytes.writeUInt16LE(118, 8);
  bytes.write(header, 10, 'latin1');
  new Float64Array(bytes.buffer, bytes.byteOffset + 128, rows * cols).set(
    Array.from({ length: rows * cols }, (_, at) => value(at)),
  );
  return bytes;
}

describe('scree', () => {
  write('table.csv', TABLE);

  it('fits, transforms, reconstructs and inspects, in agreement with the library', async () => {
    const fit = scree(['fit', 'table.csv', '-k', '2', '-o', 'model.json']);
    expect(fit).toMatchObject({ code: 0 });
    expect(fit.out).toMatch(/2 components keep (99\.\d+|100)\s% of the variance of 3 columns/);
    expect(fit.err).toMatch(/left out: kind/);
    const model = await readModel(join(folder, 'model.json'));
    const file = await openFile(join(folder, 'table.csv'));
    const { solver } = model.plan;
    const truth = await pca(file.source, { k: 2, solver: solver === 'given' ? 'auto' : solver });
    await file.close();
    expect(model.components.data).toEqual(truth.components.data);
    expect(model.columnNames).toEqual(['a', 'b', 'c']);

    expect(scree(['transform', 'model.json', 'table.csv', '-o', 'scores.npy']).code).toBe(0);
    expect(scree(['reconstruct', 'model.json', 'scores.npy', '-o', 'back.csv']).code).toBe(0);
    const back = readFileSync(join(folder, 'back.csv'), 'utf8').trim().split('\n');
    expect(back[0]).toBe('a,b,c');
    expect(back.length).toBe(61);
    const scores = await openFile(join(folder, 'scores.npy'));
    expect(scores.source.cols).toBe(2);
    await scores.close();

    const inspect = scree(['inspect', 'model.json']);
    expect(inspect.out).toMatch(/2 components of 3 columns, fitted to 60 rows, centred\.\nColumns: a, b, c/);
    expect(scree(['inspect', 'model.json', '--json']).out).toContain('"uniqueness"');
  });

  it('writes a report and its figures, and shows hostile names as text', () => {
    write(
      'hostile.csv',
      TABLE.replace('a,b,c,kind', '<img src=x onerror=alert(1)>,b,c,kind').replaceAll('odd', '</script><b>odd'),
    );
    const { code, err } = scree([
      'report',
      'hostile.csv',
      '--label',
      'kind',
      '-k',
      '2',
      '-o',
      'report.html',
      '--figures',
      'svg',
    ]);
    expect(code).toBe(0);
    expect(err).toMatch(/The report: report\.html/);
    const html = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(html).not.toMatch(/<img src=x|<\/script><b>/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).toContain('scree report hostile.csv');
    expect(readdirSync(join(folder, 'svg')).filter((name) => name.endsWith('.svg')).length).toBeGreaterThan(4);
    rmSync(join(folder, 'svg'), { recursive: true });
    expect(scree(['report', '-', '-k', '1', '-o', 'piped.html', '-q'], TABLE)).toMatchObject({ code: 0, err: '' });
  });

  it('says in a report of a model and other rows what is computed from these rows', () => {
    const [head, ...lines] = TABLE.trim().split('\n');
    write('first.csv', [head, ...lines.slice(0, 40)].join('\n'));
    write('rest.csv', [head, ...lines.slice(40)].join('\n'));
    expect(scree(['fit', 'first.csv', '-k', '1', '-o', 'first.json', '-q']).code).toBe(0);
    expect(scree(['report', 'rest.csv', '--model', 'first.json', '-o', 'rest.html', '-q']).code).toBe(0);
    const html = readFileSync(join(folder, 'rest.html'), 'utf8');
    expect(html).toContain('The model was fitted earlier, to 40 rows.');
    expect(html).toContain('computed from the 20 rows of <bdi>rest.csv</bdi>');
    expect(html).toContain('rest.csv: CSV, 20 rows × 3 columns');
    expect(scree(['report', 'first.csv', '-k', '1', '-o', 'first.html', '-q']).code).toBe(0);
    expect(readFileSync(join(folder, 'first.html'), 'utf8')).not.toContain('fitted earlier');
  });

  it('names flags in the warnings of a report, as it does when it prints them', () => {
    write('dependent.csv', `a,b,sum\n${Array.from({ length: 9 }, (_, i) => `${i},${i * i},${i + i * i}`).join('\n')}`);
    const { out } = scree(['fit', 'dependent.csv', '-k', '3']);
    const [, warning] = /Warning: (Only 2 of the 3 .* Use -k 2 or less.*)$/m.exec(out) ?? [];
    expect(warning).toBeDefined();
    expect(scree(['report', 'dependent.csv', '-k', '3', '-o', 'dependent.html', '-q']).code).toBe(0);
    const html = readFileSync(join(folder, 'dependent.html'), 'utf8');
    expect(html.split(warning)).toHaveLength(2);
  });

  it('compresses and decompresses, and reports size and error', async () => {
    const done = scree(['compress', 'table.csv', '-k', '2', '-o', 'table.scree', '--json']);
    expect(done.code).toBe(0);
    const { bytes, rmsError, rows } = JSON.parse(done.out);
    expect(rows).toBe(60);
    expect(readFileSync(join(folder, 'table.scree')).length).toBe(bytes);
    expect(scree(['decompress', 'table.scree', '-o', 'restored.csv']).code).toBe(0);
    const numbers = (name: string): number[] =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .flatMap((line) => line.split(',').slice(0, 3).map(Number));
    const [before, after] = [numbers('table.csv'), numbers('restored.csv')];
    const error = Math.sqrt(before.reduce((sum, value, i) => sum + (value - after[i]) ** 2, 0) / before.length);
    expect(error).toBeCloseTo(rmsError, 6);
    // A model knows its columns by name: others beside them do not matter.
    write(
      'more.csv',
      TABLE.replace(/^(.*)$/gm, (line) => `${line.startsWith('a') ? 'z' : '1'},${line}`),
    );
    expect(scree(['compress', 'more.csv', '--model', 'model.json', '-o', 'm.scree', '-q']).code).toBe(0);
    expect(scree(['compress', 'table.csv', '-o', 'n.scree', '--recall']).out).toMatch(/Of the ten nearest neighbours/);
    expect(scree(['decompress', 'table.csv', '-o', 'x.npy']).code).toBe(1);
  });

  it('reads compressed files as data, with chosen columns and labels', () => {
    expect(scree(['compress', 'table.csv', '--all', '--quantise', 'float16', '-o', 'as-data.scree', '-q']).code).toBe(
      0,
    );
    const fit = scree(['fit', 'as-data.scree', '-k', '2', '--json', '-o', 'compressed.json']);
    const told = JSON.parse(fit.out);
    expect(told).toMatchObject({ n: 60, d: 3, columnNames: ['a', 'b', 'c'] });
    const truth = JSON.parse(scree(['fit', 'table.csv', '-k', '2', '--json']).out);
    expect(told.totalVariance).toBeCloseTo(truth.totalVariance, 2);
    expect(fit.err).toMatch(/scree, compressed, 60 rows × 3 columns/);
    // The model knows its columns by name, in whatever order they are asked for.
    expect(scree(['transform', 'compressed.json', 'as-data.scree', '-o', 'c.csv', '-q']).code).toBe(0);
    expect(readFileSync(join(folder, 'c.csv'), 'utf8').trim().split('\n').length).toBe(61);
    const two = scree(['fit', 'as-data.scree', '-k', '1', '--columns', 'c,a', '--label', 'b', '--json']);
    expect(JSON.parse(two.out).columnNames).toEqual(['c', 'a']);
    expect(JSON.parse(two.out).mean[1]).toBeCloseTo(told.mean[0], 12);
    expect(scree(['report', 'as-data.scree', '-k', '2', '--label', 'b', '-o', 'c.html', '-q'])).toMatchObject({
      code: 0,
    });
    const cut = readFileSync(join(folder, 'as-data.scree')).subarray(0, -20);
    expect(scree(['fit', write('cut.scree', cut), '-k', '1']).err).toMatch(/^scree: cut\.scree is cut off/m);
  });

  it('prints one JSON object to standard output and nothing else with --json', () => {
    const { out, code } = scree([
      'fit',
      'table.csv',
      '--variance',
      '0.9',
      '--scale',
      'unit',
      '--json',
      '--threads',
      '1',
    ]);
    expect(code).toBe(0);
    const told = JSON.parse(out);
    for (const name of [
      'n',
      'd',
      'k',
      'variances',
      'varianceRatios',
      'totalVariance',
      'mean',
      'components',
      'solver',
      'engine',
      'threads',
      'seconds',
      'warnings',
      'certificate',
    ]) {
      expect(told).toHaveProperty(name);
    }
    expect(told.n).toBe(60);
    expect(told.threads).toBe(1);
    expect(told.components.length).toBe(told.k);
    expect(told.components[0].length).toBe(3);
    expect(told.varianceRatios.reduce((a: number, b: number) => a + b)).toBeGreaterThanOrEqual(0.9);
  });

  it('reads standard input and chosen columns, and treats missing values as --missing says', () => {
    expect(JSON.parse(scree(['fit', '-', '-k', '1', '--json', '--columns', 'a,c'], TABLE).out).d).toBe(2);
    const gaps = `${TABLE}\n,1,2,odd\n`;
    const refused = scree(['fit', '-', '-k', '1'], gaps);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/missing/i);
    expect(JSON.parse(scree(['fit', '-', '-k', '1', '--json', '--missing', 'drop'], gaps).out).n).toBe(60);
    expect(JSON.parse(scree(['fit', '-', '-k', '1', '--json', '--missing', 'mean'], gaps).out).n).toBe(61);
  });

  it('reports missing values in arrays, and counts rows from the beginning of the file', () => {
    const gap = (at: number): number => (at === 5 || at >= 1_999_999 ? Number.NaN : Math.sin(at));
    write('gaps.npy', npy(500_000, 4, gap));
    write('whole.npy', npy(100, 4, Math.sin));
    expect(scree(['fit', 'whole.npy', '-k', '4', '-o', 'four.json', '-q']).code).toBe(0);
    for (const words of [
      ['fit', 'gaps.npy'],
      ['transform', 'four.json', 'gaps.npy', '-o', 'no.npy'],
      ['reconstruct', 'four.json', 'gaps.npy', '-o', 'no.npy'],
      ['compress', 'gaps.npy', '--model', 'four.json', '-o', 'no.scree'],
      ['report', 'gaps.npy', '--model', 'four.json', '-o', 'no.html'],
    ]) {
      const { code, err } = scree(words);
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          words[0] === 'fit'
            ? /gaps\.npy has missing values in 2 of 500,000 rows \(first: row 2, column "1"\)\. Use --missing iterative .*, or --exclude 1,3\. Predictions are only as good as .*$/m
            : /gaps\.npy has missing values in 2 of 500,000 rows \(first: row 2, column "1"\)\. Use --missing drop .*, or --exclude 1,3\.$/m,
        ),
      });
    }
    write(
      'endless.npy',
      npy(500_000, 4, (at) => (at === 1_999_998 ? Number.POSITIVE_INFINITY : Math.sin(at))),
    );
    for (const command of ['transform', 'reconstruct']) {
      const { code, err } = scree([command, 'four.json', 'endless.npy', '-o', 'no.npy']);
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringMatching(/Row 500,000 of endless\.npy has Infinity in column "2"/),
      });
    }
  });

  it('prints no progress in a pipe, and nothing with -q', () => {
    const { err } = scree(['fit', 'table.csv', '-k', '1', '-q']);
    expect(err).toBe('');
  });

  it('completes commands, flags, their values and names with spaces in a real shell', () => {
    write('my data.csv', 'a,b\n1,2\n');
    write('completion.bash', scree(['completion', 'bash']).out);
    const completed = (...words: string[]): string[] => {
      const script = `source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scree; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...words], { cwd: folder, encoding: 'utf8' });
      return stdout.trim().split('\n');
    };
    expect(completed('scree', 'comp')).toEqual(['compare', 'compress', 'completion']);
    expect(completed('scree', 'fit', '--sc')).toEqual(['--scale', '--scores']);
    expect(completed('scree', 'fit', '--missing', '')).toEqual(['error', 'drop', 'mean']);
    expect(completed('scree', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(completed('scree', 'fit', 'my')).toEqual(['my data.csv']);
  });

  it('has help, a version and completion', () => {
    expect(scree(['--help'])).toMatchObject({ code: 0 });
    expect(scree(['fit', '--help']).out).toMatch(/Examples:/);
    expect(scree(['help', 'transform']).out).toMatch(/scree transform: /);
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(scree(['--version']).out).toBe(`${version}\n`);
    for (const shell of ['bash', 'zsh', 'fish']) expect(scree(['completion', shell]).out).toContain('transform');
  });

  const wrong: [string, string[], RegExp][] = [
    ['no command', [], /Usage/],
    ['an unknown command', ['fti', 'x'], /Did you mean fit\?/],
    ['an unknown flag', ['fit', 'table.csv', '--wihten', 'pca'], /Did you mean --whiten\?/],
    ['a flag before the command', ['-k', '3'], /Flags come after/],
    ['too many arguments', ['inspect', 'a', 'b'], /takes MODEL/],
    ['no data', ['fit', '-k', '2'], /Name a data file/],
    ['two counts', ['fit', 'table.csv', '-k', '2', '--all'], /exclude one another/],
    ['no output', ['transform', 'model.json', 'table.csv'], /Say where the scores go/],
    [
      'a model and how to fit one',
      ['report', 'table.csv', '--model', 'model.json', '-k', '2', '-o', 'x.html'],
      /--components says how to fit/,
    ],
    ['how often to save nothing', ['fit', 'table.csv', '--every', '3'], /--every says how often/],
    ['another shell', ['completion', 'tcsh'], /bash, zsh and fish/],
    ['an output that no format has', ['transform', 'model.json', 'table.csv', '-o', 'x.doc'], /x\.doc names no format/],
    [
      'a page that is to be a PDF',
      ['report', 'table.csv', '-o', 'x.pdf'],
      /x\.pdf: a page is written as \.html or \.htm/,
    ],
    ['a picture of a group', ['report', 'table.csv', '--by', 'a', '-o', 'x.png'], /not as \.png\. Use -o x\.html/],
    ['a model that is to be a page', ['fit', 'table.csv', '-o', 'x.html'], /a model is written as \.json, \.pca/],
    ['an analysis in a document', ['analyze', 'table.csv', '-o', 'x.docx'], /not as \.docx\. Use -o x\.json/],
    ['moments in a table', ['moments', 'table.csv', '-o', 'x.csv'], /moments is written as \.moments, not as \.csv/],
    ['merged moments in JSON', ['merge', 'x.moments', '-o', 'x.json'], /moments is written as \.moments/],
    ['a compressed file as .zip', ['compress', 'table.csv', '-o', 'x.zip'], /not as \.zip\. Use -o x\.scree/],
    ['no memory at all', ['fit', 'table.csv', '--memory', '10'], /--memory is "10"; it must be 16MB or more/],
  ];
  it.each(wrong)('exits with 2: %s', (_, args, message) => {
    const { code, out, err } = scree(args);
    expect(code).toBe(2);
    expect(out + err).toMatch(message);
    expect(err).not.toMatch(/ {4}at /);
  });

  const bad: [string, () => string[], RegExp][] = [
    ['a file that is not there', () => ['fit', 'nothing.csv'], /There is no file nothing\.csv/],
    [
      'a folder without data',
      () => ['fit', mkdirSync(join(folder, 'void')) ?? 'void'],
      /void is a folder without data files/,
    ],
    ['an empty file', () => ['fit', write('empty.csv', '')], /is empty/],
    ['text where numbers should be', () => ['fit', write('words.csv', 'a,b\nx,y\nz,w\n')], /no numeric column/],
    [
      'ragged rows',
      () => ['fit', write('ragged.csv', 'a,b\n1,2\n3\n')],
      /Row 2 of ragged\.csv has 1 cell, but the others have 2/,
    ],
    ['a .npy that is cut', () => ['fit', write('cut.npy', npy(10, 4, Math.sin).subarray(0, 200))], /./],
    [
      'a .npy that lies',
      () => ['fit', write('lies.npy', Buffer.from(npy(4, 4, Math.sin)).fill('9999999999, 99999', 60, 77))],
      /./,
    ],
    [
      'more components than there are',
      () => ['fit', 'table.csv', '-k', '9'],
      /-k is 9, but these data have at most 3 components\. Use -k 3 or less/,
    ],
    ['a column that is not there', () => ['fit', 'table.csv', '--columns', 'a,zebra'], /zebra/],
    ['a model that is none', () => ['inspect', 'table.csv'], /not a model/],
    ['a model that is not there', () => ['inspect', 'gone.json'], /There is no file gone\.json/],
    [
      'data of another width',
      () => ['transform', 'model.json', write('two.npy', npy(5, 2, Math.sin)), '-o', 'x.npy'],
      /2 numeric columns, and the model was fitted to 3|column/,
    ],
    [
      'scores of another width',
      () => ['reconstruct', 'model.json', write('five.npy', npy(5, 5, Math.sin)), '-o', 'x.npy'],
      /5 columns, and scores of this model 2/,
    ],
    [
      'a place that cannot be written',
      () => ['fit', 'table.csv', '-k', '1', '-o', 'no/such/folder/m.json'],
      /cannot be written|There is no/,
    ],
    ['a broken query', () => ['fit', '--sql', 'selct 1', '-k', '1'], /./],
  ];
  it.each(bad)('exits with 1 and one clear line: %s', (_, args, message) => {
    const before = new Set(readdirSync(folder));
    const given = args();
    const { code, err } = scree(given);
    expect(code).toBe(1);
    const lines = err
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('scree: '));
    expect(lines.length).toBe(1);
    expect(lines[0]).toMatch(message);
    expect(lines[0]).not.toMatch(/should not have happened/);
    expect(err).not.toMatch(/ {4}at |node:internal/);
    // Nothing half-written: only what the test itself made.
    for (const name of readdirSync(folder)) if (!before.has(name)) expect(given).toContain(name);
    expect(scree([...given, '--debug']).err).toMatch(/ {4}at /);
  });

  it('leaves no partial file when it is interrupted', async () => {
    write('long.npy', npy(200_000, 40, Math.sin));
    expect(scree(['fit', 'long.npy', '-k', '40', '--bootstrap', '0', '-o', 'wide.json', '-q']).code).toBe(0);
    const slow = spawn(process.execPath, [PROGRAM, 'transform', 'wide.json', 'long.npy', '-o', 'long-scores.csv'], {
      cwd: folder,
    });
    const ended = exit(slow);
    const written = (): string[] => readdirSync(folder).filter((name) => name.startsWith('long-scores'));
    while (written().length === 0 && slow.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
    slow.kill('SIGINT');
    const code = await ended;
    if (code === 0) return; // It was faster than the signal.
    expect(code).toBe(130);
    expect(written()).toEqual([]);
  });
});

function exit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('exit', resolve));
}

describe('a checkpoint', () => {
  it('survives ten kills at any moment and ends with the same bits', async () => {
    write(
      'kill.npy',
      npy(150_000, 60, (at) => Math.sin(at) * (1 + (at % 60)) + (at % 13)),
    );
    const args = ['fit', 'kill.npy', '-k', '5', '-q', '--bootstrap=0', '--every', '0'];
    expect(scree([...args, '-o', 'whole.pca', '--checkpoint', 'whole.part']).code).toBe(0);
    expect(existsSync(join(folder, 'whole.part'))).toBe(false);
    let kills = 0;
    for (let tries = 0; tries < 40 && kills < 10; tries++) {
      const child = spawn(process.execPath, [PROGRAM, ...args, '-o', 'killed.pca', '--checkpoint', 'killed.part'], {
        cwd: folder,
        stdio: 'ignore',
      });
      const over = exit(child);
      await new Promise((resolve) => setTimeout(resolve, 60 + ((tries * 97) % 400)));
      child.kill('SIGKILL');
      if ((await over) === null) kills++;
      if (existsSync(join(folder, 'killed.pca'))) break;
    }
    if (!existsSync(join(folder, 'killed.pca'))) {
      expect(scree([...args, '-o', 'killed.pca', '--checkpoint', 'killed.part']).code).toBe(0);
    }
    expect(kills).toBeGreaterThan(0);
    expect(readFileSync(join(folder, 'killed.pca')).equals(readFileSync(join(folder, 'whole.pca')))).toBe(true);
    expect(readdirSync(folder).filter((name) => /^\.?killed\.pca\./.test(name))).toEqual([]);
  });

  it('removes temporary files that a killed process has left', () => {
    write('left.npy', npy(50, 3, Math.sin));
    const [host] = PROCESS_ID.split('-');
    const { pid } = spawnSync(process.execPath, ['--version']);
    write(`left.pca.${host}-${pid}-1-00000000.part`, 'half a model');
    write(`left.part.${host}-${pid}-1-00000000.part`, 'half a checkpoint');
    write('left.pca.new', 'somebody’s own');
    expect(scree(['fit', 'left.npy', '-k', '2', '-q', '-o', 'left.pca', '--checkpoint', 'left.part']).code).toBe(0);
    expect(readdirSync(folder).filter((name) => /^\.?left\.p/.test(name))).toEqual(['left.pca', 'left.pca.new']);
  });

  it('of other data is rejected, and so is one that cannot be saved', () => {
    write('one.npy', npy(50, 3, Math.sin));
    write('other.part', `${JSON.stringify({ identity: { path: 'x' }, rows: 3 })}\n`);
    const other = scree(['fit', 'one.npy', '-k', '1', '--checkpoint', 'other.part']);
    expect(other.code).toBe(1);
    expect(other.err).toMatch(/a checkpoint of other data/);
    write('rubbish.part', 'rubbish');
    expect(scree(['fit', 'one.npy', '-k', '1', '--checkpoint', 'rubbish.part']).err).toMatch(/is not a checkpoint/);
    expect(scree(['fit', 'one.npy', '-k', '1', '--checkpoint', 'c', '--solver', 'svd']).code).toBe(2);
  });
});
