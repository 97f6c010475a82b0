/**
 * The kernels, in AssemblyScript: packing, products of panels and of rows, sparse rows, bases, tridiagonalisation. Pointers are in bytes.
 * Counts and strides are in elements unless stated otherwise. build.js compiles this with plain and with relaxed SIMD.
 */

export { basisProducts, basisSubtract } from './basis';
export { multiplySlots, scoreSlots } from './multiply';
export { packColumns, packRows, packVectors } from './pack';
export { reduce } from './reduce';
export { addParts, collectColumns, normalRows } from './rows';
export {
  sparseAddParts,
  sparseByColumn,
  sparseCollect,
  sparseNormal,
  sparseNormalByColumn,
  sparsePack,
  sparseScore,
} from './sparse';
export { backTransform } from './tridiagonalise';
