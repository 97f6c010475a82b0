import { describe, expect, it } from 'vitest';
import { LoadedBasis } from '../../src/engines/basis.js';
import { wasmEngine } from '../../src/engines/choose.js';
import type { Basis } from '../../src/engines/engine.js';
import { type Engine, referenceEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { dot } from '../../src/linalg/vector.js';

const reference = referenceEngine();

const wasm = (await wasmEngine({ threads: 2 })) as Engine;
const kinds: [string, (length: number) => Basis][] = [
  ['of the reference engine', (length) => new LoadedBasis(reference, length)],
  ['of loaded blocks', (length) => new LoadedBasis(wasm, length)],
  ['in a separate memory', (length) => (wasm.basis as (length: number) => Basis)(length)],
];
const none = (): void => {};
const numbers = (length: number, seed: number): Float64Array => Float64Array.from({ length }, random(seed).normal);

/** Odd lengths, and numbers of rows and vectors near the four and two that kernels process together. */
const shapes = [
  [1, 1, 1],
  [7, 3, 2],
  [515, 5, 3],
  [1030, 38, 7],
  [2049, 66, 8],
  [20000, 70, 61],
];

describe.each(kinds)('a basis %s', (_, make) => {
  it.each(shapes)('of length %i projects and combines as defined, %i vectors and %i', async (length, size, count) => {
    const basis = make(length);
    const q = numbers(size * length, 1);
    const first = Math.ceil(size / 3);
    basis.append(q, first);
    if (size > first) basis.append(q.subarray(first * length), size - first);
    expect(basis.size).toBe(size);
    for (const from of [0, Math.floor(size / 2)]) {
      const z = numbers(count * length, 2);
      const before = z.slice();
      const inside = await basis.project(z, count, from, none);
      expect(inside.length).toBe((size - from) * count);
      for (let c = 0; c < count; c++) {
        const expected = before.slice(c * length, (c + 1) * length);
        for (let r = from; r < size; r++) {
          const product = dot(q, r * length, before, c * length, length);
          expect(Math.abs(inside[(r - from) * count + c] - product)).toBeLessThanOrEqual(1e-13 * length);
          for (let j = 0; j < length; j++) expected[j] -= product * q[r * length + j];
        }
        let worst = 0;
        for (let j = 0; j < length; j++) worst = Math.max(worst, Math.abs(z[c * length + j] - expected[j]));
        expect(worst).toBeLessThanOrEqual(1e-13 * size * length);
      }
    }
    const coordinates = numbers(count * size, 3);
    const out = await basis.combine(coordinates, count, none);
    let worst = 0;
    for (let c = 0; c < count; c++) {
      for (let j = 0; j < length; j += 5) {
        let sum = 0;
        for (let r = 0; r < size; r++) sum += coordinates[c * size + r] * q[r * length + j];
        worst = Math.max(worst, Math.abs(out[c * length + j] - sum));
      }
    }
    expect(worst).toBeLessThanOrEqual(1e-13 * size);
    basis.release();
    expect(basis.size).toBe(0);
    basis.append(q, 1);
    expect(await basis.combine(Float64Array.of(2), 1, none)).toEqual(q.slice(0, length).map((x) => 2 * x));
    basis.release();
  });
});

describe('a basis in a separate memory', () => {
  it('gives the same bits on any number of threads', async () => {
    const [length, size, count] = [20001, 130, 13];
    const run = async (threads: number): Promise<Buffer> => {
      const basis = (((await wasmEngine({ threads })) as Engine).basis as (length: number) => Basis)(length);
      basis.append(numbers(size * length, 1), size);
      const z = numbers(count * length, 2);
      const inside = await basis.project(z, count, 0, none);
      const out = await basis.combine(inside.slice(0, count * size), count, none);
      basis.release();
      await new Promise((resolve) => setTimeout(resolve, 5));
      return Buffer.concat([z, inside, out].map((array) => Buffer.from(array.buffer)));
    };
    const expected = await run(1);
    for (const threads of [2, 3, 8, 2, 3, 8]) expect(Buffer.compare(await run(threads), expected)).toBe(0);
  });
});
