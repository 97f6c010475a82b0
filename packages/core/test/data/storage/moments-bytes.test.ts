import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Moments, pca, ScreeError } from '../../../src/index.js';
import { random } from '../../../src/linalg/random.js';
import { tables } from '../../support/data.js';

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
    expect(() => Moments.fromBinary(bytes)).toThrow(/version 7.*up to version 2\. Update scree/);
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

describe('moments of rows far from zero', () => {
  it('merge to full accuracy, and the certificate knows it', async () => {
    const { normal } = random(5);
    const [parts, rows, cols] = [40, 50, 3];
    // Multiples of 2⁻²⁰: adding 1e8 rounds nothing, so the covariance is the same.
    const near = Array.from({ length: parts }, (_, p) =>
      Float64Array.from({ length: rows * cols }, (_, at) => {
        const value = normal() * (1 + (at % cols)) + (p % 7) * 0.3;
        return Math.round(value * 2 ** 20) / 2 ** 20;
      }),
    );
    const merged = async (offset: number): Promise<Moments> => {
      const all = new Moments(cols);
      for (const data of near) {
        const part = await new Moments(cols).add({ rows, cols, data: data.map((value) => value + offset) });
        all.merge(Moments.fromBinary(part.toBinary()));
      }
      return all;
    };
    const [here, far] = [await pca(await merged(0)), await pca(await merged(1e8))];
    far.variances.forEach((variance, i) => {
      expect(Math.abs(variance / here.variances[i] - 1)).toBeLessThan(4e-15);
      expect(far.certificate.varianceBounds[i] / variance).toBeLessThan(1e-10);
    });
  });
});
