import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const bundle = fileURLToPath(new URL('../dist/bundle/index.js', import.meta.url));

/** Prints the bytes per call that `transformSync` allocates with `out`, once V8 has compiled it, and without `out`. */
const PROGRAM = `
import { pca } from ${JSON.stringify(bundle)};
const rows = Array.from({ length: 100 }, (_, i) => Array.from({ length: 20 }, (_, j) => Math.sin(i * (j + 1)) + j));
const typed = rows.map((row) => Float64Array.from(row));
const out = new Float64Array(5);
const bytesPerCall = (given, into, rounds = 200) => {
  let least = Infinity;
  for (let round = 0; round < rounds && least > 1; round++) {
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 10_000; i++) model.transformSync(given[i % 100], into);
    // A collection frees memory in between.
    least = Math.min(least, Math.abs(process.memoryUsage().heapUsed - before) / 10_000);
  }
  return least;
};
const model = await pca(rows, { k: 5, scale: 'unit', whiten: 'pca' });
console.log(JSON.stringify([bytesPerCall(rows, out), bytesPerCall(typed, out), bytesPerCall(rows, undefined, 5)]));
`;

describe('transformSync', () => {
  it('allocates nothing with out, for lists and for typed arrays', () => {
    const flags = ['--input-type=module', '--eval', PROGRAM];
    const [rows, typed, withoutOut]: number[] = JSON.parse(
      execFileSync(process.execPath, flags, { encoding: 'utf8', timeout: 60_000 }),
    );
    expect(withoutOut).toBeGreaterThan(2);
    expect(rows).toBeLessThan(2);
    expect(typed).toBeLessThan(2);
  });
});
