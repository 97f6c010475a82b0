/** Passes over wide data and products of rows, which are loaded when a fit needs them. */
export { writeEarly } from '../../early-products.js';
export { collectStrips } from './column-strips.js';
export { multiplyRows } from './dual.js';
export { summariseAndMultiply } from './early-dual.js';
