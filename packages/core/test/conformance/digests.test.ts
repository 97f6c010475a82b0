import { describe, expect, it } from 'vitest';
import { digests } from './digests.js';
import { engineSetups, named } from './setups.js';

describe('a fit gives the same bits every time', () => {
  // The reference engine has only one thread, and engines.ts tests that its passes repeat their bits.
  const wasm = engineSetups.filter(({ engine }) => engine === 'wasm');
  it.each(named(wasm))('on %s', async (_, setup) => {
    expect(await digests(setup)).toEqual(await digests({ engine: setup.engine }));
  });
});
