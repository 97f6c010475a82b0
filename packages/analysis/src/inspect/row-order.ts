import type { Model, RowSource, Warning } from '@scree/core';
import { type Block, mapAsync, mapSource, rowsOfBlock } from '@scree/core/data';
import { dot, powerOfTwo } from '@scree/core/linalg';
import { chooseEngine, deviationOf, type ProgressTracker, reconstructBlock } from '@scree/core/pipeline';
import { optimalBlockLength } from '../bootstrap/block-length.js';
import { holm } from '../meaning/significance.js';
import { autocovariance, type SerialDependence, serialDependence } from '../statistics/serial-dependence.js';
import { namesTime } from './column-names.js';

/** Most numbers of a table whose rows are read for this, and most components. */
const MOST_NUMBERS = 1e7;
const MOST_COMPONENTS = 10;
/** Fewest rows. */
const FEWEST_ROWS = 24;
/** Level of the tests, and the least dependence that matters. */
const LEVEL = 1e-3;
const LEAST_DEPENDENCE = 0.2;
/** Share of the steps of a column against its direction, below which the rows are sorted by it; and the least share of rows with a step. */
const AGAINST = 0.05;
const STEPS = 0.25;

/** The `details` of the warning ORDERED_ROWS. */
export interface RowOrder {
  readonly rows: number;
  /** Components whose scores depend on those of the row before, from 1, with the correlation of neighbours and the p-value after Holm. */
  readonly components: readonly { readonly component: number; readonly lag1: number; readonly pValue: number }[];
  /** Those of them that no test tells from a random walk. */
  readonly randomWalks: readonly number[];
  /** Rows of a block of the bootstrap. */
  readonly block: number;
  /** The angle, in radians, between each axis of the first half of the rows and that of the second half. Empty with few rows. */
  readonly halves: readonly number[];
}

/** How the order of rows is found. */
export interface RowOrderOptions {
  readonly center: boolean;
  /** Fits half of the rows, scaled by the same rule, k components. */
  readonly fitHalf: (rows: RowSource, k: number) => Promise<Model>;
  readonly progress: ProgressTracker;
}

/**
 * Looks for rows in an order that matters: neighbours are alike, as in a time series. The scores of the large components are tested with
 * `serialDependence`, after Holm; both the correlation of neighbours and that of their differences must be significant. Rows that are
 * sorted by one column, or by groups, are no such order. Reads the rows once more, so only tables of up to 10 million numbers are examined.
 */
export async function findRowOrder(
  model: Model,
  source: RowSource,
  { center, fitHalf, progress }: RowOrderOptions,
): Promise<RowOrder | undefined> {
  const { n, d, uniqueness } = model;
  const k = Math.min(model.k, uniqueness.rank, MOST_COMPONENTS, Math.max(2, largeComponents(model)));
  if (!center || k === 0 || n < FEWEST_ROWS || n * d > MOST_NUMBERS || !source.rereadable || source.remote)
    return undefined;
  const { scores, sorted } = await readScores(model, source, k, progress);
  if (scores.length === 0 || scores[0].length !== n || sorted) return undefined;
  const found = scores.map(serialDependence);
  const adjusted = holm(found.map(({ pValue }) => pValue));
  const isOrdered = ({ local, lag1 }: SerialDependence, c: number): boolean =>
    adjusted[c] < LEVEL && local >= LEAST_DEPENDENCE && lag1 > 2 / Math.sqrt(n);
  const ordered = found.flatMap((each, c) => (isOrdered(each, c) ? [c] : []));
  if (ordered.length === 0) return undefined;
  const lengths = ordered.flatMap((c) => [optimalBlockLength(scores[c]), optimalBlockLength(squaresOf(scores[c]))]);
  return {
    rows: n,
    components: ordered.map((c) => ({ component: c + 1, lag1: found[c].lag1, pValue: adjusted[c] })),
    randomWalks: ordered.filter((c) => found[c].randomWalk).map((c) => c + 1),
    block: Math.max(2, Math.min(Math.floor(n / 2), Math.ceil(Math.max(...lengths)))),
    halves: await anglesOfHalves(model, source, k, fitHalf),
  };
}

/** The number of components with at least the variance of an average column. Smaller ones are mostly noise. */
function largeComponents({ varianceRatios, d }: Model): number {
  const small = varianceRatios.findIndex((ratio) => ratio < (1 - 1e-9) / d);
  return small < 0 ? varianceRatios.length : small;
}

/** Squares about the mean: the bootstrap of a covariance averages them. */
function squaresOf(z: Float64Array): Float64Array {
  const mean = z.reduce((sum, value) => sum + value / z.length, 0);
  const squares = z.map((value) => (value - mean) ** 2);
  return autocovariance(squares, 0) > 0 ? squares : z;
}

/** The scores on the first k components, one list per component, and whether the rows are sorted by one column. */
async function readScores(
  model: Model,
  source: RowSource,
  k: number,
  progress: ProgressTracker,
): Promise<{ scores: Float64Array[]; sorted: boolean }> {
  const { n, d, mean } = model;
  const unit = powerOfTwo(deviationOf(model, 0)) || 1;
  const measured = { components: model.components, mean, scale: model.scale.map((scale) => scale * unit) };
  const scores = Array.from({ length: k }, () => new Float64Array(n));
  const steps = new Steps(d);
  let row = 0;
  progress.begin('order of rows', n);
  for await (const block of source.blocks()) {
    const engine = await chooseEngine({}, block.data.length);
    const part = await reconstructBlock(measured, block, engine, (rows) => progress.step(rows));
    for (let i = 0; i < block.rows && row + i < n; i++) {
      for (let c = 0; c < k; c++) scores[c][row + i] = part.scores[i * model.k + c];
    }
    steps.add(block);
    row += block.rows;
  }
  progress.end();
  return { scores: row === n ? scores : [], sorted: steps.sortedByOne(model.columnNames) };
}

/** Counts the steps up and down of every column. */
class Steps {
  readonly #up: Float64Array;
  readonly #down: Float64Array;
  /** 1 for columns that rise by other steps than 1. */
  readonly #other: Uint8Array;
  readonly #previous: Float64Array;
  #rows = 0;

  constructor(cols: number) {
    this.#up = new Float64Array(cols);
    this.#down = new Float64Array(cols);
    this.#other = new Uint8Array(cols);
    this.#previous = new Float64Array(cols);
  }

  add(block: Block): void {
    if (block.kind !== 'dense') return;
    const { rows, cols, stride, data } = block;
    for (let i = 0; i < rows; i++, this.#rows++) {
      for (let j = 0; j < cols; j++) {
        const value = data[i * stride + j];
        if (this.#rows > 0) {
          const step = value - this.#previous[j];
          if (step > 0) this.#up[j]++;
          else if (step < 0) this.#down[j]++;
          if (step > 0 && step !== 1) this.#other[j] = 1;
        }
        this.#previous[j] = value;
      }
    }
  }

  /**
   * True if exactly one column goes one way nearly throughout, and counts neither rows nor time. If several columns do, the rows are
   * more likely a series with a trend.
   */
  sortedByOne(names: readonly string[] | undefined): boolean {
    let sorting = 0;
    for (let j = 0; j < this.#up.length; j++) {
      const [up, down] = [this.#up[j], this.#down[j]];
      const steps = up + down;
      if (steps < STEPS * this.#rows || Math.min(up, down) > AGAINST * steps) continue;
      if (names && namesTime(names[j])) return false;
      // Numbers that rise by 1 count the rows, or those of a group.
      if (this.#other[j] === 1) sorting++;
    }
    return sorting === 1;
  }
}

/** The angles between the axes of the first and of the second half of the rows. */
async function anglesOfHalves(
  { n, d }: Model,
  source: RowSource,
  k: number,
  fitHalf: RowOrderOptions['fitHalf'],
): Promise<number[]> {
  const half = Math.floor(n / 2);
  if (half <= k + 1) return [];
  const first = await fitHalf(partOf(source, 0, half), k);
  const second = await fitHalf(partOf(source, n - half, n), k);
  const shared = Math.min(first.components.rows, second.components.rows);
  return Array.from({ length: shared }, (_, c) =>
    Math.acos(Math.min(1, Math.abs(dot(first.components.data, c * d, second.components.data, c * d, d)))),
  );
}

/** Rows from…to − 1 of a source. */
function partOf(source: RowSource, from: number, to: number): RowSource {
  return mapSource(source, {
    rows: to - from,
    resident: false,
    sample: undefined,
    columnNames: undefined,
    warnings: () => [],
    close: () => {},
    blocks: () => {
      let row = 0;
      return mapAsync(source.blocks(), (block) => {
        const start = row;
        row += block.rows;
        const [first, last] = [Math.max(from, start) - start, Math.min(to, row) - start];
        return last > first ? rowsOfBlock(block, first, last) : undefined;
      });
    },
  });
}

/** The warning about an order of rows. */
export function rowOrderWarning(order: RowOrder): Warning {
  const names = order.components.map(({ component, lag1 }) => `component ${component} (r = ${lag1.toFixed(2)})`);
  const walks = order.randomWalks.length > 0;
  return {
    code: 'ORDERED_ROWS',
    message: `Neighbouring rows are alike in ${names.slice(0, 3).join(', ')}: the rows are in an order, as in a time series, and are not independent.${
      walks
        ? ' They drift like a random walk, so no bootstrap says what other rows would give. Analyse differences of neighbouring rows.'
        : ` The bootstrap draws blocks of ${order.block} rows.`
    }`,
    details: { ...order },
  };
}
