import { type ControlOptions, checkControl } from '../control.js';
import type { Block } from '../data/block.js';
import { checkBlockWidth, type Data, openSource, type RowSource } from '../data/open-source.js';
import type { Scale } from '../data/scaling.js';
import type { ColumnStatistics } from '../data/statistics.js';
import { rowWeights } from '../data/weights.js';
import { DataError } from '../errors.js';
import { keepAlive } from '../keep-alive.js';
import type { Moments } from '../moments.js';
import { ProgressTracker, runTask } from '../progress.js';
import type { Warning } from '../warning.js';
import type { ColumnFacts, ColumnsRead } from './columns.js';

/** Options of `lookAtColumns`. */
export interface LookOptions extends ControlOptions {
  /** How the fit will scale the columns: large and small spreads matter only where it is `'none'`, the default. */
  readonly scale?: Scale;
  /** Whether the fit will subtract the column means. Default true. */
  readonly center?: boolean;
  /** One weight per row, as for `pca`. */
  readonly weights?: ArrayLike<number>;
  /** Names of the columns, for data that do not carry them; for records, which columns to use. */
  readonly columnNames?: readonly string[];
}

/** What was seen of the columns, and what to know of them before a fit. */
export interface ColumnsLook {
  readonly columns: readonly ColumnFacts[];
  readonly warnings: readonly Warning[];
}

/**
 * Looks at columns before they are analysed: does one of them dominate, number the rows, hold codes of classes, repeat another?
 * One reading, O(n·d). `pca(data, { lookAtColumns: true })` does the same on the way of a fit.
 */
export function lookAtColumns(data: Data, options: LookOptions = {}): Promise<ColumnsLook> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    const source = await openSource(data, progress, options.columnNames);
    try {
      const names = options.columnNames ?? source.columnNames;
      const { ColumnWatch } = await import('./columns.js');
      const watch = new ColumnWatch(source.cols, names);
      const weights = rowWeights(options.weights, source.rows);
      let rows = 0;
      progress.begin('looking at columns', source.rows);
      for await (const block of source.blocks()) {
        checkBlockWidth(block, source, rows);
        await runTask(watch.add(block, weights.slice(rows, block.rows)), () => progress.yieldToEventLoop());
        const pause = progress.step(block.rows);
        if (pause) await pause;
        rows += block.rows;
      }
      weights.end(rows);
      progress.end();
      const read = watch.result();
      const warnings = [...((await source.warnings?.()) ?? []), ...(await warningsOf(read, options))];
      return { columns: read.columns, warnings };
    } finally {
      await source.close?.();
    }
  });
}

/**
 * The same source, which looks at its rows while something else reads them, and whose warnings say after the first whole
 * reading what `lookAtColumns` would say. Rows are not read once more.
 */
export function watchColumns(source: RowSource, options: Omit<LookOptions, 'onProgress' | 'threads'> = {}): RowSource {
  const { cols, dtype, nonzeros, rereadable, resident } = source;
  const names = options.columnNames ?? source.columnNames;
  let found: readonly Warning[] | undefined;
  async function* blocks(): AsyncGenerator<Block, void, void> {
    const { ColumnWatch } = await import('./columns.js');
    const watch = found ? undefined : new ColumnWatch(cols, names);
    const progress = new ProgressTracker({ signal: options.signal });
    const weights = rowWeights(options.weights, undefined);
    let [rows, finite] = [0, true];
    for await (const block of source.blocks()) {
      // Before the reader has the block: it may keep it.
      if (watch && finite && block.cols === cols) {
        const task = watch.add(block, weights.slice(rows, block.rows));
        try {
          await runTask(task, () => progress.yieldToEventLoop());
        } catch (error) {
          finite = isNotFinite(error);
        }
      }
      yield block;
      rows += block.rows;
    }
    if (watch && finite) found ??= await warningsOf(watch.result(), options);
  }
  return {
    get rows() {
      // Undefined until the rows were counted, which a source may be.
      return source.rows as number;
    },
    get sample() {
      return source.sample;
    },
    cols,
    dtype,
    ...(nonzeros === undefined ? {} : { nonzeros }),
    ...(source.columnNames ? { columnNames: source.columnNames } : {}),
    rereadable,
    resident,
    remote: source.remote,
    blocks,
    warnings: async () => [...((await source.warnings?.()) ?? []), ...(found ?? [])],
    ...(source.close ? { close: () => source.close?.() } : {}),
  };
}

/** A value that is not finite is an error of the fit, which says so itself. */
function isNotFinite(error: unknown): false {
  if (error instanceof DataError && error.code === 'NOT_FINITE') return false;
  throw error;
}

/** What was seen of the rows that moments were made of. It holds until rows are added to them. */
const LOOKED = new WeakMap<Moments, { readonly read: ColumnsRead; readonly merges: number }>();

/** Lets warnings about the columns of moments use what was seen of their single values. */
export function rememberColumns(moments: Moments, read: ColumnsRead): void {
  LOOKED.set(moments, { read, merges: moments.merges });
}

/** What the columns of moments tell, whose single values are gone. */
export async function momentsWarnings(moments: Moments, options: LookOptions): Promise<readonly Warning[]> {
  const { columnsOf } = await import('./columns.js');
  const known = LOOKED.get(moments);
  const names = options.columnNames ?? moments.columnNames;
  const read = known?.merges === moments.merges ? known.read : columnsOf(moments.columns, names);
  return warningsOf(read, options);
}

/** What the statistics of columns tell, whose single values are elsewhere. */
export async function statisticsWarnings(
  columns: Readonly<ColumnStatistics>,
  options: LookOptions,
): Promise<readonly Warning[]> {
  const { columnsOf } = await import('./columns.js');
  return warningsOf(columnsOf(columns, options.columnNames), options);
}

async function warningsOf(
  read: ColumnsRead,
  { scale = 'none', center = true }: LookOptions,
): Promise<readonly Warning[]> {
  const { columnWarnings } = await import('./column-warnings.js');
  return columnWarnings(read, { unscaled: scale === 'none', centred: center });
}
