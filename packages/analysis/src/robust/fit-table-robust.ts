import { Model, OptionError, type RowSource } from '@scree/core';
import { matrixSource } from '@scree/core/data';
import { type NestedModels, ProgressTracker } from '@scree/core/pipeline';
import type { FitQuestions } from '../fit-and-ask.js';
import type { TableFitOptions } from '../fit-table.js';
import type { AnalysisTable } from '../reading/analysis-table.js';
import { otherRows } from './looked-rows.js';
import { checkRobustChoices, type RobustChoices, robustFrom } from './robust.js';

/** Most numbers of a table whose criteria are computed without the flagged rows. */
const MOST_NUMBERS = 1e7;

/** The models of a robust fit, and the rows that are not flagged, unless the table is large. */
export interface RobustModels {
  readonly models: NestedModels;
  readonly others: RowSource | undefined;
}

/** Checks that a table can be fitted robustly. */
export function checkRobustTable(
  { coding: encoding }: Pick<AnalysisTable, 'coding'>,
  options: FitQuestions & Pick<TableFitOptions, 'between' | 'read'>,
  choices: RobustChoices,
): void {
  checkRobustChoices(choices);
  const { center, weights, whiten, between, read } = options;
  const other = Object.entries({ center: center === false, weights, whiten, between, read }).find(([, given]) => given);
  if (other) {
    throw new OptionError('BAD_OPTION', `A robust fit has no ${other[0]}. Leave one of them out.`, {
      option: other[0],
    });
  }
  if (encoding && encoding.method !== 'pca') {
    throw new OptionError(
      'BAD_OPTION',
      'A robust fit is for columns of numbers, not for categories. Leave robust out.',
      {
        option: 'robust',
      },
    );
  }
}

/** The robust model of a table that was fitted. Flagged rows are those of the table that the user gave. */
export async function robustModels(
  source: RowSource,
  { model: classical }: NestedModels,
  table: Pick<AnalysisTable, 'placesOf'>,
  options: FitQuestions,
  choices: RobustChoices,
): Promise<RobustModels> {
  if (!source.rereadable) {
    throw new OptionError(
      'BAD_OPTION',
      'A robust fit reads the rows several times, and these can be read only once. Save them to a file first.',
      {
        option: 'robust',
      },
    );
  }
  const progress = new ProgressTracker(options);
  const found = await robustFrom(
    source,
    classical,
    { ...choices, seed: options.seed, memory: options.memory },
    progress,
  );
  const { flagged } = found.robust as NonNullable<Model['robust']>;
  const others =
    classical.n * classical.d <= MOST_NUMBERS ? matrixSource(await otherRows(source, flagged, progress)) : undefined;
  const model = await withPlaces(found, table);
  return { models: { model, first: (k) => (k === model.k ? model : model.first(k)) }, others };
}

/** Counts flagged rows as the table does, which may have rows that were left out. */
async function withPlaces(model: Model, table: Pick<AnalysisTable, 'placesOf'>): Promise<Model> {
  const { robust } = model;
  if (!robust || !table.placesOf) return model;
  return new Model({ ...model, robust: { ...robust, flagged: await table.placesOf(robust.flagged) } });
}
