/**
 * What `npm pack` and `npm publish` run in the folder of a package. Before: builds the repository if a source is newer than the build,
 * makes the links of README.md absolute, and adds `homepage` and `bugs` to package.json. After: restores both files.
 */
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { absoluteLinks, repositoryPage, withLinks } from './readme.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = process.cwd();
const readme = join(folder, 'README.md');
const manifestFile = join(folder, 'package.json');
const keptOf = (file) => `${file}.kept`;

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
  const inRepository = relative(root, folder).replaceAll('\\', '/');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const change = (file, changed) => {
    writeFileSync(keptOf(file), readFileSync(file, 'utf8'));
    writeFileSync(file, changed);
  };
  change(readme, absoluteLinks(readFileSync(readme, 'utf8'), inRepository, repositoryPage(manifest)));
  const linked = withLinks(manifest, inRepository);
  if (linked !== manifest) change(manifestFile, `${JSON.stringify(linked, null, 2)}\n`);
} else {
  for (const file of [readme, manifestFile]) if (existsSync(keptOf(file))) renameSync(keptOf(file), file);
}
