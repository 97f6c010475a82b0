import { describe, expect, it } from 'vitest';
import { digests } from './digests.js';
import { named, ways } from './roads.js';

describe('a fit gives the same bits whenever it is done', () => {
  // The reference engine has but one thread, and its passes are seen to repeat their bits in engines.ts.
  const wasm = ways.filter(({ engine }) => engine === 'wasm');
  it.each(named(wasm))('on %s', async (_, way) => {
    expect(await digests(way)).toEqual(await digests({ engine: way.engine }));
  });
});
