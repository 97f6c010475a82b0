import { execFileSync } from 'node:child_process';
import { findLibrary, loadKoffi } from '../packages/scree/src/blas/library.js';

/** The reason why no fast BLAS was found. Undefined if one was found. */
async function missing(): Promise<string | undefined> {
  const koffi = await loadKoffi();
  const found = typeof koffi === 'string' ? koffi : findLibrary(koffi);
  return typeof found === 'string' ? found : undefined;
}

/** Finds OpenBLAS before the tests, or installs Debian's once if that is allowed. Otherwise its tests are skipped, with a message. */
export default async function setup(): Promise<void> {
  const why = await missing();
  if (why === undefined) return;
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    console.log(`blas: ${why}. Trying apt-get install libopenblas0-pthread …`);
    for (const command of [['update'], ['install', '-y', 'libopenblas0-pthread']]) {
      try {
        execFileSync('apt-get', ['-q', ...command], { stdio: 'ignore', timeout: 180_000 });
      } catch {
        // An index that cannot be updated may still be good enough to install from.
      }
    }
  }
  const still = await missing();
  console.log(still === undefined ? 'blas: installed.' : `blas: TESTS OF THE BLAS ENGINE ARE SKIPPED: ${still}.`);
}
