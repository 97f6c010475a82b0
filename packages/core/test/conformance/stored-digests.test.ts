import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storedDigests } from './stored-digests.js';

/**
 * Digests of models as version 0.1.0 computed them; krylov's, and the certificates of refined and of the solvers that learn, as they are
 * since random starts depend on the data. A change of one needs a commit that says why, and that shows that the
 * error against the reference did not grow. `SCREE_DIGESTS=write npx vitest run stored-digests` writes the file anew.
 */
const file = new URL('./stored-digests.json', import.meta.url);

describe('a model', () => {
  it('has the bits that it had when they were stored, for every solver on reference and wasm', async () => {
    const now = await storedDigests();
    if (process.env.SCREE_DIGESTS === 'write') {
      const { writeFileSync } = await import('node:fs');
      writeFileSync(file, `${JSON.stringify({ ...stored(), ...now }, null, 2)}\n`);
    }
    const known = stored();
    // Other kernels (plain SIMD where a machine has no relaxed SIMD) round otherwise: the file has those that were seen.
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
