import { describe, it } from 'vitest';
import { engineChecks } from './engines.js';
import { engineNames, engineOf } from './roads.js';

describe.each(engineNames)('engine %s computes the five passes as they are defined', (name) => {
  for (const [what, check] of Object.entries(engineChecks)) it(what, async () => check(await engineOf(name)));
});
