import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { optimalBlockLength } from '../src/bootstrap/block-length.js';

/** A column of a table of the tests. */
function columnOf(path: string, name: string): Float64Array {
  const [head, ...lines] = readFileSync(new URL(path, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const at = head.replaceAll('"', '').split(',').indexOf(name);
  return Float64Array.from(lines, (line) => Number(line.split(',')[at]));
}

describe('the block length of a series', () => {
  // Python: arch.bootstrap.optimal_block_length(x).circular, arch 8.0. (Where a correlation is near the limit of what is negligible, the two
  // may take another window: arch divides autocovariances by the variances of the shortened series.)
  it.each([
    ['../../files/test/tables/airquality.csv', 'Temp', 17.85811156],
    ['../../../test/truth/tables/macrodata.csv', 'infl', 22.26436202],
  ])('is that of the package arch: %s, %s', (path, name, expected) => {
    expect(optimalBlockLength(columnOf(path, name))).toBeCloseTo(expected, 6);
  });
});
