/** Passes over wide data and row products. They are loaded when a fit needs them. */
export { writePrecomputedDual } from '../../precomputed-dual.js';
export { collectStrips } from './column-strips.js';
export { multiplyRows } from './dual.js';
export { summariseWithDual } from './summarise-with-dual.js';
