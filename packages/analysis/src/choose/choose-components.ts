import { type Choice, type Data, Model, Moments, OptionError, type PcaOptions } from '@scree/core';
import { openSource, refuseChanged } from '@scree/core/data';
import {
  availableEngines,
  checkObject,
  checkOption,
  checkOptions,
  keepAlive,
  type OptionCheck,
  ProgressTracker,
  prepareColumns,
  type Settings,
} from '@scree/core/pipeline';
import type { EvidenceOptions } from './criteria/criterion.js';
import { CRITERION_NAMES, type CriterionName } from './criteria/registry.js';

/** Options of the data that `pca` has too, and those of the criteria. */
export interface ChooseOptions
  extends Pick<
    PcaOptions,
    | 'center'
    | 'scale'
    | 'columnTransform'
    | 'columnWeights'
    | 'ddof'
    | 'weights'
    | 'engine'
    | 'seed'
    | 'columnNames'
    | 'onProgress'
    | 'signal'
    | 'threads'
    | 'memory'
  > {
  /** The criteria to compute. Default all. */
  readonly criteria?: readonly CriterionName[] | undefined;
  /** Tables that `parallel` simulates and `permutation` permutes. Default 1000, fewer for large tables. */
  readonly permutations?: number | undefined;
  /** Quantile of the simulated variances that a component must exceed. Default 0.95. */
  readonly quantile?: number | undefined;
  /** Standard deviation of the noise in every entry of the scaled data, if it is known, for `gavish-donoho`. */
  readonly noise?: number | undefined;
  /** Groups of rows for `cross-validation`. Default 10. */
  readonly folds?: number | undefined;
}

const OWN_OPTIONS: Record<'criteria' | 'permutations' | 'quantile' | 'noise' | 'folds', OptionCheck> = {
  criteria: {
    must: `a list of ${CRITERION_NAMES.map((name) => `'${name}'`).join(', ')}`,
    test: (v) => Array.isArray(v) && v.length > 0 && v.every((name) => CRITERION_NAMES.includes(name)),
  },
  permutations: {
    must: 'a whole number from 1 to 1000000',
    test: (v) => Number.isSafeInteger(v) && (v as number) >= 1 && (v as number) <= 1e6,
  },
  quantile: {
    must: 'a number between 0 and 1',
    test: (v) => typeof v === 'number' && v > 0 && v < 1,
  },
  noise: { must: 'a number above 0', test: (v) => typeof v === 'number' && v > 0 && Number.isFinite(v) },
  folds: {
    must: 'a whole number from 2 to 100',
    test: (v) => Number.isSafeInteger(v) && (v as number) >= 2 && (v as number) <= 100,
  },
};

/**
 * Computes how many components to keep: the answer of each criterion, a recommendation and its reason.
 *
 * One pass over the data computes the moments (of each group of rows for `cross-validation`), and a second pass reads the rows for
 * `permutation` if they fit into memory. Tables with fewer rows than columns take the passes of the dual solver, and one more for their
 * rows. For moments or a model, only criteria that need no rows are computed.
 */
export function chooseComponents(data: Data | Moments | Model, options: ChooseOptions = {}): Promise<Choice> {
  return keepAlive(() => choose(data, options));
}

async function choose(data: Data | Moments | Model, options: ChooseOptions): Promise<Choice> {
  const { settings, names, own } = checkChooseOptions(options);
  const progress = new ProgressTracker(settings);
  // The numerics are loaded when a criterion is first computed.
  const { evaluateCriteria, evaluateForModel } = await import('./evaluate-criteria.js');
  if (data instanceof Model) {
    const given = (
      ['center', 'scale', 'columnTransform', 'columnWeights', 'ddof', 'weights', 'columnNames'] as const
    ).find((option) => options[option] !== undefined);
    if (given) {
      throw new OptionError('BAD_OPTION', `${given} was chosen when the model was fitted. Leave it out here.`, {
        option: given,
      });
    }
    const [engine] = await availableEngines(settings, 1);
    return evaluateForModel(data, names, own, engine, progress);
  }
  if (data instanceof Moments) {
    const engines = await availableEngines(settings, data.cols ** 2);
    return (await evaluateCriteria(data, { settings, names, options: own, engines, progress })).choice;
  }
  const opened = await openSource(data, progress, settings.columnNames, settings.columns === 'numeric');
  const { source, settings: coded } = await prepareColumns(opened, settings, progress);
  try {
    const numbers = source.rows === undefined ? undefined : source.rows * source.cols;
    const engines = await availableEngines(settings, numbers);
    const request = { settings: coded, names, options: own, engines, progress };
    const { choice } = await evaluateCriteria(source, request);
    await refuseChanged(source);
    return choice;
  } finally {
    await source.close?.();
  }
}

function checkChooseOptions(options: ChooseOptions): {
  settings: Settings;
  names: readonly CriterionName[];
  own: EvidenceOptions;
} {
  checkObject(options);
  const { criteria, permutations, quantile, noise, folds, ...others } = options;
  for (const [option, value] of Object.entries({ criteria, permutations, quantile, noise, folds })) {
    if (value !== undefined) checkOption(option, value, OWN_OPTIONS[option as keyof typeof OWN_OPTIONS]);
  }
  const settings = checkOptions(others, Object.keys(OWN_OPTIONS));
  const own = { seed: settings.seed, permutations, quantile: quantile ?? 0.95, noise, folds: folds ?? 10 };
  return { settings, names: criteria ? [...new Set(criteria)] : CRITERION_NAMES, own };
}
