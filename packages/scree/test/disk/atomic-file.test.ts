import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFile, writeModel } from 'scree';
import { afterAll, describe, expect, it } from 'vitest';
import { AtomicFile, renameOver, writeAllAtomically, writeAtomically } from '../../src/disk/atomic-file.js';

const folder = mkdtempSync(join(tmpdir(), 'scree-atomic-'));
const path = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DIST = new URL('../../dist/disk/atomic-file.js', import.meta.url).href;

/** A process that has begun a file and does not end. */
async function writer(target: string): Promise<{ kill(): Promise<void>; end(): Promise<void> }> {
  const program = `const { AtomicFile } = await import(${JSON.stringify(DIST)});
    const file = await AtomicFile.create(${JSON.stringify(target)});
    await file.append(Buffer.from('from the other process'));
    console.log('begun');
    process.stdin.once('data', async () => { await file.close(); process.exit(); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const over = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await over;
    },
    end: async () => {
      child.stdin.write('\n');
      await over;
    },
  };
}

const parts = (target: string): string[] => readdirSync(folder).filter((name) => name.startsWith(`${target}.`));

describe('a temporary file that a killed process has left', () => {
  it('is removed by the next process that writes the same file, which removes nothing else', async () => {
    const [one, other] = [await writer(path('out.csv')), await writer(path('out.csv.gz'))];
    await one.kill();
    await other.kill();
    writeFileSync(path('out.csv.part'), 'a file of the user');
    writeFileSync(path('out.csv.b3c1.part'), 'another');
    expect(parts('out.csv')).toHaveLength(4);
    await writeAtomically(path('out.csv'), 'complete');
    expect(
      parts('out.csv')
        .filter((name) => !name.startsWith('out.csv.gz.'))
        .sort(),
    ).toEqual(['out.csv.b3c1.part', 'out.csv.part']);
    expect(parts('out.csv.gz')).toHaveLength(1);
  });

  it('is removed through every function that writes', async () => {
    const file = path('every.npy');
    await (await writer(file)).kill();
    const rows = await createFile(file, { cols: 1 });
    await rows.write({ rows: 1, cols: 1, data: Float64Array.of(1) });
    await rows.close();
    expect(parts('every.npy')).toEqual([]);
    await (await writer(path('model.json'))).kill();
    await writeModel(path('model.json'), { toJSON: () => ({}) } as never);
    expect(parts('model.json')).toEqual([]);
  });
});

it('the temporary file of a process that runs is left alone', async () => {
  const other = await writer(path('shared.txt'));
  await writeAtomically(path('shared.txt'), 'from this process');
  expect(parts('shared.txt')).toHaveLength(1);
  expect(readFileSync(path('shared.txt'), 'utf8')).toBe('from this process');
  await other.end();
  expect(readFileSync(path('shared.txt'), 'utf8')).toBe('from the other process');
  expect(parts('shared.txt')).toEqual([]);
});

it('temporary files of another machine are left alone', async () => {
  writeFileSync(path('far.txt.00000000-1-1-00000000.part'), 'x');
  await writeAtomically(path('far.txt'), 'y');
  expect(parts('far.txt')).toHaveLength(1);
});

describe('a rename that the system refuses while a file is open', () => {
  /** A rename that fails a number of times. */
  function failing(times: number, code: string) {
    let calls = 0;
    const move = async (): Promise<void> => {
      if (++calls <= times) throw Object.assign(new Error(code), { code });
    };
    return { move, calls: () => calls };
  }

  it('is tried again until it succeeds, or the pauses are over', async () => {
    const [soon, never] = [failing(2, 'EPERM'), failing(9, 'EBUSY')];
    await renameOver('a', 'b', { move: soon.move, pauses: [0, 0, 0] });
    expect(soon.calls()).toBe(3);
    await expect(renameOver('a', 'b', { move: never.move, pauses: [0, 0] })).rejects.toThrow('EBUSY');
    expect(never.calls()).toBe(3);
  });

  it('is not tried again for another reason', async () => {
    const { move, calls } = failing(9, 'ENOENT');
    await expect(renameOver('a', 'b', { move, pauses: [0, 0] })).rejects.toThrow('ENOENT');
    expect(calls()).toBe(1);
  });
});

describe.runIf(process.platform !== 'win32')('permissions', () => {
  const mode = (name: string): number => statSync(path(name)).mode & 0o777;

  it('of a replaced file are kept', async () => {
    for (const permissions of [0o600, 0o640, 0o444, 0o755]) {
      writeFileSync(path('kept'), 'old');
      chmodSync(path('kept'), permissions);
      await writeAtomically(path('kept'), 'new');
      expect(mode('kept')).toBe(permissions);
      const file = await AtomicFile.create(path('kept'));
      await file.append(Buffer.from('newer'));
      await file.close();
      expect([mode('kept'), readFileSync(path('kept'), 'utf8')]).toEqual([permissions, 'newer']);
      rmSync(path('kept'));
    }
  });

  it('are never wider while the file is written', async () => {
    writeFileSync(path('private'), 'old', { mode: 0o600 });
    const file = await AtomicFile.create(path('private'));
    const [part] = parts('private');
    expect(mode(part)).toBe(0o600);
    await file.abort();
    expect(parts('private')).toEqual([]);
  });

  it('of a new file follow the umask', async () => {
    const program = `process.umask(0o027); await (await import(${JSON.stringify(DIST)})).writeAtomically(${JSON.stringify(path('fresh'))}, 'x')`;
    spawnSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    expect(mode('fresh')).toBe(0o640);
  });

  it.runIf(process.getuid?.() === 0)('and owner are kept when root replaces the file of another user', async () => {
    writeFileSync(path('theirs'), 'old', { mode: 0o600 });
    spawnSync('chown', ['65534:65534', path('theirs')]);
    await writeAtomically(path('theirs'), 'new');
    const { uid, gid } = statSync(path('theirs'));
    expect([uid, gid, mode('theirs')]).toEqual([65534, 65534, 0o600]);
  });

  it.runIf(process.getuid?.() === 0)('are not given to another group if the group cannot be kept', () => {
    mkdirSync(path('open'));
    chmodSync(folder, 0o755);
    chmodSync(path('open'), 0o777);
    writeFileSync(path('open/secret'), 'old');
    chmodSync(path('open/secret'), 0o640);
    const program = `await (await import(${JSON.stringify(DIST)})).writeAtomically(${JSON.stringify(path('open/secret'))}, 'new')`;
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { uid: 65534, gid: 65534 });
    // If that user cannot read the program, the test is skipped.
    if (status === 0) expect(mode('open/secret')).toBe(0o600);
  });
});

describe('several files', () => {
  it('are all replaced or none', async () => {
    writeFileSync(path('first'), 'old');
    const nowhere = join(folder, 'nowhere', 'second');
    await expect(
      writeAllAtomically([
        [path('first'), 'new'],
        [nowhere, 'new'],
      ]),
    ).rejects.toMatchObject({ code: 'NO_FILE' });
    expect(readFileSync(path('first'), 'utf8')).toBe('old');
    expect(parts('first')).toEqual([]);
  });
});

// Not everywhere is it installed, and not everywhere may processes be traced.
const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

it.runIf(canTrace)('a file is on the disk before it gets its name, and the folder after that', () => {
  const log = path('trace');
  const program = `const { AtomicFile, writeAtomically } = await import(${JSON.stringify(DIST)});
    await writeAtomically(${JSON.stringify(path('once'))}, 'x');
    const file = await AtomicFile.create(${JSON.stringify(path('bit'))});
    await file.append(Buffer.from('y'));
    await file.close();`;
  const args = ['-f', '-y', '-e', 'trace=fsync,fdatasync,rename,renameat,renameat2', '-o', log];
  expect(spawnSync('strace', [...args, process.execPath, '--input-type=module', '-e', program]).status).toBe(0);
  const calls = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder) && !line.includes('resumed>'))
    .map((line) => (line.includes('rename') ? 'rename' : line.includes('.part>') ? 'sync file' : 'sync folder'));
  const durable = ['sync file', 'rename', 'sync folder'];
  expect(calls).toEqual([...durable, ...durable]);
});
