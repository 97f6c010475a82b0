/**
 * Runs what depends on the version of Node under the versions that we support: the checks of the built packages
 * (built.js), and a few test files where the version is not the one that runs all tests anyway.
 * `npm run test:nodes`, after `npm run build`; `npm run test:nodes -- 24` for one of them.
 *
 * What cannot run is named in a warning.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installNode, VERSIONS } from './node-versions.js';

/** Threads, shared memory, kinds of SIMD; zstd; the thread that parses. */
const TESTS = [
  'packages/core/test/engines/threads.test.ts',
  'packages/scree/test/disk/unpackers.test.ts',
  'packages/scree/test/disk/table-in-thread.test.ts',
];

const root = fileURLToPath(new URL('..', import.meta.url));

const asked = process.argv.slice(2);
const failed = [];
const skipped = [];
for (const version of VERSIONS.filter((one) => asked.length === 0 || asked.some((name) => one.startsWith(name)))) {
  const { path, found, problem } = installNode(version);
  if (!found) {
    skipped.push(`Node ${version}: ${problem}`);
    continue;
  }
  console.log(`Node ${found}${problem ? ` from an earlier run (${problem})` : ''}`);
  const run = (...args) => {
    const { status } = spawnSync(path, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) failed.push(`Node ${found}: ${args.join(' ')}`);
  };
  run('test/built.js');
  if (found !== process.version) run('node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...TESTS);
}

const rule = '!'.repeat(80);
if (skipped.length > 0) console.error(`${rule}\nNOT TESTED:\n${skipped.join('\n')}\n${rule}`);
if (failed.length > 0) console.error(`FAILED:\n${failed.join('\n')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
