import { describe, expect, it } from 'vitest';
import { shorten, shortenMiddle } from '../src/shorten.js';

describe('shortened names', () => {
  it('are one line of whole characters, not longer than the limit', () => {
    expect(shorten('a\nb\t\u0001c', 10)).toBe('a b c');
    expect(shorten('😀😀😀😀', 3)).toBe('😀😀…');
    expect(shortenMiddle('first\n and last', 9)).toBe('firs…last');
    expect(shortenMiddle('short', 9)).toBe('short');
  });

  it('do not change the direction of the text around them', () => {
    expect(shorten('a\u202eb\u2066c', 10)).toBe('abc');
    expect(shorten('טקסט', 10)).toBe('\u2068טקסט\u2069');
    expect(shortenMiddle('العربية', 5)).toMatch(/^\u2068.{2}….{2}\u2069$/);
  });
});
