import { offerBlas } from './blas/offer.js';
import { provideNodeGpu } from './webgpu/provide.js';

/** Offers the engines of this package to every fit. Their code is loaded when a fit needs it. */
export function offerEngines(): void {
  offerBlas();
  provideNodeGpu();
}
