/**
 * Packs the published packages and runs publint and attw (Are The Types Wrong?) on the tarballs. attw is fetched when it is needed: with
 * the compiler inside it, it is larger than everything else that the tests install.
 */
import { execFileSync, execSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll } from './pack-all.js';

const ATTW = '@arethetypeswrong/cli@0.18.5';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scree-packages-'));
try {
  packAll(folder);
  for (const name of readdirSync(folder)) {
    execFileSync(process.execPath, [join(root, 'node_modules/publint/src/cli.js'), join(folder, name), '--strict'], {
      stdio: 'inherit',
    });
    execSync(`npx --yes ${ATTW} "${join(folder, name)}" --format ascii --no-emoji`, { cwd: folder, stdio: 'inherit' });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
