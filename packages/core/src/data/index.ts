/** `@scree/core/data`: rows, blocks, tables and codings, for packages that read data or apply a coding themselves. */

export { builtInName, isFloat32Array, isFloatArray } from '../built-in-name.js';
export type { Block, DenseBlock, Frame, SparseBlock } from './block.js';
export { identityFrame, packTile } from './block.js';
export { blockStatistics } from './block-statistics.js';
export { changeOf, refuseChanged } from './changes.js';
export { DataChecksum } from './checksum.js';
export { codedSource, openForModel } from './coded-source.js';
export type {
  CategoryColumn,
  CodedColumn,
  CodedCovariate,
  CodedGroup,
  CodedRegression,
  GapRule,
  NumberColumn,
  UnseenRule,
} from './coding.js';
export {
  type CodingMethod,
  codedNames,
  GAP_RULES,
  hasCategories,
  inputNames,
  offsetsOf,
  partsOf,
  reversible,
  termNames,
  UNSEEN_RULES,
} from './coding.js';
export { cutOff, damaged, readContainerHead, readSections, writeContainer } from './container.js';
export { crc32 } from './crc32.js';
export type { ReconstructedColumn } from './decode.js';
export { decodeNumbers } from './decode.js';
export { decoded, decodeHalf, numbersOf } from './float16.js';
export type {
  ArqueroLike,
  ArrowLike,
  DanfoLike,
  DuckDbLike,
  ForeignData,
  NdarrayLike,
  PolarsLike,
  TensorLike,
} from './foreign-data.js';
export { readerOf } from './format-version.js';
export { type Learned, learnCoding } from './learn-coding.js';
export type { FloatArray, IntegerArray } from './matrix.js';
export { matrixSource } from './memory-source.js';
export { mergeWarnings } from './merge-warnings.js';
export { checkBlockWidth, keepRows, openSource } from './open-source.js';
export { type BlockPair, joinColumns, packedRows, pairedBlocks } from './paired-blocks.js';
export { TermEncoder, takeOut } from './regression.js';
export { listsOf, withJson } from './result-json.js';
export { scoreNames } from './row-matrix.js';
export type { ScalingRule } from './scaling.js';
export { checkScale, columnScales } from './scaling.js';
export {
  addRowCounts,
  type ColumnStatistics,
  checkFinite,
  columnSquares,
  emptyStatistics,
  mergeScatter,
  mergeStatistics,
  scaledSquares,
} from './statistics.js';
export type { Cell, ColumnTable, TableBatch, TableColumn, TableRow, TableSource } from './table.js';
export { completeRows, openTable, pickColumns, rereadableTable } from './table.js';
export { empty, isMatrix, toBlock } from './to-block.js';
export { type RowWeights, rowWeights } from './weights.js';
