/** Passes over wide data, which are loaded when a fit needs them. */
export { collectStrips } from './column-strips.js';
export { summariseAndMultiply, writeEarly } from './early-dual.js';
