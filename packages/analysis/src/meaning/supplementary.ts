import { type Data, type Model, OptionError, type TableData } from '@scree/core';
import { openSource } from '@scree/core/data';
import { checkObject, describeValue, keepAlive, ProgressTracker } from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { AlignedLabels, AlignedRows, type RowLabels } from '../reading/aligned.js';
import type { RowOptions } from '../reading/read-blocks.js';
import { scoredBlocks } from '../reading/read-blocks.js';
import { GroupSums, type Groups } from './groups.js';
import { ColumnCorrelations, type SupplementaryColumn } from './supplementary-columns.js';

/** Options of `supplementary`. */
export interface SupplementaryOptions extends RowOptions {
  /** Numeric columns that were not fitted, with rows in the order of the data. NaN is a missing value. */
  readonly columns?: Data | undefined;
  /** Names of the supplementary columns, if the data do not carry them; for records, the columns to use. */
  readonly columnNames?: readonly string[] | undefined;
  /** Columns of labels by name. */
  readonly groups?: Readonly<Record<string, RowLabels>> | undefined;
  /** Pairs of components, counted from 0, for convex hulls. Default the first two. */
  readonly hulls?: readonly (readonly [number, number])[] | undefined;
}

/** How columns and groups that were not fitted are related to the components. */
export interface Supplementary {
  readonly columns: readonly SupplementaryColumn[];
  readonly groups: readonly Groups[];
}

/**
 * Relates columns and groups that were not fitted to the components: correlations of numeric columns; centres, v-tests, η², covariances
 * and hulls of groups. The rows of the fit are read once, block by block, together with the columns and labels.
 */
export function supplementary(
  model: Model,
  data: TableData,
  options: SupplementaryOptions = {},
): Promise<Supplementary> {
  checkModel(model);
  return keepAlive(() => read(model, data, options));
}

async function read(model: Model, data: TableData, options: SupplementaryOptions): Promise<Supplementary> {
  checkObject(options);
  const { columns, columnNames, groups = {}, hulls, ...rowOptions } = options;
  const { k, d } = model;
  const pairs = checkPairs(hulls ?? (k > 1 ? [[0, 1]] : []), k);
  const labelled = Object.entries(groups).map(([name, labels]) => ({
    labels: new AlignedLabels(name, labels),
    sums: new GroupSums(name, k, d, pairs),
  }));
  const source = columns && (await openSource(columns, new ProgressTracker(rowOptions), columnNames));
  const alongside = source && new AlignedRows(source);
  try {
    const correlations = new ColumnCorrelations(source?.cols ?? 0, k);
    let unit = 1;
    let rows = 0;
    for await (const scored of scoredBlocks(model, data, rowOptions)) {
      const { block, scores, weights, progress } = scored;
      const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
      if (alongside) {
        const values = await alongside.take(block.rows);
        for (let i = 0; i < block.rows; i++) {
          correlations.add(values, i * alongside.cols, scores, i * k, weights ? weights[i] : 1);
          const pause = i % 256 === 255 ? onStep() : undefined;
          if (pause) await pause;
        }
      }
      for (const { labels, sums } of labelled) await sums.add(await labels.take(block.rows), scored, onStep);
      unit = scored.unit;
      rows += block.rows;
    }
    await alongside?.end(rows);
    for (const { labels } of labelled) await labels.end(rows);
    return {
      columns: correlations.result(source?.columnNames ?? columnNames),
      groups: labelled.map(({ sums }) => sums.result(unit)),
    };
  } finally {
    for (const { labels } of labelled) await labels.close();
    await alongside?.close();
  }
}

function checkPairs(pairs: SupplementaryOptions['hulls'] & object, k: number): readonly (readonly [number, number])[] {
  const isComponent = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < k;
  const wrong = pairs.find((pair) => !(Array.isArray(pair) && pair.length === 2 && pair.every(isComponent)));
  if (wrong === undefined) return pairs;
  throw new OptionError(
    'BAD_OPTION',
    `hulls has ${describeValue(wrong)}; it must be pairs of components from 0 to ${k - 1}.`,
    {
      option: 'hulls',
      value: wrong,
    },
  );
}
