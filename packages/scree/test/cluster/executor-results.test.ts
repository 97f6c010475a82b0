import { describe, expect, it } from 'vitest';
import { PIECE_LENGTH } from '../../src/cluster/executor-passes.js';
import { assembleParts, type VectorPiece } from '../../src/cluster/executor-results.js';

/** The vector of a part in pieces. The first number is the length, also of the vector with it. */
function piecesOf(part: number, values: readonly number[]): VectorPiece[] {
  const whole = Float64Array.from([values.length + 1, ...values]);
  return Array.from({ length: Math.ceil(whole.length / PIECE_LENGTH) }, (_, i) => {
    const numbers = new Float64Array(PIECE_LENGTH);
    numbers.set(whole.subarray(i * PIECE_LENGTH, (i + 1) * PIECE_LENGTH));
    return { part, at: i * PIECE_LENGTH, numbers };
  });
}

async function* sent(pieces: Iterable<VectorPiece>): AsyncGenerator<VectorPiece, void, void> {
  yield* pieces;
}

async function assembled(pieces: Iterable<VectorPiece>, longest: number, memory: number): Promise<number[][]> {
  const found: number[][] = [];
  for await (const vector of assembleParts(sent(pieces), longest, memory)) found.push([...vector]);
  return found;
}

const LONG = 2 * PIECE_LENGTH + 3;
const values = (part: number): number[] => Array.from({ length: LONG - 1 }, (_, i) => part + i / 7);

describe('the parts of a result', () => {
  it('are assembled from pieces in any order', async () => {
    const pieces = [0, 1, 2].flatMap((part) => piecesOf(part, values(part)));
    const found = await assembled(pieces.reverse(), LONG, 2 ** 26);
    expect(found.sort((a, b) => a[0] - b[0])).toEqual([0, 1, 2].map(values));
  });

  it('are refused if a server begins more of them than fit into memory', async () => {
    let begun = 0;
    function* endless(): Generator<VectorPiece, void, void> {
      for (let part = 0; part < 1e6; part++) {
        begun++;
        yield piecesOf(part, values(part))[0];
      }
    }
    const memory = 40 * 8 * (LONG + PIECE_LENGTH);
    await expect(assembled(endless(), LONG, memory)).rejects.toMatchObject({ name: 'DataError', code: 'TOO_LARGE' });
    expect(begun).toBe(41);
  });

  it('are refused if they are incomplete, longer than possible, or without a number', async () => {
    const [first, ...others] = piecesOf(0, values(0));
    await expect(assembled([first], LONG, 2 ** 26)).rejects.toThrow('missing');
    const lying = { ...first, numbers: Float64Array.from(first.numbers, (value, i) => (i === 0 ? 1e9 : value)) };
    await expect(assembled([lying, ...others], LONG, 2 ** 26)).rejects.toThrow('longer');
    await expect(assembled([{ ...first, part: Number.NaN }], LONG, 2 ** 26)).rejects.toThrow('no part');
    await expect(assembled([{ ...first, at: -5 }], LONG, 2 ** 26)).rejects.toThrow('no part');
  });
});
