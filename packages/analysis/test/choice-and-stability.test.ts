import { type RowSource, toRows } from '@scree/core';
import type { Block } from '@scree/core/data';
import { describe, expect, it } from 'vitest';
import { replicatesFor } from '../src/bootstrap/default-replicates.js';
import { quickCriteria } from '../src/choose/quick-criteria.js';
import { rememberRows } from '../src/reading/remember-rows.js';

describe('the defaults of a fit follow from the shape alone:', () => {
  it('all criteria for small tables', () => {
    expect(quickCriteria(178, 13, true)).toEqual({ tables: undefined, omitted: [] });
    expect(quickCriteria(27, 10, false)).toEqual({ tables: undefined, omitted: [] });
  });

  it('fewer simulated tables for larger data, then no permutation, then no simulation and no cross-validation', () => {
    const { tables = 0, omitted } = quickCriteria(2236, 28, false);
    expect(omitted).toEqual([]);
    expect(tables).toBeGreaterThan(98);
    expect(tables).toBeLessThan(1000);
    expect(quickCriteria(60_000, 50, true).omitted).toEqual(['permutation']);
    expect(quickCriteria(10_000, 784, false).omitted).toEqual(['parallel', 'permutation', 'cross-validation']);
  });

  it('200 replicates for up to ten million numbers, and none above', () => {
    expect(replicatesFor(undefined, 100_000, 100)).toBe(200);
    expect(replicatesFor(undefined, 100_001, 100)).toEqual({
      code: 'LARGE_TABLE',
      details: { rows: 100_001, cols: 100 },
    });
    expect(replicatesFor(1000, 1e6, 100)).toBe(1000);
    expect(replicatesFor(0, 100, 3)).toEqual({ code: 'NOT_ASKED' });
    expect(replicatesFor(undefined, 1, 3)).toMatchObject({ code: 'FEW_ROWS', details: { rows: 1 } });
    expect(replicatesFor(undefined, 2, 3)).toMatchObject({ code: 'FEW_ROWS', details: { rows: 2 } });
  });
});

describe('rows that are remembered', () => {
  /** Two blocks in one buffer, as readers of files reuse theirs; counts how often it is read. */
  function source(rereadable: boolean): RowSource & { readings: number } {
    const buffer = new Float64Array(4);
    return {
      readings: 0,
      rows: 4,
      cols: 2,
      dtype: 'float64',
      rereadable,
      resident: false,
      *blocks() {
        this.readings++;
        for (const first of [1, 5]) {
          for (let i = 0; i < 4; i++) buffer[i] = first + i;
          yield { kind: 'dense', rows: 2, cols: 2, stride: 2, data: buffer } satisfies Block;
        }
      },
    };
  }

  const read = async (from: RowSource): Promise<number[]> => {
    const found: number[] = [];
    for await (const block of from.blocks()) found.push(...toRows(block as never).flat());
    return found;
  };

  it('are read from their source once, and do not change', async () => {
    const file = source(false);
    const kept = rememberRows(file, 64);
    expect(kept.rereadable).toBe(false);
    expect(await read(kept)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await read(kept)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(kept.rereadable).toBe(true);
    expect(file.readings).toBe(1);
  });

  it('are not kept if they take more bytes than allowed', async () => {
    const file = source(true);
    const kept = rememberRows(file, 63);
    await read(kept);
    expect(await read(kept)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(file.readings).toBe(2);
  });

  it('are not kept after a reading that stopped early', async () => {
    const file = source(true);
    const kept = rememberRows(file, 64);
    for await (const _ of kept.blocks()) break;
    expect(await read(kept)).toHaveLength(8);
    expect(file.readings).toBe(2);
  });
});
