import { blasEngine, type Engine } from 'scree';
import { describe, it } from 'vitest';
import { engineChecks } from '../../core/test/conformance/engines.js';
import { checkSolver, solverCases } from '../../core/test/conformance/solvers.js';
import { solverNames } from '../../core/test/support/data.js';

/** The checks of every engine, on the BLAS of this machine. */
const engine = (await blasEngine()) as Engine;

describe.skipIf(!engine)('engine blas computes the passes as they are defined', () => {
  for (const [what, check] of Object.entries(engineChecks)) it(what, () => check(engine));
});

describe.skipIf(!engine).each(solverNames)('%s on blas agrees with svd on the reference engine', (solver) => {
  it.each(solverCases.map((one) => [`${one.shape}: ${one.name}`, one] as const))('%s', (_, one) =>
    checkSolver({ engine: engine as never, solver }, one),
  );
});
