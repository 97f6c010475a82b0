import type { Data, RowSource, Warning } from '@scree/core';
import { checkBlockWidth, emptyStatistics, openSource, rowWeights } from '@scree/core/data';
import { checkControl, keepAlive, ProgressTracker, runTask } from '@scree/core/pipeline';
import type { ColumnFacts } from './column-inspector.js';
import { type InspectOptions, inspectedSource, warningsOf } from './inspected-source.js';

export type { InspectOptions } from './inspected-source.js';

/** Facts about the columns, and warnings before a fit. */
export interface ColumnInspection {
  readonly columns: readonly ColumnFacts[];
  readonly warnings: readonly Warning[];
}

/**
 * Inspects columns before a fit: finds columns that dominate, number the rows, hold codes of classes or repeat another column. One
 * reading, O(n·d). `analyze(data, { inspectColumns: true })` does the same during a fit.
 */
export function inspectColumns(data: Data, options: InspectOptions = {}): Promise<ColumnInspection> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    const source = await openSource(data, progress, options.columnNames);
    try {
      const names = options.columnNames ?? source.columnNames;
      const { ColumnInspector } = await import('./column-inspector.js');
      const inspector = new ColumnInspector(source.cols, names);
      const statistics = emptyStatistics(source.cols);
      const weights = rowWeights(options.weights, source.rows);
      let rows = 0;
      progress.begin('looking at columns', source.rows);
      for await (const block of source.blocks()) {
        checkBlockWidth(block, source, rows);
        const task = inspector.addTo(statistics, block, weights.slice(rows, block.rows), rows);
        await runTask(task, () => progress.yieldToEventLoop());
        const pause = progress.step(block.rows);
        if (pause) await pause;
        rows += block.rows;
      }
      weights.end(rows);
      progress.end();
      const read = inspector.result(statistics);
      const warnings = [...((await source.warnings?.()) ?? []), ...(await warningsOf(read, options))];
      return { columns: read.columns, warnings };
    } finally {
      await source.close?.();
    }
  });
}

/**
 * The same source, whose rows are inspected while they are read. After the first complete reading, its warnings include those of
 * `inspectColumns`, without another reading.
 */
export function inspectWhileReading(
  source: RowSource,
  options: Omit<InspectOptions, 'onProgress' | 'threads'> = {},
): RowSource {
  return inspectedSource(source, options, true);
}
