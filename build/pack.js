/**
 * What `npm pack` and `npm publish` run in the folder of a package. Before: builds the repository if a source is newer than the build,
 * and makes the links of README.md absolute. After: restores README.md.
 */
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { absoluteLinks, repositoryPage } from './readme.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = process.cwd();
const [readme, kept] = [join(folder, 'README.md'), join(folder, 'README.md.kept')];

/** When the newest file below a folder was written. */
const newest = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((time, entry) => Math.max(time, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);

/** Whether every package was bundled after its last change, and the page of the lab was built. */
function isBuilt() {
  return ['core', 'analysis', 'files', 'scree', 'lab'].every((name) => {
    const built = { scree: 'dist/bin', lab: 'dist' }[name] ?? 'dist/bundle';
    const output = join(root, 'packages', name, built);
    return existsSync(output) && newest(output) >= newest(join(root, 'packages', name, 'src'));
  });
}

if (process.argv[2] === 'before') {
  if (!isBuilt()) execSync('npm run build', { cwd: root, stdio: 'inherit' });
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = readFileSync(readme, 'utf8');
  writeFileSync(kept, text);
  writeFileSync(readme, absoluteLinks(text, relative(root, folder).replaceAll('\\', '/'), repositoryPage(manifest)));
} else if (existsSync(kept)) {
  renameSync(kept, readme);
}
