import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeAbandonedFolders } from '../../src/disk/abandoned-folders.js';
import { PROCESS_ID } from '../../src/disk/process-id.js';
import { PROGRAM, useBinary } from '../command/binary.js';

const { folder, path, write } = useBinary('abandoned');

const [host, ownPid, start] = PROCESS_ID.split('-');
const { pid: endedPid } = spawnSync(process.execPath, ['-e', '']);
/** The id of a process of this machine that has ended. */
const ENDED = `${host}-${endedPid}-${start}`;

/** A temporary folder of a process, with a file in it. */
function leave(parent: string, id: string, end = 'abcDE1'): string {
  const left = join(parent, `scree-${id}-${end}`);
  mkdirSync(left, { mode: 0o700 });
  writeFileSync(join(left, 'copy'), 'rows');
  return left;
}

describe('temporary folders', () => {
  it('of a process that has ended are removed', async () => {
    const parent = mkdtempSync(path('tmp-'));
    const left = leave(parent, ENDED);
    await removeAbandonedFolders(parent);
    expect(existsSync(left)).toBe(false);
  });

  it('of a running process stay, and of another machine or container, whatever its pid', async () => {
    const parent = mkdtempSync(path('tmp-'));
    const kept = [leave(parent, PROCESS_ID), leave(parent, `0badcafe-${endedPid}-${start}`)];
    await removeAbandonedFolders(parent);
    for (const each of kept) expect(existsSync(join(each, 'copy'))).toBe(true);
  });

  it('are distinguished by the start of their process if pids are reused', async () => {
    const parent = mkdtempSync(path('tmp-'));
    const left = leave(parent, `${host}-${ownPid}-${Number(start) + 1}`);
    await removeAbandonedFolders(parent);
    // Without /proc nothing tells that this process is another one.
    expect(existsSync(left)).toBe(start === '0');
  });

  it('stay if they only look like ours: links, files and other names', async () => {
    const parent = mkdtempSync(path('tmp-'));
    const precious = mkdtempSync(path('precious-'));
    writeFileSync(join(precious, 'thesis'), 'x');
    symlinkSync(precious, join(parent, `scree-${ENDED}-linked`));
    writeFileSync(join(parent, `scree-${ENDED}-a1b2c3`), '');
    mkdirSync(join(parent, `scree-${ENDED}-of-mine`));
    await removeAbandonedFolders(parent);
    expect(readdirSync(parent)).toHaveLength(3);
    expect(existsSync(join(precious, 'thesis'))).toBe(true);
  });

  it.skipIf(process.getuid?.() !== 0)('of another user stay', async () => {
    const parent = mkdtempSync(path('tmp-'));
    const left = leave(parent, ENDED);
    chownSync(left, 4321, 4321);
    await removeAbandonedFolders(parent);
    expect(existsSync(left)).toBe(true);
  });
});

describe('kill -9 during scree fit -', () => {
  it('leaves a copy of the data, and the next command removes it, but not that of a living one', async () => {
    const env = { ...process.env, TMPDIR: mkdtempSync(path('tmp-')) };
    const startFit = async (): Promise<{ child: ReturnType<typeof spawn>; left: string }> => {
      const before = new Set(readdirSync(env.TMPDIR));
      const child = spawn(process.execPath, [PROGRAM, 'fit', '-'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin?.write(`a,b\n${'1,2\n'.repeat(50_000)}`);
      for (;;) {
        const left = readdirSync(env.TMPDIR).find((name) => !before.has(name));
        if (left !== undefined) return { child, left };
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const killed = await startFit();
    const living = await startFit();
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    expect(readdirSync(env.TMPDIR).sort()).toEqual([killed.left, living.left].sort());
    const small = write('small.csv', 'a,b\n1,2\n2,1\n3,5\n');
    const { status } = spawnSync(process.execPath, [PROGRAM, 'fit', small, '-q'], { cwd: folder, env });
    expect(status).toBe(0);
    expect(readdirSync(env.TMPDIR)).toEqual([living.left]);
    living.child.kill('SIGKILL');
    await once(living.child, 'exit');
  });
});
