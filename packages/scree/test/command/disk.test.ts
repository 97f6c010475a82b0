import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { npy, PROGRAM, useBinary } from './binary.js';

const binary = useBinary('disk');
const { write, run, refused, path } = binary;
write(
  'data.npy',
  npy(4000, 30, (i) => Math.sin(i * i)),
);
run(['fit', 'data.npy', '--all', '-o', 'model.json', '-q']);
run(['compress', 'data.npy', '--all', '-o', 'data.scree', '-q']);
// Another user must have access to the folder of the file.
chmodSync(binary.folder, 0o755);

/** Every command that writes a file, with the path of the file. */
const WRITERS: readonly (readonly [string, (folder: string) => string[]])[] = [
  ['a model', (to) => ['fit', 'data.npy', '--all', '-o', `${to}/m.json`]],
  ['a compact model', (to) => ['fit', 'data.npy', '--all', '-o', `${to}/m.pca`]],
  ['scores as .npy', (to) => ['transform', 'model.json', 'data.npy', '-o', `${to}/s.npy`]],
  ['scores as .csv', (to) => ['transform', 'model.json', 'data.npy', '-o', `${to}/s.csv`]],
  ['scores as .parquet', (to) => ['transform', 'model.json', 'data.npy', '-o', `${to}/s.parquet`]],
  ['scores as .arrow', (to) => ['transform', 'model.json', 'data.npy', '-o', `${to}/s.arrow`]],
  ['a report', (to) => ['report', 'data.npy', '-k', '3', '-o', `${to}/r.html`]],
  ['a compressed file', (to) => ['compress', 'data.npy', '--all', '-o', `${to}/c.scree`]],
  ['a decompressed file', (to) => ['decompress', 'data.scree', '-o', `${to}/d.npy`]],
  ['a checkpoint', (to) => ['fit', 'data.npy', '-k', '3', '--every', '0', '--checkpoint', `${to}/k.part`]],
];

describe('where files may be no larger than 4 KB', () => {
  mkdirSync(path('small'));
  it.each(WRITERS)('%s is not written, and says so', (_, args) => {
    expect(refused(args('small'), { before: 'ulimit -f 4' })).toMatch(/cannot be written: the disk is full \(EFBIG\)/);
    expect(readdirSync(path('small'))).toEqual([]);
  });

  it('the old file is unchanged', () => {
    writeFileSync(path('small/old.npy'), 'old');
    refused(['transform', 'model.json', 'data.npy', '-o', 'small/old.npy'], { before: 'ulimit -f 4' });
    expect(readFileSync(path('small/old.npy'), 'utf8')).toBe('old');
  });

  it('standard input that needs a temporary copy gives an error that the disk is full', () => {
    const text = `a,b\n${'1,2\n2,1\n3,5\n'.repeat(2000)}`;
    mkdirSync(path('tmp'));
    const line = refused(['fit', '-', '-k', '1'], { before: 'ulimit -f 4', input: text, env: { TMPDIR: path('tmp') } });
    expect(line).toMatch(/the disk is full/);
    expect(readdirSync(path('tmp'))).toEqual([]);
  });
});

// Also where no test of these is run: before the folder is removed, which was registered earlier.
afterAll(() => void spawnSync('umount', [path('disk')], { stdio: 'ignore' }));

describe.runIf(mounted())('on a disk that is full', () => {
  it.each(WRITERS)('%s is not written, and says so', (_, args) => {
    expect(refused(args('disk'))).toMatch(/cannot be written: the disk is full \(ENOSPC\)/);
    expect(readdirSync(path('disk'))).toEqual(['full']);
  });

  it('standard output gives an error', () => {
    const args = [
      '-c',
      'exec "$@" > disk/out',
      'bash',
      process.execPath,
      PROGRAM,
      'fit',
      'data.npy',
      '--all',
      '--json',
    ];
    const { status, stderr } = spawnSync('bash', args, { cwd: binary.folder, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^scree: standard output cannot be written: ENOSPC/m);
    expect(stderr).not.toMatch(/ {4}at /);
  });
});

/** A full disk of 16 KB, if this user may mount one. */
function mounted(): boolean {
  mkdirSync(path('disk'), { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', path('disk')], { stdio: 'ignore' });
  if (status !== 0) return false;
  writeFileSync(path('disk/full'), new Uint8Array(12 << 10));
  return true;
}

describe('without permission', () => {
  // Root may read and write everything, so another user runs the command.
  const uid = process.getuid?.() === 0 ? 65534 : undefined;
  const as = uid === undefined ? {} : { uid };
  // If the sources are in a folder that other users may not enter, those cannot run the command.
  const can = run(['--version'], as).code === 0;

  it.runIf(can)('data are not read', () => {
    for (const name of ['secret.npy', 'secret.csv', 'secret.parquet']) {
      write(name, 'PAR1 a,b\n1,2\n');
      chmodSync(path(name), 0);
      expect(refused(['fit', name, '-k', '1'], as)).toMatch(/must not be read by this user \(EACCES\)/);
    }
    expect(refused(['transform', 'model.json', 'secret.csv', '-o', '/dev/null.npy'], as)).toMatch(/EACCES/);
    write('secret.json', '{}');
    chmodSync(path('secret.json'), 0);
    expect(refused(['inspect', 'secret.json'], as)).toMatch(/must not be read by this user/);
  });

  it.runIf(can)('nothing is written', () => {
    mkdirSync(path('closed'));
    chmodSync(path('closed'), 0o555);
    for (const [, args] of WRITERS) {
      expect(refused(args('closed'), as)).toMatch(/closed\/\S+ must not be written by this user \(EACCES\)/);
    }
  });
});

describe('an output path that is not a regular file', () => {
  it('is not replaced', () => {
    for (const ending of ['npy', 'json', 'html', 'scree']) {
      spawnSync('mkfifo', [path(`pipe.${ending}`)]);
      mkdirSync(path(`folder.${ending}`));
    }
    for (const [, args] of WRITERS) {
      for (const [name, message] of [
        ['pipe', /pipe\.\w+ is a device or a pipe/],
        ['folder', /folder\.\w+ is a folder/],
      ] as const) {
        const given = args('.');
        // Every command refuses names whose ending promises another format.
        const ending = { fit: 'json', report: 'html', compress: 'scree' }[given[0]] ?? 'npy';
        const target = `${name}.${ending}`;
        expect(refused(given.map((word) => (word.startsWith('./') ? target : word)))).toMatch(message);
      }
    }
    expect(lstatSync(path('pipe.npy')).isFIFO()).toBe(true);
  });

  it('a link stays a link, and the file it points to is written', () => {
    mkdirSync(path('far'));
    writeFileSync(path('far/scores.npy'), 'old');
    symlinkSync('far/scores.npy', path('near.npy'));
    expect(run(['transform', 'model.json', 'data.npy', '-o', 'near.npy']).code).toBe(0);
    expect(lstatSync(path('near.npy')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path('far/scores.npy')).length).toBe(8 * 4000 * 30 + 128);
    expect(readdirSync(path('far'))).toEqual(['scores.npy']);
  });

  it('a folder that does not exist is reported before the work begins', () => {
    for (const [, args] of WRITERS) {
      const { code, err } = run(args('nowhere'));
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^scree: .*its folder does not exist/),
      });
    }
  });
});

describe('the reader of the output', () => {
  const shell = (line: string): { status: number | null; stdout: string; stderr: string } =>
    spawnSync('bash', ['-c', `set -o pipefail; ${line}`, 'bash', process.execPath, PROGRAM], {
      cwd: binary.folder,
      encoding: 'utf8',
      timeout: 60_000,
    });

  it('may stop reading early', () => {
    for (const args of ['fit data.npy --all --json', 'inspect model.json', '--help', 'completion bash']) {
      const { status, stderr } = shell(`"$@" ${args} | head -c 1 >/dev/null`);
      expect({ args, status }).toEqual({ args, status: 0 });
      expect(stderr).not.toMatch(/EPIPE|Error|node:/);
    }
  });

  it('may close standard error', () => {
    const { status } = shell(`"$@" fit data.npy -k 2 -o heard.json 2> >(exec true)`);
    expect(status).toBe(0);
    expect(existsSync(join(binary.folder, 'heard.json'))).toBe(true);
  });
});
