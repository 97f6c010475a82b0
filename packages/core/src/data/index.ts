/** `@scree/core/data`: rows, blocks, tables and encodings, for packages that read data or apply an encoding. */

export { builtInName, isFloat32Array, isFloatArray } from '../base/built-in-name.js';
export { withText } from '../base/inspect.js';
export { mapAsync } from '../base/map-async.js';
export { DEFAULT_MEMORY, MEMORY_SHARES, MemoryBudget, type MemoryUser } from '../base/memory-budget.js';
export {
  BlockAssembler,
  blockHeight,
  TEXT_BYTES,
  TextBudget,
} from '../table/block-assembler.js';
export { dropIncompleteRows } from '../table/drop-incomplete-rows.js';
export { filterRows, type RowRule } from '../table/filter-rows.js';
export { GapCounts } from '../table/gap-counts.js';
export { type BlockPair, joinColumns, pairedBlocks } from '../table/join-columns.js';
export { dropMissing, fillMissing, refuseMissing } from '../table/missing-values.js';
export { numberRows } from '../table/number-rows.js';
export { readSeveralTexts, TextReader } from '../table/read-several-texts.js';
export { repeatColumns } from '../table/repeat-columns.js';
export { rereadableTable } from '../table/rereadable-table.js';
export { RowNumbers } from '../table/row-numbers.js';
export { RowSet } from '../table/row-set.js';
export { columnsAsText, selectColumns, selectNamed } from '../table/select-columns.js';
export { type RowRanges, selectRows } from '../table/select-rows.js';
export {
  type Cell,
  type CellBatch,
  type ColumnKind,
  type ColumnTable,
  changeTable,
  type DenseBatch,
  type ReadRequest,
  type RemoteReading,
  type RemoteRequest,
  readCells,
  rowNumberOf,
  type Table,
  type TableBatch,
  type TableColumn,
  type TableRow,
  type Text,
  withClose,
} from '../table/table.js';
export { blocksToBatches, sourceTable, toRowSource } from '../table/to-row-source.js';
export { toTable } from '../table/to-table.js';
export { transposeTable } from '../table/transpose-table.js';
export { TwoBuffers } from '../table/two-buffers.js';
export { type ValueBatch, valueTable } from '../table/value-table.js';
export type { Block, DenseBlock, Scaler, SparseBlock } from './blocks/block.js';
export { identityScaler, packTile } from './blocks/block.js';
export { blockColumns, packedRows, rowsOfBlock } from './blocks/block-rows.js';
export { changeOf, refuseChanged } from './blocks/changes.js';
export { decoded, decodeHalf, numbersOf } from './blocks/float16.js';
export { mapBlocks } from './blocks/map-blocks.js';
export type { FloatArray, IntegerArray } from './blocks/matrix.js';
export { scoreNames } from './blocks/row-matrix.js';
export { checkBlockWidth, mapSource } from './blocks/row-source.js';
export type { ReconstructedColumn } from './encoding/decode.js';
export { decodeNumbers } from './encoding/decode.js';
export { encodeColumns } from './encoding/encode-columns.js';
export { encodeTerms } from './encoding/encode-terms.js';
export { encodedSource, openForModel } from './encoding/encoded-source.js';
export type {
  CategoryColumn,
  EncodedColumn,
  EncodedCovariate,
  EncodedGroup,
  EncodedRegression,
  MissingRule,
  NumberColumn,
  UnseenRule,
} from './encoding/encoding.js';
export {
  compositionParts,
  type EncodingMethod,
  encodedNames,
  hasCategories,
  inputNames,
  MISSING_RULES,
  offsetsOf,
  reversible,
  termNames,
  UNSEEN_RULES,
} from './encoding/encoding.js';
export { type LearnedEncoding, learnEncoding } from './encoding/learn-encoding.js';
export { TermEncoder, takeOut } from './encoding/regression.js';
export type {
  ArqueroLike,
  ArrowLike,
  DanfoLike,
  DuckDbLike,
  LibraryData,
  NdarrayLike,
  PolarsLike,
  TensorLike,
} from './inputs/library-data.js';
export { matrixSource } from './inputs/memory-source.js';
export { mergeWarnings } from './inputs/merge-warnings.js';
export { keepRows, openSource } from './inputs/open-source.js';
export { empty, isMatrix, toBlock } from './inputs/to-block.js';
export { blockStatistics } from './statistics/block-statistics.js';
export { DataChecksum } from './statistics/checksum.js';
export type { ScalingRule } from './statistics/scaling.js';
export { checkScale, columnScales } from './statistics/scaling.js';
export {
  addRowCounts,
  type ColumnStatistics,
  checkFinite,
  columnSquares,
  emptyStatistics,
  mergeScatter,
  mergeStatistics,
  scaledSquares,
} from './statistics/statistics.js';
export { type RowWeights, rowWeights } from './statistics/weights.js';
export { cutOff, damaged, readContainerHeader, readSections, writeContainer } from './storage/container.js';
export { crc32 } from './storage/crc32.js';
export { readerOf } from './storage/format-version.js';
export { type FieldValue, protobufMessage } from './storage/protobuf.js';
export { listsOf, withJson } from './storage/result-json.js';
