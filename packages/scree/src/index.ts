import { offerBlas } from './blas/offer.js';

export * from '@scree/core';
export { type BlasOptions, blasEngine } from './blas/blas.js';
export { type Diagnosis, doctor, type EngineDiagnosis, formatDiagnosis } from './doctor.js';
export { type IdxArray, readIdx } from './idx.js';
export { readModel, writeModel } from './model-file.js';
export { screePlot } from './scree-plot.js';

offerBlas();
