import { spawnSync } from 'node:child_process';
import { existsSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { npy, useBinary } from './binary.js';

const { run, refused, path, write } = useBinary('special');
write(
  'data.npy',
  npy(40, 3, (i) => Math.sin(i * i)),
);
run(['fit', 'data.npy', '-k', '2', '-o', 'model.json', '-q']);
const hasPipes = spawnSync('mkfifo', [path('pipe')]).status === 0;

/** Commands that read a model, with the name of one. */
const MODELS: readonly (readonly [string, (name: string) => string[]])[] = [
  ['inspect', (name) => ['inspect', name]],
  ['transform', (name) => ['transform', name, 'data.npy', '-o', 'out.npy']],
  ['reconstruct', (name) => ['reconstruct', name, 'data.npy', '-o', 'out.npy']],
  ['report', (name) => ['report', 'data.npy', '--model', name, '-o', 'out.html']],
];
const DATA: readonly (readonly [string, (name: string) => string[]])[] = [
  ['fit', (name) => ['fit', name, '-k', '1']],
  ['fit with SQL', (name) => ['fit', name, '-k', '1', '--sql', 'select * from data']],
  ['transform', (name) => ['transform', 'model.json', name, '-o', 'out.npy']],
  ['decompress', (name) => ['decompress', name, '-o', 'out.npy']],
];

describe.runIf(hasPipes)('a named pipe is rejected at once', () => {
  it.each(MODELS)('as the model of %s', (_, args) => {
    expect(refused(args('pipe'))).toMatch(/pipe is a pipe, not a regular file\. Save a model as a file first/);
  });

  it.each(DATA)('as the data of %s', (command, args) => {
    const remedy = command === 'decompress' ? /Save its data as a file first/ : /cat pipe \| scree fit -/;
    expect(refused(args('pipe'))).toMatch(remedy);
  });
});

describe.runIf(existsSync('/dev/zero'))('a device is rejected', () => {
  it.each([...MODELS, ...DATA])('by %s', (_, args) => {
    expect(refused(args('/dev/zero'))).toMatch(/\/dev\/zero is a device, not a regular file/);
  });
});

describe('a model file', () => {
  it('is rejected without being read if it is larger than any model', () => {
    // Files with holes: they take no room.
    write('huge.json', '{');
    truncateSync(path('huge.json'), 600 * 2 ** 20);
    expect(refused(['inspect', 'huge.json'])).toMatch(/huge\.json has \S+ MB, and a model may have 500 MB at most/);
    write('huge.pca', 'SCREE');
    truncateSync(path('huge.pca'), 3 * 2 ** 30);
    expect(refused(['inspect', 'huge.pca'])).toMatch(/a model may have 2\.00 GB at most/);
  });

  it('is rejected if it is empty', () => {
    write('none.json', '');
    expect(refused(['inspect', 'none.json'])).toMatch(/none\.json is empty/);
  });
});
