import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bytesOf, npyFile } from '../../../files/test/make.js';
import { main } from '../../src/command/main.js';
import { doExitWork } from '../../src/disk/temporary-files.js';
import { correlated } from '../compress/support.js';
import { useFolder } from '../disk/support.js';
import { sweep } from './sweep.js';

const folder = useFolder();
const given = (name: string): string => join(folder.path, 'given', name);
const out = (name: string): string => join(folder.path, 'out', name);

/** Runs the command in this process, with what it prints caught. */
async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const { stdout, stderr } = process;
  const [writeOut, writeErr] = [stdout.write, stderr.write];
  const listeners = [stdout, stderr].map((stream) => stream.listeners('error'));
  const taking = (to: 'out' | 'err') => (text: string | Uint8Array) => {
    printed[to] += String(text);
    return true;
  };
  stdout.write = taking('out') as typeof stdout.write;
  stderr.write = taking('err') as typeof stderr.write;
  try {
    return { code: await main(args), ...printed };
  } finally {
    stdout.write = writeOut;
    stderr.write = writeErr;
    for (const [i, stream] of [stdout, stderr].entries()) {
      for (const listener of stream.listeners('error'))
        if (!listeners[i].includes(listener)) stream.off('error', listener as () => void);
    }
  }
}

/** All files of the output folder and of the temporary folder, by name. */
function filesNow(): Map<string, string> {
  const found = new Map<string, string>();
  for (const under of ['out', 'tmp']) {
    for (const name of readdirSync(join(folder.path, under), { recursive: true }) as string[]) {
      const path = join(folder.path, under, name);
      found.set(join(under, name), statSync(path).isFile() ? readFileSync(path, 'base64') : 'folder');
    }
  }
  return found;
}

function empty(): void {
  for (const under of ['out', 'tmp']) {
    rmSync(join(folder.path, under), { recursive: true, force: true });
    mkdirSync(join(folder.path, under));
  }
}

beforeAll(async () => {
  process.env.TMPDIR = join(folder.path, 'tmp');
  mkdirSync(join(folder.path, 'given'));
  empty();
  const values = correlated(60, 5, 9);
  writeFileSync(given('data.npy'), npyFile('<f8', [60, 5], bytesOf(values)));
  const rows = Array.from({ length: 60 }, (_, i) => `r${i},${values.subarray(5 * i, 5 * i + 5).join()}`);
  writeFileSync(given('data.csv'), `id,a,b,c,d,e\n${rows.join('\n')}\n`);
  for (const args of [
    ['fit', given('data.npy'), '-k', '3', '-o', given('model.json')],
    ['compress', given('data.npy'), '-k', '3', '-o', given('data.scree')],
    ['transform', given('model.json'), given('data.npy'), '-o', given('scores.npy')],
  ])
    expect(await run([...args, '-q'])).toMatchObject({ code: 0, err: '' });
});

/** Every command that writes, with the files that it writes. */
const WRITERS: readonly (readonly [what: string, args: () => string[], outputs: readonly string[]])[] = [
  ['a model as JSON', () => ['fit', given('data.npy'), '-k', '3', '--bootstrap=0', '-o', out('m.json')], ['m.json']],
  ['a binary model', () => ['fit', given('data.csv'), '-k', '3', '--bootstrap=0', '-o', out('m.pca')], ['m.pca']],
  ...['npy', 'csv', 'parquet', 'arrow'].map(
    (format) =>
      [
        `scores as .${format}`,
        () => ['transform', given('model.json'), given('data.npy'), '-o', out(`s.${format}`)],
        [`s.${format}`],
      ] as const,
  ),
  ['rows from scores', () => ['reconstruct', given('model.json'), given('scores.npy'), '-o', out('r.csv')], ['r.csv']],
  ['components as a table', () => ['inspect', given('model.json'), '-o', out('c.csv')], ['c.csv']],
  [
    'a report with figures',
    () => [
      ...['report', given('data.npy'), '--model', given('model.json'), '-o', out('r.html')],
      ...['--figures', out('figures')],
    ],
    ['r.html', 'figures/scores.svg'],
  ],
  ['a compressed file', () => ['compress', given('data.npy'), '-k', '3', '-o', out('c.scree')], ['c.scree']],
  ['a decompressed file', () => ['decompress', given('data.scree'), '-o', out('d.npy')], ['d.npy']],
];

/**
 * Runs a command once for every fault. It must exit with 0 and the whole output, or with 1 and one line with the reason. After an error
 * every file has its old or its new content, no other file is left, and no file stays open.
 */
async function expectSound(
  args: () => string[],
  before: Readonly<Record<string, string | Uint8Array>>,
  {
    mayRemain,
    also = () => {},
    step,
  }: { mayRemain?: RegExp; also?: (code: number) => Promise<void> | void; step?: number } = {},
): Promise<{ calls: number; runs: number }> {
  const prepare = (): void => {
    empty();
    for (const [name, content] of Object.entries(before)) {
      mkdirSync(dirname(out(name)), { recursive: true });
      writeFileSync(out(name), content);
    }
  };
  const work = () => run([...args(), '-q']);
  prepare();
  const old = filesNow();
  expect(await work()).toMatchObject({ code: 0, err: '' });
  const final = filesNow();
  return sweep({
    folder: folder.path,
    prepare,
    work,
    step,
    check: async ({ result: { code, err }, unclosed }, _, fault, call) => {
      const files = filesNow();
      // Files that could not be removed because removing failed are removed when the program ends.
      const removable = !fault.lasting && !/^(rm|unlink)/.test(call.name);
      if (code !== 0) {
        expect(code).toBe(1);
        expect(err.match(/^scree: /gm)).toHaveLength(1);
        expect(err).not.toMatch(/should not have happened| {4}at /);
        // A raw error of the system begins with its code; ours begin with the file or with what is wrong.
        expect(err).not.toMatch(/^scree: E[A-Z]+: /m);
      }
      for (const name of new Set([...files.keys(), ...old.keys(), ...final.keys()])) {
        if (mayRemain?.test(name)) continue;
        const content = files.get(name);
        const [was, becomes] = [old.get(name), final.get(name)];
        const stray = was === undefined && becomes === undefined;
        if (stray ? removable : content !== becomes && (code === 0 || content !== was))
          throw new Error(
            `exit ${code}, and ${name} is ${content === undefined ? 'gone' : stray ? 'left behind' : 'half-written'}`,
          );
      }
      expect(unclosed).toEqual([]);
      await also(code);
    },
  });
}

describe('with every call of the file system failing in turn,', () => {
  it.each(WRITERS)('%s is complete, or the old file stays and an error says why', async (_, args, outputs) => {
    const before = Object.fromEntries(outputs.map((name) => [name, `the old ${name}`]));
    // Figures take long to draw, and are written one like the other.
    const { calls } = await expectSound(args, before, { step: outputs.includes('r.html') ? 5 : 1 });
    expect(calls).toBeGreaterThan(5);
  });

  it('a new model is complete or not there', async () => {
    await expectSound(() => ['fit', given('data.npy'), '-k', '3', '--bootstrap=0', '-o', out('m.json')], {});
  });

  it('a fit with a checkpoint ends with the same model when it is run again', async () => {
    const args = () => [
      ...['fit', given('data.npy'), '-k', '3', '--bootstrap=0', '-o', out('m.json')],
      ...['--checkpoint', out('saved'), '--every', '0'],
    ];
    empty();
    await run([...args(), '-q']);
    const model = readFileSync(out('m.json'), 'utf8');
    let saved: Buffer | undefined;
    const again = async (code: number): Promise<void> => {
      if (code === 0) return;
      doExitWork();
      if (readdirSync(join(folder.path, 'out')).includes('saved')) saved ??= readFileSync(out('saved'));
      expect(await run([...args(), '-q'])).toMatchObject({ code: 0, err: '' });
      expect(readFileSync(out('m.json'), 'utf8')).toBe(model);
      expect([...filesNow().keys()]).toEqual(['out/m.json']);
    };
    // The checkpoint stays after an error: the next run goes on from it.
    await expectSound(args, { 'm.json': 'the old model' }, { mayRemain: /^out\/saved$/, also: again });
    // And a run that goes on from one.
    if (!saved) throw new Error('no run has left a checkpoint');
    await expectSound(args, { saved }, { mayRemain: /^out\/saved$/, also: again });
  });
});
