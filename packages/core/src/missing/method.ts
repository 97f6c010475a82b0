import type { ProgressTracker } from '../base/progress.js';
import type { Block } from '../data/blocks/block.js';
import type { RowSource } from '../data/blocks/row-source.js';
import type { RowWeights } from '../data/statistics/weights.js';
import type { Engine } from '../engines/engine.js';
import type { MomentSums } from '../fit/moment-sums.js';
import type { Model } from '../model/model.js';
import type { Settings } from '../options.js';
import type { Predictor } from './gappy-block.js';
import type { ObservedValues } from './observed-values.js';

/** What a method gets: rows that can be read again, whose missing values are NaN, and the facts of one reading. */
export interface FillProblem {
  readonly source: RowSource;
  readonly settings: Settings;
  readonly weights: RowWeights;
  readonly observed: ObservedValues;
  readonly names: readonly string[] | undefined;
  readonly k: number;
  readonly tolerance: number;
  readonly iterations: number;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
  /** Fits complete rows, or moments, with at least the first k + 1 components if there are as many. */
  fit(data: RowSource | MomentSums, settings: Settings): Promise<Model>;
}

/** What a method found. */
export interface FilledFit {
  /** The rows with all values. */
  readonly source: RowSource;
  /** The moments to fit instead of those of the rows, if filled values have a variance of their own. */
  readonly moments?: MomentSums;
  /** Settings that the final fit must have, such as fixed scales. */
  readonly settings?: Partial<Settings>;
  readonly iterations: number;
  readonly converged: boolean;
  readonly change: number;
  /** The objective at every iteration, if the method has one. It never falls. */
  readonly objectives: readonly number[];
  /** A copy of a block of the rows with its gaps filled; the block itself if it has none. */
  complete(block: Block): Promise<Block>;
  /** What predicts scaled rows, for methods that have a model of them. */
  readonly predictor?: Predictor;
  /** Share of the observed sum of squares that the first 1, …, k components explain, if the method knows it. */
  readonly explained?: readonly number[];
}

/** A method that fills in missing values. */
export interface FillMethod {
  /** Its name in sentences. */
  readonly title: string;
  run(problem: FillProblem): Promise<FilledFit>;
}
