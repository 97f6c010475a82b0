import { neighbourRecall } from '@scree/analysis/vectors';

export { neighbourRecall, type Recall, type RecallOptions } from '@scree/analysis/vectors';
export { type Compressed, type CompressOptions, compressFile } from './compress-file.js';
export { type CompressedFile, type OpenCompressedOptions, openCompressed } from './open-compressed.js';
export type { Quantiser } from './quantise.js';

/** @deprecated The earlier name of `neighbourRecall`. */
export const recallAtTen = neighbourRecall;
