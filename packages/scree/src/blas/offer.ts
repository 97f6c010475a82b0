import { offerEngine } from '@scree/core/engine';
import type { EngineName } from '../engine-names.js';

/** Registers the blas engine. Its code is loaded when a fit needs it. */
export function offerBlas(): void {
  offerEngine({
    name: 'blas' satisfies EngineName,
    make: async (threads) => {
      const { blasEngine, MAX_THREADS } = await import('./blas.js');
      return blasEngine(threads === undefined ? {} : { threads: Math.min(threads, MAX_THREADS) });
    },
    why: async () => {
      const blas = await (await import('./blas.js')).loadBlas();
      return typeof blas === 'string' ? blas : 'it is available now; try again';
    },
  });
}
