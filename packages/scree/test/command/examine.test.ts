import type { Block } from '@scree/core/data';
import { type RowSource, toRows } from 'scree';
import { describe, expect, it } from 'vitest';
import { criteriaFor, replicatesFor } from '../../src/command/examine.js';
import { rememberRows } from '../../src/command/remember-rows.js';
import { wrap } from '../../src/command/wrap.js';
import { screePlot } from '../../src/scree-plot.js';

describe('what a fit does without being asked follows from the shape alone', () => {
  it('all criteria, as the library computes them, for small tables', () => {
    expect(criteriaFor(178, 13, true)).toEqual({ tables: undefined, omitted: [] });
    expect(criteriaFor(27, 10, false)).toEqual({ tables: undefined, omitted: [] });
  });

  it('fewer tables where they are larger, then no permuting, then no simulation and no cross-validation', () => {
    const { tables = 0, omitted } = criteriaFor(2236, 28, false);
    expect(omitted).toEqual([]);
    expect(tables).toBeGreaterThan(98);
    expect(tables).toBeLessThan(1000);
    expect(criteriaFor(60_000, 50, true).omitted).toEqual(['permutation']);
    expect(criteriaFor(10_000, 784, false).omitted).toEqual(['parallel', 'permutation', 'cross-validation']);
  });

  it('200 replicates up to ten million numbers, and otherwise the way to ask for them', () => {
    expect(replicatesFor(undefined, 100_000, 100)).toBe(200);
    expect(replicatesFor(undefined, 100_001, 100)).toMatch(/100,001 × 100 .*--bootstrap 200/);
    expect(replicatesFor(1000, 1e6, 100)).toBe(1000);
    expect(replicatesFor(0, 100, 3)).toMatch(/--bootstrap 0/);
    expect(replicatesFor(undefined, 1, 3)).toMatch(/there is 1\./);
    expect(replicatesFor(undefined, 2, 3)).toMatch(/there are 2\./);
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

  it('are read from their source once, and are the same afterwards', async () => {
    const file = source(false);
    const kept = rememberRows(file, 64);
    expect(kept.rereadable).toBe(false);
    expect(await read(kept)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await read(kept)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(kept.rereadable).toBe(true);
    expect(file.readings).toBe(1);
  });

  it('are not kept where they take more bytes than they may', async () => {
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

describe('text in a terminal', () => {
  it('is broken at spaces, not at no-break spaces, and keeps its indentation', () => {
    expect(wrap('  one two three', 9, 4)).toEqual(['  one two', '    three']);
    expect(wrap('12\u00a0% of it', 6)).toEqual(['12\u00a0%', 'of it']);
    expect(wrap('unbreakable', 4)).toEqual(['unbreakable']);
    expect(wrap('', 4)).toEqual(['']);
  });

  it('a scree plot has marks in its bars and lines below them', () => {
    const lines = screePlot(
      { varianceRatios: Float64Array.of(0.75, 0.25) },
      { width: 8, marks: [0.375, 0.375], below: (i) => (i === 0 ? ['here'] : []) },
    ).split('\n');
    expect(lines.map((line) => line.slice(24))).toEqual(['', '████│███', '', '██▋ │'.trimEnd()]);
    expect(lines[2]).toBe('here');
  });
});
