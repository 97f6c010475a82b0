/** The engines of the command: three are core's, and `blas/offer.ts` offers the fourth. For help texts, which must not load them. */
export const ENGINE_NAMES = ['wasm', 'blas', 'webgpu', 'reference'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];
