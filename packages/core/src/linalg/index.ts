/** `@scree/core/linalg`: small dense linear algebra in plain TypeScript. */

export { cholesky, invertLower } from './cholesky.js';
export { orthonormalise, randomRows } from './orthonormalise.js';
export { logarithm, type Random, random } from './random.js';
export { combineRows, rowProducts } from './row-products.js';
export { subspaceAngles } from './subspace-angles.js';
export { svd, svdSteps } from './svd.js';
export { type Count, eigenFlops, type SymmetricEigen, symmetricEigen } from './symmetric-eigen.js';
export { transpose } from './transpose.js';
export { tridiagonalValues } from './tridiagonal-eigen.js';
export { axpy, dot, maxAbs, norm, powerOfTwo, scale } from './vector.js';
export { withoutZeroRows } from './zero-rows.js';
