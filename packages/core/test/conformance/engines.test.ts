import { describe, it } from 'vitest';
import { engineChecks } from './engines.js';
import { engineOf, named, ways } from './roads.js';

describe.each(named(ways))('engine %s computes the five passes as they are defined', (_, way) => {
  for (const [what, check] of Object.entries(engineChecks)) it(what, async () => check(await engineOf(way)));
});
