import { idleAfterWork, keepAlive } from './base/keep-alive.js';
import { ProgressTracker } from './base/progress.js';
import type { RowSource } from './data/blocks/row-source.js';
import { type Data, type NumberColumns, openSource } from './data/inputs/open-source.js';
import { explainLackOfMemory } from './fit/explain-lack-of-memory.js';
import { fitSmall, smallFit } from './fit/fit-small.js';
import { isMoments } from './fit/is-moments.js';
import type { Moments } from './fit/moments.js';
import { completeRows } from './missing/complete-rows.js';
import type { NestedModels } from './model/finish.js';
import type { Model } from './model/model.js';
import { checkOptions, type PcaOptions } from './options.js';

export type { NestedModels } from './model/finish.js';

/**
 * Principal component analysis: finds the k directions of most variance. Each component comes with a bound on its error, and with
 * a statement whether the data determine it.
 *
 * ```ts
 * const model = await pca(records, { k: 2, scale: 'unit', columns: 'numeric', missing: 'drop' });
 * console.log(model); // PCA of 150 × 4: 2 components, 73.0 % + 22.9 % of the variance; …
 * const scores = (await model.transform(records)).toRecords(records);
 * ```
 *
 * The stages: `openSource` turns data into a source of rows, `planFor` chooses a solver, `fit/reading.ts` reads the rows for
 * that solver, the solver finds the subspace, and `finish` makes the model.
 */
export async function pca<Given extends Data | Moments>(
  data: Given,
  options: PcaOptions<ColumnNameOf<Given>> = {},
): Promise<Model> {
  return (await nestedModels(data, options)).model;
}

/** The column names of records and of named columns, if the type of the data has them. `columnNames` then accepts no other names. */
export type ColumnNameOf<Given> = Given extends readonly (infer Each)[]
  ? Each extends ArrayLike<number>
    ? string
    : string extends keyof Each
      ? string
      : [keyof Each & string] extends [never]
        ? string
        : keyof Each & string
  : Given extends NumberColumns
    ? keyof Given & string
    : string;

/** `pca` for several k at once, for example for a page with a slider for k. */
export async function nestedModels(data: Data | Moments, options: PcaOptions = {}): Promise<NestedModels> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings);
  if (isMoments(data)) {
    return keepAlive(async () => (await import('./fit/fit-moments.js')).fitMoments(data, settings, progress));
  }
  return explainLackOfMemory(async () => {
    const gaps = settings.missing !== 'error';
    const opening = openSource(data, progress, settings.columnNames, settings.columns === 'numeric', gaps);
    const small = opening instanceof Promise ? undefined : smallFit(opening, settings);
    if (!small?.negligible) {
      return keepAlive(async () => {
        // Small fits do not load this code. The code and the source are awaited together, because the source may fail first.
        const [source, { fitAny, fitOpened, prepareColumns }] = await Promise.all([
          opening,
          import('./fit/fit-opened.js'),
        ]);
        // What is left of data with missing values is fitted as if these rows had been given.
        const open = async () => {
          const complete = await completeRows(source, settings, progress);
          return prepareColumns(complete.source, complete.settings, progress);
        };
        return fitOpened(open, progress, gaps ? fitAny : undefined);
      });
    }
    const models = await fitSmall(opening as RowSource, small, settings, progress);
    idleAfterWork();
    return models;
  });
}
