import type { Table } from '@scree/core/data';
import fc from 'fast-check';
import { expect } from 'vitest';
import { ScreeError } from '../../core/src/errors.js';
import { blockRows } from './support.js';

/** Tests of parsers on damaged files: for any bytes, the result is right or a typed error. */

export type Opener = (content: Uint8Array) => Promise<Table>;

/** Reads everything: numbers, and each other column as text. */
export async function readTable(opened: Promise<Table>): Promise<number[][]> {
  const table = await opened;
  try {
    const numbers = !table.uniform
      ? [...table.columns.keys()].filter((j) => table.columns[j].kind === 'number')
      : ('all' as const);
    const rows: number[][] = [];
    for await (const { block } of table.read({ numbers })) {
      for (const row of blockRows(block)) rows.push(row);
      // Nothing here is larger than what it was made from.
      if (rows.length > 10_000) throw new Error('too many rows');
    }
    for (const [j, { kind }] of table.uniform ? [] : table.columns.entries()) {
      if (kind === 'text')
        for await (const { texts } of table.read({ numbers: [], texts: [j] })) expect(texts[0]).toBeDefined();
    }
    return rows;
  } finally {
    await table.close();
  }
}

/** Flips, cuts off and adds bytes, `numRuns` times. */
export async function expectTypedWhenDamaged(content: Uint8Array, open: Opener, numRuns: number): Promise<void> {
  const whole = await readTable(open(content));
  expect(whole.length).toBeGreaterThan(0);
  const change = fc.record({
    flips: fc.array(
      fc.record({ at: fc.nat(content.length - 1), to: fc.oneof(fc.nat(255), fc.constantFrom(0, 255, 127, 128)) }),
      { maxLength: 4 },
    ),
    cut: fc.oneof(
      { weight: 3, arbitrary: fc.constant(content.length) },
      { weight: 1, arbitrary: fc.nat(content.length) },
    ),
    added: fc.uint8Array({ maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ flips, cut, added }) => {
      const changed = Uint8Array.from(content);
      for (const { at, to } of flips) changed[at] = to;
      const result = await readTable(open(Buffer.concat([changed.subarray(0, cut), added]))).catch(
        (error: unknown) => error,
      );
      if (!Array.isArray(result) && !(result instanceof ScreeError)) throw result;
    }),
    { numRuns },
  );
}

/** Noise after the beginning. */
export async function expectTypedInNoise(content: Uint8Array, open: Opener): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.nat(Math.min(40, content.length)), fc.uint8Array({ maxLength: 200 }), async (kept, noise) => {
      const result = await readTable(open(Buffer.concat([content.subarray(0, kept), noise]))).catch(
        (error: unknown) => error,
      );
      if (!Array.isArray(result) && !(result instanceof ScreeError)) throw result;
    }),
    { numRuns: 500 },
  );
}
