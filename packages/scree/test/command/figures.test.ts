import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { npy, useBinary } from './binary.js';

/** `scree report --figures` where not everything can be written. */
const binary = useBinary('figures');
const { run, refused, path, write } = binary;
write(
  'data.npy',
  npy(300, 6, (i) => Math.sin(i * i)),
);
const report = (output: string, figures: string): string[] => [
  'report',
  'data.npy',
  '-k',
  '3',
  '-o',
  output,
  '--figures',
  figures,
];

afterAll(() => void spawnSync('umount', [path('disk')], { stdio: 'ignore' }));

/** A disk on which some figures have room, and not all of them. */
function mounted(): boolean {
  mkdirSync(path('disk'));
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path('disk')], { stdio: 'ignore' }).status === 0;
}

describe.runIf(mounted())('on a disk that becomes full', () => {
  it('neither the report nor a figure is written, and no folder is left', () => {
    writeFileSync(path('old.html'), 'old');
    const line = refused(report('old.html', 'disk/a/b'));
    expect(line).toMatch(
      /disk\/a\/b\/\S+\.svg cannot be written: the disk is full \(ENOSPC\).*no incomplete file is left/,
    );
    expect(readFileSync(path('old.html'), 'utf8')).toBe('old');
    expect(readdirSync(path('disk'))).toEqual([]);
  });
});

it('a file in the place of the folder is rejected before the work begins', () => {
  write('taken', 'x');
  expect(refused(report('r.html', 'taken'))).toMatch(/taken is a file\. Name a folder/);
  expect(refused(report('r.html', 'taken/inside'))).toMatch(/taken\/inside/);
});

it('all figures are written into a new folder', () => {
  expect(run(report('good.html', 'new/folder')).code).toBe(0);
  expect(existsSync(path('good.html'))).toBe(true);
  const names = readdirSync(path('new/folder'));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !name.endsWith('.svg'))).toEqual([]);
});

// Root may write anywhere, so another user runs the command.
const uid = process.getuid?.() === 0 ? 65534 : undefined;
const as = uid === undefined ? {} : { uid };
chmodSync(binary.folder, 0o777);

it.runIf(run(['--version'], as).code === 0)(
  'a folder that this user may not write to is rejected before the work begins',
  () => {
    mkdirSync(path('closed'));
    chmodSync(path('closed'), 0o555);
    for (const folder of ['closed', 'closed/inside']) {
      expect(refused(report('r.html', folder), as)).toMatch(/closed\S* must not be written by this user \(EACCES\)/);
    }
    expect(existsSync(path('r.html'))).toBe(false);
  },
);
