/// <reference types="node" />
/** What `analyze` says of the structure of public tables, beside what a statistician would say: `expected.ts`. */

import { type Analysis, analyze } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { STRUCTURE, TRUTH, type Truth } from './expected.js';
import { numbersOf } from './read-table.js';

describe('the structure of public tables', () => {
  it.each(TRUTH)('is told as a statistician would tell it: $path', async (truth) => {
    const { findings } = await analysed(truth);
    const said = findings.map(({ code }) => code).filter((code) => STRUCTURE.some((each) => each === code));
    const allowed: readonly string[] = [...truth.must, ...(truth.may ?? [])];
    expect(said).toEqual(expect.arrayContaining([...truth.must]));
    expect(said.filter((code) => !allowed.includes(code))).toEqual([]);
    // Each is said once.
    expect(new Set(said).size).toBe(said.length);
  });
});

async function analysed(truth: Truth): Promise<Analysis> {
  const { rows, columns } = await numbersOf(truth);
  return analyze(rows, { columnNames: columns, scale: 'unit', bootstrap: 0, criteria: 'none', listRows: false });
}

describe("scale: 'auto'", () => {
  it.each(TRUTH)('scales $path as a statistician would', async (truth) => {
    const { rows, columns } = await numbersOf(truth);
    const { scaling, model } = await analyze(rows, { columnNames: columns, bootstrap: 0, criteria: 'none' });
    expect(model.scaling).toBe(scaling?.rule);
    if (truth.scale !== 'either') expect(scaling).toMatchObject({ rule: truth.scale });
  });
});
