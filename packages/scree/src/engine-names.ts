/** The engines of the command: two are core's, and `blas/offer.ts` offers the third. For help texts, which must not load them. */
export const ENGINE_NAMES = ['wasm', 'blas', 'reference'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];
