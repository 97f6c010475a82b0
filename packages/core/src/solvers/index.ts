import type { LearnOptions } from '../learning/learn-options.js';
import type { SolverName } from '../options.js';
import { autoencoder } from './autoencoder.js';
import { covariance } from './covariance.js';
import { dual } from './dual.js';
import { hebbian } from './hebbian.js';
import { krylov } from './krylov.js';
import { points } from './points.js';
import { refined } from './refined.js';
import type { Solver } from './solver.js';
import { streaming } from './streaming.js';
import { svd } from './svd.js';

/** How a solver is used: some need other things of the data when they are told to learn otherwise. */
export interface Use {
  readonly cols: number;
  readonly learn?: LearnOptions | undefined;
}

const solvers: Readonly<Record<SolverName, (use: Use) => Solver>> = {
  covariance: () => covariance,
  refined: () => refined,
  dual: () => dual,
  svd: () => svd,
  krylov: () => krylov,
  points,
  autoencoder,
  hebbian,
  streaming: () => streaming,
};

export function solverFor(name: SolverName, use: Use): Solver {
  return solvers[name](use);
}
