/**
 * Publishes the packages: `npm run release`, or with `-- --dry-run` everything but the upload. It refuses to run where a fact that
 * only the publisher knows is missing, where the checkout has changes, or where versions differ. Further arguments go to npm.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { releaseProblems } from './release-problems.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['core', 'analysis', 'files', 'scree'];
const manifests = FOLDERS.map((folder) => JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, 'utf8')));
const changelog = readFileSync(`${root}CHANGELOG.md`, 'utf8');
const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim();

const found = releaseProblems(manifests, changelog);
if (changes) found.push(`The checkout has changes that are not committed:\n${changes}`);
if (found.length > 0) {
  process.stderr.write(`Nothing was published.\n${found.map((each) => `- ${each}`).join('\n')}\n`);
  process.exit(1);
}
const npm = (args, cwd = root) =>
  // .npmrc turns scripts off, and prepack is one.
  execFileSync('npm', args, { cwd, stdio: 'inherit', env: { ...process.env, npm_config_ignore_scripts: 'false' } });
npm(['run', 'build']);
npm(['run', 'check:packages']);
for (const folder of FOLDERS) npm(['publish', ...process.argv.slice(2)], `${root}packages/${folder}`);
