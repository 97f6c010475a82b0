import { DataError, type Moments, type RowSource, type Scale, type Warning } from '@scree/core';
import { type Block, type ColumnStatistics, emptyStatistics, mapAsync, mapSource, rowWeights } from '@scree/core/data';
import { type ControlOptions, ProgressTracker, runTask } from '@scree/core/pipeline';
import type { ColumnInspector, InspectedColumns } from './column-inspector.js';

/** Options of `inspectColumns`. */
export interface InspectOptions extends ControlOptions {
  /** How the fit will scale the columns. Spreads matter only for `'none'`, the default. */
  readonly scale?: Scale | undefined;
  /** Set to false if the fit will not subtract the column means. Default true. */
  readonly center?: boolean | undefined;
  /** One weight per row, as for `pca`. */
  readonly weights?: ArrayLike<number> | undefined;
  /** Names of the columns, if the data do not carry them; for records, the columns to use. */
  readonly columnNames?: readonly string[] | undefined;
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
  const { cols } = source;
  const names = options.columnNames ?? source.columnNames;
  let seen: ColumnInspector | undefined;
  let statistics: ColumnStatistics | undefined;
  const inspectedBlocks = (): AsyncIterable<Block> => {
    let columns: ColumnInspector | undefined;
    const own = alone ? emptyStatistics(cols) : undefined;
    const progress = new ProgressTracker({ signal: options.signal });
    const weights = rowWeights(options.weights, undefined);
    let [rows, finite] = [0, true];
    return mapAsync(
      source.blocks(),
      // Inspects the block before the reader gets it, because the reader may change it.
      async (block) => {
        columns ??= new (await import('./column-inspector.js')).ColumnInspector(cols, names);
        if (finite && block.cols === cols) {
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
        rows += block.rows;
        return block;
      },
      () => {
        if (columns && finite) [seen, statistics] = [columns, own];
      },
    );
  };
  const inspected = mapSource(source, {
    blocks: () => (seen ? source.blocks() : inspectedBlocks()),
    warnings: async () => [
      ...((await source.warnings?.()) ?? []),
      ...(seen && statistics ? await warningsOf(seen.result(statistics), options) : []),
    ],
  });
  return Object.assign(inspected, {
    columnWarnings: async (columns: Readonly<ColumnStatistics>) => {
      const { columnsFromStatistics } = await import('./column-inspector.js');
      // Rows on a cluster were not read here.
      return warningsOf(seen ? seen.result(columns) : columnsFromStatistics(columns, names), options);
    },
  });
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
  return warningsOf(await inspectionOfMoments(moments, options.columnNames), options);
}

/** The facts about the columns of moments. */
export async function inspectionOfMoments(
  moments: Moments,
  columnNames: readonly string[] | undefined,
): Promise<InspectedColumns> {
  const { columnsFromStatistics } = await import('./column-inspector.js');
  const known = INSPECTIONS.get(moments);
  if (known?.merges === moments.merges) return known.read;
  return columnsFromStatistics(moments.columns, columnNames ?? moments.columnNames);
}

export async function warningsOf(
  read: InspectedColumns,
  { scale = 'none', center = true }: InspectOptions,
): Promise<readonly Warning[]> {
  const { columnWarnings } = await import('./column-warnings.js');
  return columnWarnings(read, { unscaled: scale === 'none', centred: center });
}
