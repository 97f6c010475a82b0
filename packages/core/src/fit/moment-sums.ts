import { type ControlOptions, checkControl } from '../base/control.js';
import { Printable } from '../base/inspect.js';
import { keepAlive } from '../base/keep-alive.js';
import { LARGEST_SQUARE } from '../base/limits.js';
import { ProgressTracker } from '../base/progress.js';
import type { Block } from '../data/blocks/block.js';
import { refuseChanged } from '../data/blocks/changes.js';
import { fitsFloat32 } from '../data/blocks/matrix.js';
import { checkBlockWidth, type RowSource } from '../data/blocks/row-source.js';
import { type Data, openSource } from '../data/inputs/open-source.js';
import type { DataChecksum } from '../data/statistics/checksum.js';
import {
  type ColumnStatistics,
  emptyStatistics,
  mergeScatter,
  mergeStatistics,
} from '../data/statistics/statistics.js';
import { rowWeights } from '../data/statistics/weights.js';
import type { StoredMoments } from '../data/storage/moments-bytes.js';
import type { EngineChoice } from '../engines/choose.js';
import type { Engine, LoadedBlock, RowsAt } from '../engines/engine.js';
import { enginesFor, remoteRowsFor } from '../engines/remote.js';
import { DataError, describeValue, OptionError } from '../errors.js';

/** How rows are added to moments. */
export interface AddOptions extends ControlOptions {
  /** One weight per added row. */
  readonly weights?: ArrayLike<number> | undefined;
  /** The engine that runs the pass. Default `'auto'`. */
  readonly engine?: EngineChoice | undefined;
}

/** The sums of `Moments`, for fits: everything but their stored form. It is a class of its own so that programs that only fit need not load the rest. */
export class MomentSums extends Printable {
  readonly cols: number;
  readonly columnNames: readonly string[] | undefined;
  readonly #columns: ColumnStatistics;
  /** S in units of `unit[i]·unit[j]`, upper triangle. Allocated when it is first needed. */
  #scatter: Float64Array | undefined;
  #float32 = true;
  #sparse = false;
  #merges = 0;
  #read = 0;

  constructor(cols: number, columnNames?: readonly string[]) {
    super();
    if (!Number.isSafeInteger(cols) || cols < 1 || cols > LARGEST_SQUARE) {
      throw new OptionError(
        'TOO_LARGE',
        `Moments of d columns keep d × d numbers; d must be a whole number from 1 to ${LARGEST_SQUARE}, not ${describeValue(cols)}.`,
        { value: cols, expected: LARGEST_SQUARE },
      );
    }
    if (columnNames && columnNames.length !== cols) {
      throw new OptionError('BAD_OPTION', `There are ${columnNames.length} column names for ${cols} columns.`, {
        option: 'columnNames',
        value: columnNames.length,
        expected: cols,
      });
    }
    this.cols = cols;
    this.columnNames = columnNames;
    this.#columns = emptyStatistics(cols);
  }

  /** Number of rows, without rows of weight 0. */
  get rows(): number {
    return this.#columns.rows;
  }

  /** Number of rows that were read, including rows of weight 0. */
  get read(): number {
    return this.#read;
  }

  /** Σw; the number of rows if they have no weights. */
  get weight(): number {
    return this.#columns.weight;
  }

  get mean(): Float64Array {
    return this.#columns.mean.slice();
  }

  /** Statistics of the columns: mean, spread, range. */
  get columns(): Readonly<ColumnStatistics> {
    return this.#columns;
  }

  /** The upper triangle of the scatter, entry (i, j) in units of `columns.unit[i]·columns.unit[j]`. */
  get scatter(): Float64Array {
    this.#scatter ??= new Float64Array(this.cols * this.cols);
    return this.#scatter;
  }

  /** float32 if all rows were float32. */
  get dtype(): 'float32' | 'float64' {
    return this.#float32 && this.#merges > 0 ? 'float32' : 'float64';
  }

  /** Number of blocks and moments that were merged. */
  get merges(): number {
    return this.#merges;
  }

  get sparse(): boolean {
    return this.#sparse;
  }

  /** Adds rows in any form that `pca` accepts. Adds all rows, or none if it throws. */
  add(data: Data, options: AddOptions = {}): Promise<this> {
    return keepAlive(() => this.#add(data, options));
  }

  async #add(data: Data, options: AddOptions): Promise<this> {
    const progress = new ProgressTracker(checkControl(options));
    const source = await openSource(data, progress, this.columnNames);
    try {
      if (source.cols !== this.cols) {
        throw new DataError('WIDTH_MISMATCH', `These rows have ${source.cols} columns, the moments ${this.cols}.`, {
          value: source.cols,
          expected: this.cols,
        });
      }
      const added = await MomentSums.of(source, options, progress, this.columnNames);
      await refuseChanged(source);
      return this.merge(added);
    } finally {
      await source.close?.();
    }
  }

  /** Computes the moments of a source in one pass. Loaded blocks that later passes can use again are added to `keep`. */
  static async of<Kind extends MomentSums>(
    this: new (
      cols: number,
      columnNames?: readonly string[],
    ) => Kind,
    source: RowSource,
    { weights: given, engine: wanted, threads }: Pick<AddOptions, 'weights' | 'engine' | 'threads'>,
    progress: ProgressTracker,
    columnNames?: readonly string[],
    keep?: (LoadedBlock | undefined)[],
    checksum?: Pick<DataChecksum, 'add'>,
  ): Promise<Kind> {
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    const request = { engine: wanted ?? 'auto', threads, weights: given };
    const [engine] = await enginesFor(source, request, numbers);
    const moments = new this(source.cols, columnNames);
    const weights = rowWeights(given, source.rows);
    let rows = 0;
    progress.begin('covariance', source.rows, source.expectedRows);
    const remote = remoteRowsFor(source, engine);
    if (remote) {
      const loaded = remote.load();
      await moments.#addLoaded(loaded, { first: 0, weights: undefined, columnNames }, progress, source);
      rows = loaded.rows;
    } else {
      for await (const block of source.blocks()) {
        checkBlockWidth(block, source, rows);
        const own = weights.slice(rows, block.rows);
        checksum?.add(block, own);
        await moments.addBlock(block, own, rows, engine, progress, keep);
        rows += block.rows;
      }
    }
    weights.end(rows);
    progress.end();
    moments.#read = rows;
    return moments;
  }

  /** Adds one block: computes its mean, its scatter about that mean, and merges both. */
  async addBlock(
    block: Block,
    weights: Float64Array | undefined,
    firstRow: number,
    engine: Engine,
    progress: ProgressTracker,
    keep?: (LoadedBlock | undefined)[],
  ): Promise<void> {
    const at = { first: firstRow, weights, columnNames: this.columnNames };
    const dtype = fitsFloat32(block.data) ? 'float32' : 'float64';
    const loaded = await engine.load(block);
    await this.#addLoaded(loaded, at, progress, { dtype, sparse: block.kind === 'sparse' }, keep);
  }

  async #addLoaded(
    loaded: LoadedBlock,
    at: RowsAt,
    progress: ProgressTracker,
    { dtype, sparse = false }: { readonly dtype: RowSource['dtype']; readonly sparse?: boolean },
    keep?: (LoadedBlock | undefined)[],
  ): Promise<void> {
    const scatter = new Float64Array(this.cols * this.cols);
    let stats: ColumnStatistics;
    try {
      stats = await loaded.summarise(at, scatter, (rows) => progress.step(rows));
      keep?.push(loaded.exact?.());
    } finally {
      loaded.release();
    }
    if (stats.rows === 0) return;
    this.#absorb(stats, scatter, dtype === 'float32', sparse, stats.merges ?? 1, true);
  }

  /** Adds the rows of other moments. */
  merge(other: MomentSums): this {
    if (!(other instanceof MomentSums))
      throw new DataError('BAD_DATA', `Moments merge with moments, not with ${describeValue(other)}.`);
    if (other.cols !== this.cols) {
      throw new DataError('WIDTH_MISMATCH', `Moments of ${other.cols} columns cannot join moments of ${this.cols}.`, {
        value: other.cols,
        expected: this.cols,
      });
    }
    this.#absorb(other.#columns, other.scatter, other.#float32, other.#sparse, other.#merges);
    return this;
  }

  /** `Moments of 2000 × 3`. `console.log` prints the same in Node and Deno. */
  override toString(): string {
    return `Moments of ${this.rows} × ${this.cols}${this.columnNames ? `: ${this.columnNames.slice(0, 6).join(', ')}${this.cols > 6 ? ', …' : ''}` : ''}`;
  }

  /** The complete state, for `Moments.toBinary`. */
  protected get state(): StoredMoments {
    return {
      cols: this.cols,
      columnNames: this.columnNames,
      columns: this.#columns,
      scatter: this.scatter,
      float32: this.#float32,
      sparse: this.#sparse,
      merges: this.#merges,
      read: this.#read,
    };
  }

  /** Takes over a stored state of the same width. */
  protected restore({ columns, scatter, float32, sparse, merges, read }: StoredMoments): void {
    for (const name of ['mean', 'meanRest', 'unit', 'spread', 'min', 'max'] as const) {
      this.#columns[name].set(columns[name]);
    }
    if (columns.restUnknown) this.#columns.restUnknown = true;
    this.#columns.rows = columns.rows;
    this.#columns.weight = columns.weight;
    this.#columns.inflation = columns.inflation;
    this.scatter.set(scatter);
    this.#float32 = float32;
    this.#sparse = sparse;
    this.#merges = merges;
    this.#read = read;
  }

  /** If `given`, the caller gives the array `scatter` away: the first one is kept without a copy. */
  #absorb(
    stats: ColumnStatistics,
    scatter: Float64Array,
    float32: boolean,
    sparse: boolean,
    merges: number,
    given = false,
  ): void {
    const empty = this.#columns.rows === 0;
    const merged = mergeStatistics(this.#columns, stats);
    if (given && empty) {
      this.#scatter = scatter;
      // A merge with empty moments changes only the columns without spread.
      merged.theirs.forEach((share, j, { length: d }) => {
        for (let i = 0; share === 0 && i < d; i++) scatter[Math.min(i, j) * d + Math.max(i, j)] = 0;
      });
    } else mergeScatter(this.scatter, scatter, merged);
    this.#float32 &&= float32;
    this.#sparse ||= sparse;
    this.#merges += merges;
  }
}
