import type { LearnOptions } from '../learning/learn-options.js';
import type { SolverName } from '../options.js';
import { covariance } from './covariance.js';
import { dual } from './dual.js';
import { krylov } from './krylov.js';
import { refined } from './refined.js';
import type { Solver } from './solver.js';
import { streaming } from './streaming.js';
import { svd } from './svd.js';

/** How a solver is used: some need other things of the data when they are told to learn otherwise. */
export interface Use {
  readonly cols: number;
  readonly learn?: LearnOptions | undefined;
}

const solvers: Readonly<Partial<Record<SolverName, (use: Use) => Solver>>> = {
  covariance: () => covariance,
  refined: () => refined,
  dual: () => dual,
  svd: () => svd,
  krylov: () => krylov,
  streaming: () => streaming,
};

export function solverFor(name: SolverName, use: Use): Solver {
  return (solvers[name] as (use: Use) => Solver)(use);
}
