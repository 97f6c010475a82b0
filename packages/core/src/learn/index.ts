/**
 * `@scree/core/learn`: runs learning rules one epoch at a time, for animation and teaching, and computes their terms. Contains
 * the small linear algebra that such a page needs. Fitting a model does not need this entry.
 */

export { orthonormalRows } from '../linalg/orthonormalise.js';
export { rotatedOnto } from '../linalg/procrustes.js';
export { type Random, random } from '../linalg/random.js';
export { combineRows, rowProducts } from '../linalg/row-products.js';
export { type Eigen, eigenOf } from '../linalg/symmetric-eigen.js';
export { type AutoencoderTerms, autoencoderTerms, averageTerms } from '../solvers/learned/autoencoder-terms.js';
export type { DescentData } from '../solvers/learned/descent-rows.js';
export type { MeanTerms } from '../solvers/learned/mean-terms.js';
export { scatterOf } from '../solvers/learned/memory-passes.js';
export { type ForceShares, type NeighbourForces, neighbourForces } from '../solvers/learned/neighbour-forces.js';
export type { PointForces, Snapshot } from '../solvers/learned/snapshot.js';
export { type DescendOptions, type Descent, type DescentRule, descend } from './descend.js';
