import { copyWith } from '../../base/copy-with.js';
import { DataError } from '../../errors.js';
import type { Warning } from '../../warning.js';
import type { Block } from './block.js';
import type { SampleFacts } from './sample-facts.js';

/** The type in which numbers are stored. */
export type DType = 'float32' | 'float64';

/** Rows on a cluster that can compute with them: see `engines/remote.ts`. */
export interface RemoteReference {
  /** The name of the engine that computes on the cluster. Other engines get the rows from `blocks()`, over the network. */
  readonly engine: string;
}

/** Moments that a fit takes instead of reading rows: `MomentSums` of core. */
export interface ExpectedMoments {
  readonly rows: number;
  readonly cols: number;
}

/** A source of rows, in blocks. All data are converted to a source before they are read. */
export interface RowSource {
  /** Number of rows; undefined if it is known only after reading them. */
  readonly rows?: number | undefined;
  /** A current estimate of the number of rows, if `rows` is undefined. For progress only. */
  readonly expectedRows?: (() => number | undefined) | undefined;
  readonly cols: number;
  readonly dtype: DType;
  /** Number of stored entries of sparse data; undefined for dense data. */
  readonly nonzeros?: number | undefined;
  readonly columnNames?: readonly string[] | undefined;
  /** Facts from a sample of the rows, if they are dense and in memory. */
  readonly sample?: SampleFacts | undefined;
  /** True if `blocks()` may be called again and yields the same rows. */
  readonly rereadable: boolean;
  /** True if the blocks stay in memory between passes, so that an engine may keep loaded blocks. */
  readonly resident: boolean;
  /** Present if the rows are on a cluster that can compute with them. */
  readonly remote?: RemoteReference | undefined;
  /**
   * The expected moments of the rows, if values of theirs were predicted: their scatter includes the variance of the predictions. A fit
   * is of these moments.
   */
  readonly expected?: ExpectedMoments | undefined;
  blocks(): Iterable<Block> | AsyncIterable<Block>;
  /** Warnings about how the rows were read. Called once, after the last pass and before `close`. */
  warnings?(): readonly Warning[] | Promise<readonly Warning[]>;
  /** Called after reading, also after an error. */
  close?(): void | Promise<void>;
}

/** Throws if a block does not have the width of its source. */
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

/** The source with some properties replaced. Properties that change while the source is read, such as `rows`, stay visible. */
export function mapSource(source: RowSource, changes: Partial<RowSource>): RowSource {
  const { cols, dtype, nonzeros, columnNames } = source;
  return copyWith<RowSource>(
    {
      get rows() {
        return source.rows;
      },
      expectedRows: source.expectedRows && (() => source.expectedRows?.()),
      cols,
      dtype,
      nonzeros,
      columnNames,
      get sample() {
        return source.sample;
      },
      get rereadable() {
        return source.rereadable;
      },
      get resident() {
        return source.resident;
      },
      get remote() {
        return source.remote;
      },
      get expected() {
        return source.expected;
      },
      blocks: () => source.blocks(),
      warnings: () => source.warnings?.() ?? [],
      close: () => source.close?.(),
    },
    changes,
  );
}
