export { type Compressed, type CompressOptions, compressFile } from './compress-file.js';
export { type CompressedFile, type OpenCompressedOptions, openCompressed } from './open-compressed.js';
export type { Quantiser } from './quantise.js';
export { neighbourRecall, type Recall, type RecallOptions, recallAtTen } from './recall.js';
