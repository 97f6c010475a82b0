import type { Warning } from '../warning.js';
import type { Block } from './block.js';
import type { Sample } from './sample.js';

export type DType = 'float32' | 'float64';

/** A source of rows, in blocks. All data become a source before anything reads them. */
export interface RowSource {
  /** How many rows; undefined where that is known only at the end. */
  readonly rows?: number;
  readonly cols: number;
  readonly dtype: DType;
  /** Stored entries of sparse data; undefined for dense. */
  readonly nonzeros?: number;
  readonly columnNames?: readonly string[];
  /** What a look at some of the rows tells, where they are dense and at hand. */
  readonly sample?: Sample | undefined;
  /** Whether `blocks()` may be called again and yields the same rows. */
  readonly rereadable: boolean;
  /** Whether the blocks stay in memory between passes anyway, so that an engine may keep what it loaded of them. */
  readonly resident: boolean;
  blocks(): Iterable<Block> | AsyncIterable<Block>;
  /** Asked once, after the last pass and before `close`: what the user should know of how the rows were read. */
  warnings?(): readonly Warning[] | Promise<readonly Warning[]>;
  /** Called once nothing more is read, also after an error. */
  close?(): void | Promise<void>;
}
