import { offerEngine } from '@scree/core/engine';

/** Offers the blas engine to every fit. Nothing of it is loaded before a fit asks for it. */
export function offerBlas(): void {
  offerEngine({
    name: 'blas',
    make: async (threads) => {
      const { blasEngine, MOST_THREADS } = await import('./blas.js');
      return blasEngine(threads === undefined ? {} : { threads: Math.min(threads, MOST_THREADS) });
    },
    why: async () => {
      const blas = await (await import('./blas.js')).loadBlas();
      return typeof blas === 'string' ? blas : 'it is there now; try again';
    },
  });
}
