import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlaces, writePlaces } from '../../src/state/index-ranges.js';

describe('places in an address', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(300)), (given) => {
        const places = given.sort((a, b) => a - b);
        if (places.length > 0) expect(readPlaces(writePlaces(places), 301)).toEqual(places);
      }),
    );
  });

  it('are no more than there are, and nothing else is taken for some', () => {
    expect(readPlaces('0-999999999', 4)).toEqual([0, 1, 2, 3]);
    expect(readPlaces('7', 4)).toEqual([]);
    for (const text of ['', 'a', '1-', '-3', '1,,2', '1e3', '99999999999']) expect(readPlaces(text, 4)).toBeUndefined();
  });
});
