import { OptionError } from '@scree/core';
import type { Block, Scaler } from '@scree/core/data';
import { packTile } from '@scree/core/data';
import { axpy } from '@scree/core/linalg';
import { describeValue } from '@scree/core/pipeline';
import { convexHull, type Point } from './convex-hull.js';
import { eta2PValue } from './significance.js';

/** Rows with the same label; each list has one entry per component. */
export interface GroupLevel {
  readonly level: string;
  /** The sum of the weights of its rows. */
  readonly n: number;
  /** Mean of the scores. */
  readonly center: readonly number[];
  /** Share of the centre's squared distance from the mean of all rows that each component explains. */
  readonly cos2: readonly number[];
  /** The distance of the centre, in standard errors, from that of n random rows. Values beyond ±1.96 are rare. */
  readonly vTest: readonly number[];
  /** Covariance of the scores on the first components, at most 10 of them, for ellipses. NaN for a single row. */
  readonly covariance: readonly (readonly number[])[];
  readonly hulls: readonly Hull[];
}

/** The convex hull of a group's rows on two components, counterclockwise. */
export interface Hull {
  readonly components: readonly [number, number];
  readonly points: readonly Point[];
}

/** The groups that a column of labels makes; each list has one entry per component. */
export interface Groups {
  readonly name: string;
  /** Sums of the weights of rows with a label, and of rows without one. */
  readonly n: number;
  readonly unlabelled: number;
  /** Share of the scores' variance that lies between the groups, from 0 to 1. */
  readonly eta2: readonly number[];
  /** p-values of η² (F test), not corrected for their number. */
  readonly pValue: readonly number[];
  /** In the order in which they first appear. */
  readonly levels: readonly GroupLevel[];
}

/** Components whose covariances are kept, for ellipses. */
const COVARIANCES = 10;
/** Most groups. With more different labels, they are names of rows. */
const MOST_LEVELS = 1000;
/** Rows packed at a time. */
const TILE = 256;

/** A block of rows with their scores. */
interface Scored {
  readonly block: Block;
  readonly scaler: Scaler;
  readonly scores: Float64Array;
  readonly weights: Float64Array | undefined;
}

interface LevelSums {
  weight: number;
  /** Mean of the scores, and Σw(z − mean)² of each. */
  readonly mean: Float64Array;
  readonly spread: Float64Array;
  /** Σw(z − mean)(z − mean)ᵀ of the first components. */
  readonly scatter: Float64Array;
  /** Σwb over the rows, without the centring of sparse rows. */
  readonly rowSum: Float64Array;
  /** Weight of sparse rows: −mean·factor of each is not yet in `rowSum`. */
  sparseWeight: number;
  readonly hulls: Point[][];
}

/** Sums over the rows of each group, in one pass. Memory grows with the number of groups and columns, not of rows. */
export class GroupSums {
  readonly #name: string;
  readonly #k: number;
  readonly #d: number;
  readonly #kept: number;
  readonly #pairs: readonly (readonly [number, number])[];
  readonly #levels = new Map<string, LevelSums>();
  readonly #step = new Float64Array(COVARIANCES);
  #unlabelled = 0;
  #shift = new Float64Array(0);

  constructor(name: string, k: number, d: number, pairs: readonly (readonly [number, number])[]) {
    this.#name = name;
    this.#k = k;
    this.#d = d;
    this.#kept = Math.min(k, COVARIANCES);
    this.#pairs = pairs;
  }

  /** Adds rows. `labels` has one entry per row, undefined for a row without a label. `onStep` is called every few hundred rows. */
  async add(
    labels: readonly (string | undefined)[],
    { block, scaler, scores, weights }: Scored,
    onStep: () => void | Promise<void>,
  ): Promise<void> {
    const d = this.#d;
    const dense = block.kind === 'dense';
    const tile = new Float64Array(dense ? Math.min(TILE, block.rows) * d : 0);
    const points = new Map<LevelSums, Point[][]>();
    if (!dense) this.#shift = scaler.shift.map((shift, j) => shift * scaler.factor[j]);
    for (let from = 0; from < block.rows; from += TILE) {
      const to = Math.min(block.rows, from + TILE);
      if (dense) packTile(block, scaler, { from, to, left: 0, right: d }, tile);
      for (let i = from; i < to; i++) {
        const weight = weights ? weights[i] : 1;
        if (weight === 0) continue;
        const label = labels[i];
        if (label === undefined) {
          this.#unlabelled += weight;
          continue;
        }
        const sums = this.#levels.get(label) ?? this.#newLevel(label);
        this.#addScores(sums, scores, i * this.#k, weight);
        if (dense) axpy(weight, tile, (i - from) * d, sums.rowSum, 0, d);
        else {
          for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) {
            const j = block.indices[at];
            sums.rowSum[j] += weight * block.data[at] * scaler.factor[j];
          }
          sums.sparseWeight += weight;
        }
        const own = points.get(sums) ?? this.#pairs.map((): Point[] => []);
        points.set(sums, own);
        this.#pairs.forEach(([a, b], p) => {
          own[p].push([scores[i * this.#k + a], scores[i * this.#k + b]]);
        });
      }
      const pause = onStep();
      if (pause) await pause;
    }
    for (const [sums, own] of points) {
      own.forEach((each, p) => {
        sums.hulls[p] = convexHull([...sums.hulls[p], ...each]);
      });
    }
  }

  /** The groups, with scores converted from units of `unit`. */
  result(unit: number): Groups {
    const k = this.#k;
    const all = [...this.#levels.values()];
    const n = all.reduce((sum, { weight }) => sum + weight, 0);
    const mean = new Float64Array(k);
    for (const sums of all) axpy(sums.weight / n, sums.mean, 0, mean, 0, k);
    const between = mean.map((center, c) =>
      all.reduce((sum, { weight, mean }) => sum + weight * (mean[c] - center) ** 2, 0),
    );
    const total = between.map((part, c) => all.reduce((sum, { spread }) => sum + spread[c], part));
    const eta2 = Array.from(total, (whole, c) => between[c] / whole);
    return {
      name: this.#name,
      n,
      unlabelled: this.#unlabelled,
      eta2,
      pValue: eta2.map((share) => eta2PValue(share, all.length, n)),
      levels: Array.from(this.#levels, ([level, sums]): GroupLevel => {
        const { weight } = sums;
        // Standard errors of the mean of rows drawn without replacement.
        const errors = total.map((whole) => Math.sqrt(((whole / n / weight) * (n - weight)) / (n - 1)));
        const distance = this.#squaredDistance(sums);
        return {
          level,
          n: weight,
          center: Array.from(sums.mean, (center) => center * unit),
          cos2: Array.from(sums.mean, (center) => Math.min(1, center ** 2 / distance)),
          vTest: Array.from(sums.mean, (center, c) => (center - mean[c]) / errors[c]),
          covariance: this.#covariance(sums, unit),
          hulls: this.#pairs.map((components, p) => ({
            components,
            points: sums.hulls[p].map(([x, y]): Point => [x * unit, y * unit]),
          })),
        };
      }),
    };
  }

  #newLevel(label: string): LevelSums {
    if (this.#levels.size === MOST_LEVELS) {
      throw new OptionError(
        'BAD_OPTION',
        `The groups ${describeValue(this.#name)} have more than ${MOST_LEVELS} levels: these are names of rows rather than of groups.`,
        { option: 'groups', value: this.#name, expected: MOST_LEVELS },
      );
    }
    const sums = {
      weight: 0,
      mean: new Float64Array(this.#k),
      spread: new Float64Array(this.#k),
      scatter: new Float64Array(this.#kept ** 2),
      rowSum: new Float64Array(this.#d),
      sparseWeight: 0,
      hulls: this.#pairs.map(() => []),
    };
    this.#levels.set(label, sums);
    return sums;
  }

  /** Means and products about them, as in `ColumnCorrelations`. */
  #addScores(sums: LevelSums, scores: Float64Array, start: number, weight: number): void {
    sums.weight += weight;
    const share = weight / sums.weight;
    const factor = weight * (1 - share);
    for (let c = 0; c < this.#k; c++) {
      const delta = scores[start + c] - sums.mean[c];
      sums.mean[c] += share * delta;
      sums.spread[c] += factor * delta * delta;
      if (c < this.#kept) this.#step[c] = delta;
    }
    for (let c = 0; c < this.#kept; c++) {
      axpy(factor * this.#step[c], this.#step, 0, sums.scatter, c * this.#kept, this.#kept);
    }
  }

  /** ‖Σwb/Σw‖². */
  #squaredDistance({ rowSum, weight, sparseWeight }: LevelSums): number {
    return rowSum.reduce((sum, entry, j) => {
      const centred = sparseWeight > 0 ? entry - sparseWeight * this.#shift[j] : entry;
      return sum + (centred / weight) ** 2;
    }, 0);
  }

  #covariance({ scatter, weight }: LevelSums, unit: number): number[][] {
    const kept = this.#kept;
    const divisor = weight > 1 ? weight - 1 : Number.NaN;
    return Array.from({ length: kept }, (_, r) =>
      Array.from(scatter.subarray(r * kept, (r + 1) * kept), (entry) => (entry / divisor) * unit * unit),
    );
  }
}
