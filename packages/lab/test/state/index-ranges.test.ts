import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRanges, parseRanges } from '../../src/state/index-ranges.js';

describe('indexes in an address', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(300)), (given) => {
        const indexes = given.sort((a, b) => a - b);
        if (indexes.length > 0) expect(parseRanges(formatRanges(indexes), 301)).toEqual(indexes);
      }),
    );
  });

  it('are limited to those that exist, and other text is refused', () => {
    expect(parseRanges('0-999999999', 4)).toEqual([0, 1, 2, 3]);
    expect(parseRanges('7', 4)).toEqual([]);
    for (const text of ['', 'a', '1-', '-3', '1,,2', '1e3', '99999999999'])
      expect(parseRanges(text, 4)).toBeUndefined();
  });
});
