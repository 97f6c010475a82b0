import { DataError } from '../../errors.js';
import type { Warning } from '../../warning.js';
import type { Block } from './block.js';
import type { SampleFacts } from './sample-facts.js';

/** The type that numbers are stored in. */
export type DType = 'float32' | 'float64';

/** Rows that are kept elsewhere and can be computed with there; `engines/remote.ts` says how. */
export interface RemoteReference {
  /** The only engine that reads them where they are. The others get them from `blocks()`, over the network. */
  readonly engine: string;
}

/** A source of rows, in blocks. All data become a source before anything reads them. */
export interface RowSource {
  /** How many rows; undefined where that is known only at the end. */
  readonly rows?: number | undefined;
  /** Where `rows` is undefined: about how many there are, as far as can be told now. For progress only. */
  readonly expectedRows?: (() => number | undefined) | undefined;
  readonly cols: number;
  readonly dtype: DType;
  /** Stored entries of sparse data; undefined for dense. */
  readonly nonzeros?: number;
  readonly columnNames?: readonly string[];
  /** Facts from a sample of the rows, where they are dense and in memory. */
  readonly sample?: SampleFacts | undefined;
  /** Whether `blocks()` may be called again and yields the same rows. */
  readonly rereadable: boolean;
  /** Whether the blocks stay in memory between passes, so that an engine may keep what it has loaded. */
  readonly resident: boolean;
  /** Where the rows are on a cluster that can compute with them. */
  readonly remote?: RemoteReference | undefined;
  blocks(): Iterable<Block> | AsyncIterable<Block>;
  /** Called once, after the last pass and before `close`: what the user should know about how the rows were read. */
  warnings?(): readonly Warning[] | Promise<readonly Warning[]>;
  /** Called when reading has ended, also after an error. */
  close?(): void | Promise<void>;
}

/** A source's blocks are all as wide as it says. */
export function checkBlockWidth(block: Block, source: RowSource, row: number): void {
  if (block.cols === source.cols) return;
  throw new DataError(
    'RAGGED_ROWS',
    `The rows from ${row + 1} on have ${block.cols} columns, those before them ${source.cols}.`,
    {
      row,
      value: block.cols,
      expected: source.cols,
    },
  );
}
