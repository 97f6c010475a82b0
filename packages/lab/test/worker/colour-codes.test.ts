import { describe, expect, it } from 'vitest';
import { groupCodes, numberCodes } from '../../src/worker/colour-codes.js';

const inOrder = (a: string, b: string): number => a.localeCompare(b);

describe('colour codes', () => {
  it('distinguish rows without a value from rows whose value is "(missing)"', () => {
    const found = groupCodes(['missing', null, 'a', null], inOrder);
    expect(found).toMatchObject({ names: ['a', 'missing', '(missing)'], counts: [1, 1, 2] });
    expect([...found.codes]).toEqual([1, 2, 0, 2]);
  });

  it('name the largest of many groups, and count the others', () => {
    const texts = Array.from({ length: 40 }, (_, i) => `g${Math.floor(i / 3)}`);
    expect(groupCodes(texts, inOrder)).toMatchObject({
      others: true,
      names: expect.arrayContaining(['g0', '4 others']),
    });
  });

  it('are groups for few whole numbers, each with a colour, and a scale otherwise', () => {
    const cycle = (length: number): Float64Array => Float64Array.from({ length: 60 }, (_, i) => i % length);
    expect(numberCodes(cycle(10))).toMatchObject({ kind: 'groups', others: false });
    expect(numberCodes(cycle(12))).toMatchObject({ kind: 'shades', low: 0, high: 11 });
  });
});
