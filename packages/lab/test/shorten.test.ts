import { describe, expect, it } from 'vitest';
import { shorten, shortenMiddle } from '../src/shorten.js';

describe('names cut to fit', () => {
  it('are one line, whole letters, and no longer than they may be', () => {
    expect(shorten('a\nb\t\u0001c', 10)).toBe('a b c');
    expect(shorten('😀😀😀😀', 3)).toBe('😀😀…');
    expect(shortenMiddle('first\n and last', 9)).toBe('firs…last');
    expect(shortenMiddle('short', 9)).toBe('short');
  });
});
