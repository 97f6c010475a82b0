import type { SolverName } from '../options.js';
import { covariance } from './covariance.js';
import { dual } from './dual.js';
import { krylov } from './krylov.js';
import { refined } from './refined.js';
import type { Solver } from './solver.js';
import { svd } from './svd.js';

export const solvers: Readonly<Record<SolverName, Solver>> = { covariance, refined, dual, svd, krylov };
