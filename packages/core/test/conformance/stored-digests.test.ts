import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storedDigests } from './stored-digests.js';

/**
 * Digests of models of version 0.1.0. The digests of krylov, and of the certificates of refined and the learned solvers, are newer: they
 * changed when random starts began to depend on the data. A commit that changes a digest must give the reason and show that the error
 * against the reference did not grow. `SCREE_DIGESTS=write npx vitest run stored-digests` rewrites the file.
 */
const file = new URL('./stored-digests.json', import.meta.url);

describe('a model', () => {
  it('has the stored digest for every solver on reference and wasm', async () => {
    const now = await storedDigests();
    if (process.env.SCREE_DIGESTS === 'write') {
      const { writeFileSync } = await import('node:fs');
      writeFileSync(file, `${JSON.stringify({ ...stored(), ...now }, null, 2)}\n`);
    }
    const known = stored();
    // Kernels round differently: machines without relaxed SIMD use plain SIMD. The file has the digests of the tested kernels.
    const both = Object.keys(now).filter((name) => name in known);
    expect(both.length).toBeGreaterThanOrEqual(Object.keys(now).length / 2);
    expect(Object.fromEntries(both.map((name) => [name, now[name]]))).toEqual(
      Object.fromEntries(both.map((name) => [name, known[name]])),
    );
  });
});

function stored(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
