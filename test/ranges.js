/**
 * Packs the packages as they are published, installs them in an empty folder twice, with the lowest and with the highest version that each
 * range of scree's dependencies and optional peers allows, and runs the checks of built.js on both.
 * `npm run test:ranges`, after `npm run build`. It needs the registry.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll } from '../build/pack-all.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scree-ranges-'));
const npm = (cwd, ...args) =>
  execFileSync('npm', [...args, '--loglevel=error', '--ignore-scripts'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });

const own = Object.fromEntries(
  Object.entries(packAll(folder)).map(([name, file]) => [name, `file:${join(folder, file)}`]),
);
const manifest = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { dependencies, peerDependencies } = manifest('packages/scree/package.json');
const { devDependencies } = manifest('package.json');
// The GPU is not needed by any check.
const { webgpu, ...peers } = peerDependencies;
const ranges = Object.entries({ ...dependencies, ...peers }).filter(([, range]) => /^[*^]/.test(range));
// Releases of DuckDB have no range: the lowest is the one that the repository is tested with.
const lowest = Object.fromEntries(
  ranges.map(([name, range]) => [name, (range === '*' ? devDependencies[name] : range).replace('^', '')]),
);

let failed = false;
for (const [end, chosen] of [
  ['lowest', lowest],
  ['highest', Object.fromEntries(ranges)],
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
