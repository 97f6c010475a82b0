import type { Scaler } from '@scree/core/data';
import { DataChecksum } from '@scree/core/data';
import type { LoadedBlock } from '@scree/core/engine';
import type { Draws } from './draws.js';
import type { ReplicateOptions } from './replicate.js';
import {
  type BootstrapRows,
  columnScaler,
  type ReplicateColumns,
  rangesOf,
  replicateColumns,
  sumReplicates,
  sumsLength,
  unitOf,
  writeWeights,
} from './scatter.js';
import { wholeBlock } from './whole-block.js';

/** A replicate for the engine's passes: BᵀB is its covariance matrix, in units of unit². */
export interface WideReplicate {
  readonly columns: ReplicateColumns;
  readonly scaler: Scaler & { readonly rootWeights: Float64Array };
  /** Deviations of the columns and total variance, after scaling. */
  readonly deviations: Float64Array;
  readonly total: number;
}

/**
 * Rows in memory for replicates of wide data, whose covariance matrices would be too large. Means and scales of every replicate are
 * computed first.
 */
export class WideRows {
  readonly block: LoadedBlock;
  readonly n: number;
  readonly d: number;
  readonly unit: number;
  /** The seed of random start vectors. */
  readonly startSeed: number;
  readonly #columns: readonly ReplicateColumns[];
  readonly #rows: BootstrapRows;
  readonly #draws: Draws;

  private constructor(
    block: LoadedBlock,
    columns: readonly ReplicateColumns[],
    rows: BootstrapRows,
    draws: Draws,
    startSeed: number,
  ) {
    this.block = block;
    this.startSeed = startSeed;
    this.n = block.rows;
    this.d = block.cols;
    this.unit = unitOf(columns[0].deviations);
    this.#columns = columns;
    this.#rows = rows;
    this.#draws = draws;
  }

  /** Sums the columns of all replicates, `group` of them per reading. */
  static async of(
    rows: BootstrapRows,
    read: number,
    draws: Draws,
    options: ReplicateOptions,
    group: number,
  ): Promise<WideRows> {
    const { source, engine, progress, scale } = rows;
    const d = source.cols;
    const scaler = columnScaler(rows.columns, options.center);
    const width = sumsLength(d, 'squares');
    const columns: ReplicateColumns[] = [];
    for (let from = 0; from <= options.replicates; from += group) {
      const numbers = Array.from({ length: Math.min(group, options.replicates + 1 - from) }, (_, i) => from + i);
      const { sums, ranges } = await sumReplicates(rows, scaler, draws, numbers, 'squares', (share) =>
        progress.step(share * numbers.length),
      );
      for (let at = 0; at < numbers.length; at++) {
        const own = sums.subarray(at * width, (at + 1) * width);
        const [first, second] = [own.subarray(1, 1 + d), own.subarray(1 + d)];
        columns.push(replicateColumns(own[0], first, second, scaler, scale, options, rangesOf(ranges, at, d)));
      }
    }
    const whole = await wholeBlock(source, read, progress);
    const checksum = new DataChecksum();
    checksum.add(whole);
    return new WideRows(await engine.load(whole), columns, rows, draws, checksum.seed(0, rows.columns));
  }

  /** The scaler of the sample, without weights. */
  get scaler(): Scaler {
    const { mean, scale, deviations } = this.#columns[0];
    return { shift: mean, factor: scale.map((value, j) => (deviations[j] > 0 ? 1 / value / this.unit : 0)) };
  }

  replicate(number: number): WideReplicate {
    const columns = this.#columns[number];
    const rootWeights = this.#weightsOf(number);
    for (let i = 0; i < rootWeights.length; i++) rootWeights[i] = Math.sqrt(rootWeights[i] / columns.divisor);
    const { unit } = this;
    const deviations = columns.deviations.map((deviation) => deviation / unit);
    // A column that is constant in this replicate would be rounding, so it is left out.
    const factor = columns.scale.map((scale, j) => (deviations[j] > 0 ? 1 / scale / unit : 0));
    const total = deviations.reduce((sum, deviation) => sum + deviation * deviation, 0);
    return { columns, scaler: { shift: columns.mean, factor, rootWeights }, deviations, total };
  }

  /** The weight of every row in a replicate; 0 for rows of weight 0. */
  #weightsOf(number: number): Float64Array {
    const { n } = this;
    const own = this.#rows.weights.slice(0, n);
    const drawn = this.#rows.columns.rows;
    const counts = new Float64Array(drawn);
    writeWeights(this.#draws, number, { first: 0, rows: drawn, weights: undefined }, counts, 0, 1);
    this.#draws.clear();
    if (!own) return counts;
    const weights = new Float64Array(n);
    for (let i = 0, at = 0; i < n; i++) if (own[i] > 0) weights[i] = own[i] * counts[at++];
    return weights;
  }

  release(): void {
    this.block.release();
  }
}
