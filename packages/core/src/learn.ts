/**
 * `@scree/core/learn`: learning rules one epoch at a time, for animation and teaching, and the terms that they are made of.
 * Fitting a model needs nothing of it.
 */

export { type AutoencoderTerms, autoencoderTerms } from './learning/autoencoder-terms.js';
export { type DescendOptions, type Descent, type DescentRule, descend } from './learning/descend.js';
export { type ForceShares, type NeighbourForces, neighbourForces } from './learning/neighbour-forces.js';
export type { PointForces, Snapshot } from './learning/snapshot.js';
export type { WatchedData } from './learning/watched-data.js';
