import { offerEngine } from '@scree/core/engine';

/** Offers the blas engine to every fit. Nothing of it is loaded until one asks. */
export function offerBlas(): void {
  offerEngine({
    name: 'blas',
    make: async (threads) => (await import('./blas.js')).blasEngine(threads === undefined ? {} : { threads }),
    why: async () => {
      const blas = await (await import('./blas.js')).loadBlas();
      return typeof blas === 'string' ? blas : 'it is there now; try again';
    },
  });
}
