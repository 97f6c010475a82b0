import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAM, useBinary } from './binary.js';

/** Fits on machines that refuse WebAssembly memory, compilation or threads: each succeeds, and its model says what was missing. */

const { folder, path, write } = useBinary('limits');

/** Columns that hang together: a fit has no reason to warn of them. */
const table = (rows: number, cols: number): string => {
  const value = (i: number, j: number): string => (Math.sin(i * i) + 0.5 * Math.sin(i * i * (j + 2.3))).toFixed(6);
  const line = (i: number): string => Array.from({ length: cols }, (_, j) => value(i, j)).join();
  return `${Array.from({ length: cols }, (_, j) => `c${j}`).join()}\n${Array.from({ length: rows }, (_, i) => line(i)).join('\n')}\n`;
};
write('small.csv', table(20, 3));
/** Above the 8 MB from which text is parsed in a thread. */
write('large.csv', table(48_000, 20));

interface Fitted {
  readonly plan: { readonly engine: string };
  readonly variances: readonly number[];
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly details?: object }[];
}

/** The model that a fit writes, in a process with these flags of Node and after these words of the shell. */
function fit(file: string, nodeFlags: readonly string[], before = ''): { model: Fitted; printed: string } {
  const words = [
    process.execPath,
    ...nodeFlags,
    PROGRAM,
    'fit',
    file,
    '-k',
    '2',
    '--threads',
    '2',
    '--bootstrap=0',
    '-o',
    'm.json',
    '-q',
  ];
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `${before} exec "$@"`, 'sh', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, SCREE_BLAS: '/nowhere' },
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  expect(stderr).not.toMatch(/fewer columns|scree:/);
  expect(status).toBe(0);
  return { model: JSON.parse(readFileSync(path('m.json'), 'utf8')) as Fitted, printed: stdout };
}

const major = Number.parseInt(process.versions.node, 10);
const permission = [
  major < 22 ? '--experimental-permission' : '--permission',
  '--allow-fs-read=*',
  '--allow-fs-write=*',
  '--no-warnings',
];
const usual = fit('small.csv', []).model;

it('gives no warning on a machine without limits', () => {
  expect(usual.plan.engine).toBe('wasm');
  expect(usual.warnings).toEqual([]);
});

it.runIf(process.platform === 'linux').each([4, 8])('fits if the address space is limited to %i GB', (gigabytes) => {
  const { model, printed } = fit('small.csv', [], `ulimit -v ${gigabytes * 2 ** 20};`);
  // V8 of Node 24 reserves fewer addresses if they are limited.
  expect(model.plan.engine).toBe(major < 24 ? 'reference' : 'wasm');
  model.variances.forEach((value, i) => {
    expect(value).toBeCloseTo(usual.variances[i], 12);
  });
  if (major >= 24) return;
  expect(model.warnings).toMatchObject([
    { code: 'ENGINE_FALLBACK', message: expect.stringMatching(/ulimit -v/), details: { engine: 'reference' } },
  ]);
  expect(printed).toContain('reference engine was used instead of WebAssembly');
});

it.runIf(process.platform === 'linux')('starts no threads that do not fit in the address space', () => {
  // Node would end with a fatal error in a thread that it starts here. Without the handler WebAssembly takes few addresses.
  const { model } = fit('large.csv', ['--disable-wasm-trap-handler'], `ulimit -v ${2.5 * 2 ** 20};`);
  expect(model.plan.engine).toBe('wasm');
});

it('fits without WebAssembly', () => {
  const { model } = fit('small.csv', ['--jitless', '--no-warnings']);
  expect(model.plan.engine).toBe('reference');
  expect(model.warnings).toMatchObject([
    { code: 'ENGINE_FALLBACK', message: expect.stringMatching(/--jitless/), details: { engine: 'reference' } },
  ]);
});

it('parses and fits in one thread if the permission model forbids more', () => {
  const { model } = fit('large.csv', permission);
  expect(model.plan.engine).toBe('wasm');
  expect(model.warnings).toMatchObject([
    { code: 'ENGINE_FALLBACK', message: expect.stringMatching(/--allow-worker/), details: { engine: 'wasm' } },
  ]);
});

it('gives no warning if the permission model allows threads', () => {
  expect(fit('large.csv', [...permission, '--allow-worker']).model.warnings).toEqual([]);
});
