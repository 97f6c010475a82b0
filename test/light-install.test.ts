/// <reference types="node" />
/** `npm install scree` in an empty project, from the files that `npm pack` would publish and the dependencies that are installed here. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** The path of a package of this repository, which is a link. */
  readonly resolved?: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const lock: Readonly<Record<string, Package>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

/** Where the lock file has `name` for the package at `from`: in its own node_modules, or in that of a folder above. */
function locate(name: string, from: string): string {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = join(folder, 'node_modules', name);
    if (lock[path]) return path;
    if (folder === '') throw new Error(`${name} is not in package-lock.json`);
  }
}

/** Copies the packages that an installation of scree brings: their paths in the repository, and where npm puts them. */
function install(place: string): void {
  const found = new Set([locate('scree', '')]);
  for (const path of found) {
    const link = lock[path].resolved;
    const own = link !== undefined && lock[link] !== undefined ? link : undefined;
    const target = join(place, path.replace(/^packages\/[^/]+\//, ''));
    if (own === undefined) cpSync(join(root, path), target, { recursive: true });
    else for (const file of packed(own)) cpSync(join(root, own, file), join(target, file));
    for (const name of Object.keys(lock[own ?? path].dependencies ?? {})) found.add(locate(name, own ?? path));
  }
}

/** Files that `npm pack` puts into a package of this repository. */
function packed(folder: string): string[] {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: join(root, folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const result = JSON.parse(printed) as Record<string, { files: { path: string }[] }>;
  return Object.values(result)[0].files.map(({ path }) => path);
}

it('an installation of scree alone is small and does its work', () => {
  const place = mkdtempSync(join(tmpdir(), 'scree-light-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  install(place);
  const program = join(root, 'test/install/check-light.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { cwd: place, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toMatch(/scree works alone/);
  expect(status).toBe(0);
}, 120_000);
