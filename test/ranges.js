/**
 * Packs @scree/core and scree as they are published, installs them in an empty folder twice, with the lowest and with the
 * highest version that each range of scree's dependencies allows, and runs the checks of built.js on both.
 * `npm run test:ranges`, after `npm run build`. It needs the registry.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scree-ranges-'));
const npm = (cwd, ...args) =>
  execFileSync('npm', [...args, '--loglevel=error', '--ignore-scripts'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });

const packed = JSON.parse(
  npm(root, 'pack', '--json', '--pack-destination', folder, '-w', 'packages/core', '-w', 'packages/scree'),
);
const own = Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${join(folder, filename)}`]));
const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'packages/scree/package.json'), 'utf8'),
);
const ranges = Object.entries({ ...dependencies, ...optionalDependencies }).filter(([, range]) =>
  range.startsWith('^'),
);
const lowest = Object.fromEntries(ranges.map(([name, range]) => [name, range.slice(1)]));

let failed = false;
for (const [end, chosen] of [
  ['lowest', lowest],
  ['highest', {}],
]) {
  const place = join(folder, end);
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, dependencies: { ...own, ...chosen } }));
  npm(place, 'install', '--no-audit', '--no-fund');
  const lock = JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8')).packages;
  const versions = ranges.map(([name]) => `${name} ${lock[`node_modules/${name}`]?.version}`);
  console.log(`${end}: ${versions.join(', ')}`);
  const { status } = spawnSync(process.execPath, [join(root, 'test/built.js'), place], { stdio: 'inherit' });
  failed ||= status !== 0;
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
