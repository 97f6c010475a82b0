export * from '@scree/core';
export { type IdxArray, readIdx } from './idx.js';
export { readModel, writeModel } from './model-file.js';
export { screePlot } from './scree-plot.js';
