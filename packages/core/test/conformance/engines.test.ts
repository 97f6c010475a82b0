import { describe, it } from 'vitest';
import { engineChecks } from './engines.js';
import { engineOf, engineSetups, named } from './setups.js';

describe.each(named(engineSetups))('engine %s computes the five passes as they are defined', (_, setup) => {
  for (const [what, check] of Object.entries(engineChecks)) it(what, async () => check(await engineOf(setup)));
});
