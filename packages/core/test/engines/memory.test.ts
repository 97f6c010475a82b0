import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs a fit in a separate process. Returns the maximum growth of the process in bytes, beyond the data. */
function growth(rows: number, cols: number, type: string, options: object): number {
  const program = `
    import { pca } from '@scree/core';
    const data = new ${type}(${rows} * ${cols});
    let state = 1;
    for (let i = 0; i < data.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      data[i] = (state >>> 24) / (1 + (i % ${cols}));
    }
    await pca({ rows: 200, cols: 20, data: data.subarray(0, 4000) }, { k: 2 });
    const before = process.resourceUsage().maxRSS;
    await pca({ rows: ${rows}, cols: ${cols}, data }, { ...${JSON.stringify(options)}, threads: 2 });
    console.log((process.resourceUsage().maxRSS - before) * 1024);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return Number(output);
}

const MB = 2 ** 20;

describe('memory beyond the data', () => {
  // A second copy of any of these would take 350 MB or more.
  it.each([
    ['covariance', 80_000, 600, 'Float64Array', { k: 5, solver: 'covariance' }],
    ['refined', 80_000, 600, 'Float64Array', { k: 5, solver: 'refined' }],
    ['krylov', 80_000, 600, 'Float64Array', { k: 5, solver: 'krylov', tolerance: 1e-4 }],
    ['dual', 400, 120_000, 'Float64Array', { k: 3, solver: 'dual' }],
    ['covariance of bytes', 600_000, 600, 'Uint8Array', { k: 5, solver: 'covariance' }],
  ] as const)('%s takes at most 256 MB and four d × d matrices', (_, rows, cols, type, options) => {
    const square = Math.min(rows, cols) ** 2 * 8;
    expect(growth(rows, cols, type, options)).toBeLessThan(256 * MB + 4 * square);
  });
});
