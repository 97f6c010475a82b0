import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Files that pack-mnist.js makes from a package. The version of the package is in the lock file. */
const GENERATED = /^mnist-.*\.gz$/;

/** The hash of all inputs of the build is written into this file, so that tests use a build only if it is of these sources. */
export const BUILT_FROM = join(root, '.built-from');

/**
 * A hash of all inputs of the build: the lab, the sources of all packages, and the versions of their dependencies.
 * @returns {string}
 */
export function hashOfSources() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, '..')).map((name) => `../${name}/src`);
  for (const path of ['index.html', 'pack-mnist.js', 'vite.config.ts', ...sources, '../../package-lock.json']) {
    const start = join(root, path);
    const files = statSync(start).isFile()
      ? [start]
      : readdirSync(start, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !GENERATED.test(entry.name))
          .map(({ parentPath, name }) => join(parentPath, name))
          .sort();
    for (const file of files) hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}
