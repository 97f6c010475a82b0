import { type Data, DataError, type Model, Moments, OptionError, type RowSource } from '@scree/core';
import { MemoryBudget, openSource } from '@scree/core/data';
import type { RobustFit, RobustMethod } from '@scree/core/pipeline';
import {
  checkOption,
  completeRows,
  describeValue,
  fitAny,
  fitOpened,
  keepAlive,
  type Opened,
  type OptionCheck,
  ProgressTracker,
  prepareColumns,
  rereadable,
} from '@scree/core/pipeline';
import { checkFitQuestions, type FitQuestions } from '../fit-and-ask.js';
import { fitRobust } from './fit-robust.js';
import {
  type DistanceLimits,
  distanceLimits,
  distancesFrom,
  type RobustDistances,
  rowsBeyond,
} from './robust-distances.js';
import { chooseRobustMethod, requestedMethod } from './robust-method.js';
import { robustModel } from './robust-model.js';

/** Options of robust components. */
export interface RobustChoices {
  /**
   * `'mcd'`: the components of the minimum covariance determinant, for up to about ten columns. `'projection'`: ROBPCA, for any number
   * of columns. `'spherical'`: components of the rows projected on a sphere, for tables of any size. Default `'auto'`: the shape
   * decides, and `model.robust.reason` says why.
   */
  readonly method?: RobustMethod | 'auto' | undefined;
  /** The share of the rows, from 0.5 to 1, that the estimate is computed from. Default 0.75: up to a quarter of the rows may be anything. */
  readonly share?: number | undefined;
}

/** Options of `robust`: those of `pca` that a robust fit has, and its own. */
export type RobustOptions = RobustChoices &
  Pick<
    FitQuestions,
    | 'k'
    | 'scale'
    | 'seed'
    | 'columns'
    | 'columnNames'
    | 'columnTransform'
    | 'columnWeights'
    | 'missing'
    | 'ddof'
    | 'threads'
    | 'memory'
    | 'signal'
    | 'onProgress'
  >;

const METHODS = ['auto', 'mcd', 'projection', 'spherical'];

export const ROBUST_OPTIONS: Record<keyof RobustChoices, OptionCheck> = {
  method: {
    must: `one of ${METHODS.map((name) => `'${name}'`).join(', ')}`,
    test: (v) => METHODS.includes(v as string),
  },
  share: { must: 'a number from 0.5 to 1', test: (v) => typeof v === 'number' && v >= 0.5 && v <= 1 },
};

/** The default share of the rows. */
export const DEFAULT_SHARE = 0.75;
/** Most flagged rows that are listed. */
export const MOST_FLAGGED = 10_000;

/**
 * Robust principal components: directions that up to 1 − share of the rows cannot change much, whatever their values are. Every row gets
 * its distance within the components and from them, in `model.robust`, with the limits beyond which rows are flagged.
 *
 * ```ts
 * const model = await robust(rows, { k: 2 });
 * console.log(model.robust?.method, model.robust?.flagged);
 * ```
 *
 * Columns are centred by the robust centre. `scale: 'unit'` divides them by 1.4826 times their median absolute deviation, because a
 * standard deviation is not robust. Rows have no weights. The same seed gives the same model.
 */
export async function robust(data: Data, options: RobustOptions = {}): Promise<Model> {
  const { method, share, k, ...others } = options;
  checkRobustChoices({ method, share });
  const refused = ['weights', 'center', 'whiten', 'solver', 'bootstrap'].find((name) => name in options);
  if (refused) {
    throw new OptionError('BAD_OPTION', `A robust fit has no option ${describeValue(refused)}. Leave it out.`, {
      option: refused,
    });
  }
  if (data instanceof Moments) throw noRows();
  const asked = { ...others, ...(k === undefined ? {} : { k }), ...robustScale(others.scale) };
  const { settings } = checkFitQuestions(asked, ['method', 'share']);
  const progress = new ProgressTracker(settings);
  let found: Model | undefined;
  return keepAlive(async () => {
    const open = async (): Promise<Opened> => {
      const { columnNames, columns, missing } = settings;
      const source = await openSource(data, progress, columnNames, columns === 'numeric', missing !== 'error');
      const complete = await completeRows(source, settings, progress);
      return prepareColumns(complete.source, complete.settings, progress);
    };
    const { model } = await fitOpened(open, progress, async (source, own, engines) => {
      const rows = await rereadable(source, progress);
      const nested = await fitAny(rows, own, engines, progress);
      found = await robustFrom(rows, nested.model, { method, share, seed: own.seed, memory: own.memory }, progress);
      return nested;
    });
    return found ?? model;
  });
}

/** Checks the options of a robust fit. */
export function checkRobustChoices(choices: RobustChoices): void {
  for (const option of ['method', 'share'] as const) {
    if (choices[option] !== undefined) checkOption(option, choices[option], ROBUST_OPTIONS[option]);
  }
}

/** The robust counterpart of a scaling rule. */
export function robustScale(scale: FitQuestions['scale']): { scale?: NonNullable<FitQuestions['scale']> } {
  if (scale === undefined) return {};
  return { scale: scale === 'unit' ? 'median' : scale };
}

function noRows(): DataError {
  return new DataError(
    'BAD_DATA',
    'A robust fit compares rows, and the rows of moments are gone. Pass the rows themselves.',
  );
}

/** The robust model of rows that were fitted. `classical` gives the number of components and the scale of the columns. */
export async function robustFrom(
  source: RowSource,
  classical: Model,
  {
    method: wanted = 'auto',
    share = DEFAULT_SHARE,
    seed = 0,
    memory,
  }: RobustChoices & { readonly seed?: number | undefined; readonly memory?: number | undefined },
  progress: ProgressTracker,
): Promise<Model> {
  const { n, d, k, scale } = classical;
  const { method, reason } = wanted === 'auto' ? chooseRobustMethod(n, d) : requestedMethod(wanted, n, d);
  const bytes = 3 * 8 * n * d;
  const most = new MemoryBudget(memory).bytes;
  if (method !== 'spherical' && bytes > most) {
    throw new OptionError(
      'BAD_OPTION',
      `The method ${describeValue(method)} keeps the rows in memory three times, which takes ${Math.ceil(bytes / 1e6)} MB, and ${Math.floor(most / 1e6)} MB are allowed. Use method 'spherical', or allow more memory.`,
      { option: 'method', value: method },
    );
  }
  const rows = Uint32Array.from({ length: n }, (_, i) => i);
  const found = await fitRobust(source, scale, { method, k, share, seed, rows }, progress);
  const distances = await distancesFrom(source, found, scale, progress);
  const limits = distanceLimits(distances, found.variances.length, found.dimensions);
  const beyond = rowsBeyond(distances, limits);
  const robust: RobustFit = {
    method,
    reason,
    share: method === 'spherical' ? 0.5 : share,
    subset: found.subset,
    seed,
    scoreLimit: limits.score,
    orthogonalLimit: limits.orthogonal,
    flagged: farthest(beyond, distances, limits),
    flaggedCount: beyond.length,
    ...(found.onPlane === undefined ? {} : { onPlane: found.onPlane }),
    scoreDistances: distances.score,
    orthogonalDistances: distances.orthogonal,
  };
  return robustModel(classical, found, robust);
}

/** The rows that are farthest beyond the limits, up to the number that is listed, in order of the rows. */
export function farthest(rows: readonly number[], distances: RobustDistances, limits: DistanceLimits): number[] {
  if (rows.length <= MOST_FLAGGED) return [...rows];
  const excess = (row: number): number =>
    Math.max(
      distances.score[row] / limits.score,
      distances.orthogonal[row] / (limits.orthogonal ?? Number.POSITIVE_INFINITY),
    );
  return [...rows]
    .sort((a, b) => excess(b) - excess(a) || a - b)
    .slice(0, MOST_FLAGGED)
    .sort((a, b) => a - b);
}
