import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Moments, pca, ScreeError } from '../../src/index.js';
import { tables } from '../support/data.js';

const two = [
  [1, 2],
  [3, 5],
];

describe('moments as bytes', () => {
  it('continue as if they had never been stored, to the last bit', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.nat(), async (rows, cut) => {
        const at = 1 + (cut % (rows.length - 1));
        const cols = rows[0].length;
        const whole = await (await new Moments(cols).add(rows.slice(0, at))).add(rows.slice(at));
        const stopped = Moments.fromBinary((await new Moments(cols).add(rows.slice(0, at))).toBinary());
        await stopped.add(rows.slice(at));
        expect(stopped.toBinary()).toEqual(whole.toBinary());
        expect(stopped.scatter).toEqual(whole.scatter);
        if (rows.length < 3) return;
        const [a, b] = [await pca(whole, { k: 1 }), await pca(stopped, { k: 1 })];
        expect(b.toBinary()).toEqual(a.toBinary());
      }),
      { numRuns: 50 },
    );
  });

  it('keep names, and that nothing has been added yet', async () => {
    const named = Moments.fromBinary(new Moments(2, ['a', 'b']).toBinary());
    expect(named.columnNames).toEqual(['a', 'b']);
    expect(named.rows).toBe(0);
    await named.add([{ a: 1, b: 2 }]);
    expect(Array.from(named.mean)).toEqual([1, 2]);
  });

  it('are rejected when they were truncated or changed', async () => {
    const bytes = (
      await new Moments(3).add([
        [1, 2, 3],
        [4, 5, 7],
      ])
    ).toBinary();
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, flip, cut) => {
        const broken = cut ? bytes.slice(0, at % bytes.length) : bytes.slice();
        if (!cut) broken[at % bytes.length] ^= flip;
        expect(() => Moments.fromBinary(broken)).toThrow(ScreeError);
      }),
      { numRuns: 500 },
    );
  });

  it('ask for an update when their format is newer', () => {
    const bytes = new Moments(2).toBinary();
    new DataView(bytes.buffer).setUint32(8, 7, true);
    expect(() => Moments.fromBinary(bytes)).toThrow(/version 7.*up to version 1\. Update scree/);
    new DataView(bytes.buffer).setUint32(8, 0, true);
    expect(() => Moments.fromBinary(bytes)).toThrow(/version 0, which does not exist/);
  });

  it.each([
    { rows: '2' },
    { rows: -2 },
    { weight: null },
    { inflation: 'much' },
    { merges: 0.5 },
    { read: -1 },
    { single: 1 },
    { columnNames: 'ab' },
    { columnNames: ['a'] },
  ])('are refused with a header of %j, although the checksum is right', async (change) => {
    const bytes = Buffer.from((await new Moments(2).add(two)).toBinary());
    const length = bytes.readUInt32LE(12);
    const arrays = bytes.subarray(Math.ceil((16 + length) / 8) * 8);
    const header = Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString('utf8', 16, 16 + length)), ...change }));
    const start = Buffer.alloc(Math.ceil((16 + header.length) / 8) * 8);
    bytes.copy(start, 0, 0, 12);
    start.writeUInt32LE(header.length, 12);
    header.copy(start, 16);
    const made = Buffer.concat([start, arrays]);
    made.writeUInt32LE(crc32(made.subarray(0, -4)), made.length - 4);
    expect(() => Moments.fromBinary(made)).toThrow(/changed or damaged/);
  });
});
