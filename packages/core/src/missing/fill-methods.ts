import type { FillMethodName } from '../data/inputs/missing-option.js';
import type { FillMethod } from './method.js';

/** The methods that fill in missing values: one file and one line each. */
export const LOAD_METHOD: Readonly<Record<FillMethodName, () => Promise<FillMethod>>> = {
  em: async () => (await import('./em.js')).em,
  iterative: async () => (await import('./iterative.js')).iterative,
  nipals: async () => (await import('./nipals.js')).nipals,
};
