import { DataError, type Moments, type RowSource, type Scale, type Warning } from '@scree/core';
import type { Block } from '@scree/core/data';
import { type ColumnStatistics, emptyStatistics, rowWeights } from '@scree/core/data';
import { type ControlOptions, ProgressTracker, runTask } from '@scree/core/pipeline';
import type { ColumnInspector, InspectedColumns } from './column-inspector.js';

/** Options of `inspectColumns`. */
export interface InspectOptions extends ControlOptions {
  /** How the fit will scale the columns. Spreads matter only for `'none'`, the default. */
  readonly scale?: Scale;
  /** Set to false if the fit will not subtract the column means. Default true. */
  readonly center?: boolean;
  /** One weight per row, as for `pca`. */
  readonly weights?: ArrayLike<number>;
  /** Names of the columns, if the data do not carry them; for records, the columns to use. */
  readonly columnNames?: readonly string[];
}

/** A source that inspects its rows while they are read. */
export interface InspectedSource extends RowSource {
  /** Warnings about the columns of the rows that were read; their statistics are given. */
  columnWarnings(columns: Readonly<ColumnStatistics>): Promise<readonly Warning[]>;
}

/**
 * The same source, which inspects its rows as they are read. A fit computes the statistics of the columns and passes them to
 * `columnWarnings`. With `alone` the source computes them, and adds the warnings to its own.
 */
export function inspectedSource(
  source: RowSource,
  options: Omit<InspectOptions, 'onProgress' | 'threads'>,
  alone = false,
): InspectedSource {
  const { cols, dtype, nonzeros, rereadable, resident } = source;
  const names = options.columnNames ?? source.columnNames;
  let seen: ColumnInspector | undefined;
  let statistics: ColumnStatistics | undefined;
  async function* blocks(): AsyncGenerator<Block, void, void> {
    const { ColumnInspector } = await import('./column-inspector.js');
    const columns = seen ? undefined : new ColumnInspector(cols, names);
    const own = alone ? emptyStatistics(cols) : undefined;
    const progress = new ProgressTracker({ signal: options.signal });
    const weights = rowWeights(options.weights, undefined);
    let [rows, finite] = [0, true];
    for await (const block of source.blocks()) {
      // Inspects the block before the reader gets it, because the reader may change it.
      if (columns && finite && block.cols === cols) {
        const some = weights.slice(rows, block.rows);
        const task = own ? columns.addTo(own, block, some, rows) : columns.add(block, some);
        // The fit reports a value that is not finite. The inspection ends there.
        finite = await runTask(task, () => progress.yieldToEventLoop()).then(
          () => true,
          (error) => {
            if (error instanceof DataError && error.code === 'NOT_FINITE') return false;
            throw error;
          },
        );
      }
      yield block;
      rows += block.rows;
    }
    if (columns && finite) [seen, statistics] = [columns, own];
  }
  return {
    get rows() {
      return source.rows;
    },
    expectedRows: source.expectedRows,
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
    warnings: async () => [
      ...((await source.warnings?.()) ?? []),
      ...(seen && statistics ? await warningsOf(seen.result(statistics), options) : []),
    ],
    columnWarnings: async (columns) => {
      const { columnsFromStatistics } = await import('./column-inspector.js');
      // Rows on a cluster were not read here.
      return warningsOf(seen ? seen.result(columns) : columnsFromStatistics(columns, names), options);
    },
    ...(source.close ? { close: () => source.close?.() } : {}),
  };
}

/** Warnings about the columns of rows in memory; a fit has computed their statistics. */
export async function warningsOfRows(
  source: RowSource,
  columns: Readonly<ColumnStatistics>,
  options: Omit<InspectOptions, 'onProgress' | 'threads'>,
  progress: ProgressTracker,
): Promise<readonly Warning[]> {
  const { ColumnInspector } = await import('./column-inspector.js');
  const seen = new ColumnInspector(source.cols, options.columnNames ?? source.columnNames);
  const weights = rowWeights(options.weights, undefined);
  let rows = 0;
  for await (const block of source.blocks()) {
    await runTask(seen.add(block, weights.slice(rows, block.rows)), () => progress.yieldToEventLoop());
    rows += block.rows;
  }
  return warningsOf(seen.result(columns), options);
}

/** Cache: the inspection of the rows of moments. It is valid until rows are added to the moments. */
const INSPECTIONS = new WeakMap<Moments, { readonly read: InspectedColumns; readonly merges: number }>();

/** Attaches the inspection of their rows to moments, for warnings about their columns. */
export function rememberInspection(moments: Moments, read: InspectedColumns): void {
  INSPECTIONS.set(moments, { read, merges: moments.merges });
}

/** Warnings about the columns of moments, which have no single values. */
export async function warningsOfMoments(moments: Moments, options: InspectOptions): Promise<readonly Warning[]> {
  const { columnsFromStatistics } = await import('./column-inspector.js');
  const known = INSPECTIONS.get(moments);
  const names = options.columnNames ?? moments.columnNames;
  const read = known?.merges === moments.merges ? known.read : columnsFromStatistics(moments.columns, names);
  return warningsOf(read, options);
}

export async function warningsOf(
  read: InspectedColumns,
  { scale = 'none', center = true }: InspectOptions,
): Promise<readonly Warning[]> {
  const { columnWarnings } = await import('./column-warnings.js');
  return columnWarnings(read, { unscaled: scale === 'none', centred: center });
}
