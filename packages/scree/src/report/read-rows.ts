import { GroupSums, type Groups, hotellingT2 } from '@scree/analysis';
import { several } from '@scree/analysis/describe';
import { DataError, type Model, OptionError, type Progress, type TableData } from '@scree/core';
import type { Block, Frame } from '@scree/core/data';
import { checkFinite, identityFrame, openForModel, packTile } from '@scree/core/data';
import { chooseEngine } from '@scree/core/engine';
import { powerOfTwo } from '@scree/core/linalg';
import { frameOf, ProgressTracker, reconstructBlock, removeComponents } from '@scree/core/pipeline';
import { EvenSample } from './even-sample.js';
import { type Colouring, chooseColours } from './figures/colouring.js';
import { RowValues } from './row-values.js';

/** A row of the sample: its number, and its scores on the first components. */
export interface SampledRow {
  readonly row: number;
  readonly scores: Float64Array;
  /** Hotelling's T². */
  readonly t2: number;
  /** Squared distance from its reconstruction. */
  readonly error: number;
  /** Squared distance from the mean of the fit. */
  readonly square: number;
}

/** A row as the data have it, for pictures. */
export interface WholeRow {
  readonly row: number;
  readonly values: Float64Array;
  readonly scores: Float64Array;
  /** Squared distance from its reconstruction. */
  readonly error: number;
}

/** A row far from its reconstruction. */
export interface WorstRow {
  readonly row: number;
  /** Squared distance from its reconstruction, as `reconstructionError` has it. */
  readonly error: number;
  /** Which part of its squared distance from the mean that is. */
  readonly share: number;
  /** Hotelling's T². */
  readonly t2: number;
  /** The columns that contribute most to it, each with its share of the error. */
  readonly columns: readonly { readonly column: number; readonly share: number }[];
  /** Kept where pictures are drawn. */
  readonly whole?: WholeRow;
}

/** A row far from the mean within the components. */
export interface FarRow {
  readonly row: number;
  readonly t2: number;
  readonly error: number;
}

/** What one reading of the rows tells. */
export interface RowFacts {
  readonly rows: number;
  readonly sample: readonly SampledRow[];
  /** Distances of all rows from their reconstructions. */
  readonly distances: RowValues;
  /** Hotelling's T² of all rows. */
  readonly t2: RowValues;
  /** Sum of the squared distances of all rows from their reconstructions. */
  readonly errorSum: number;
  /** Mean and variance of these squared distances. */
  readonly errors: { readonly mean: number; readonly variance: number };
  /** Sum of the squared distances of all rows from the mean of the fit, or from the origin where data are not centred. */
  readonly squareSum: number;
  /** Most distant first. */
  readonly worst: readonly WorstRow[];
  /** Those with the largest T², largest first. */
  readonly farthest: readonly FarRow[];
  /** Rows for pictures: one of each group, or spread evenly. */
  readonly examples: readonly WholeRow[];
  /** The groups that the labels make, of all rows; undefined where labels are no groups. */
  readonly groups?: Groups;
  /** The number of a row for people: counted from 1 in the data, including rows that were left out. */
  numberOf(row: number): number;
  /** The name of a row, where rows have names that tell them apart. */
  nameOf?(row: number): string | undefined;
}

/** A row in a sentence: "17", or "17 (Karpov)". */
export function rowTitle({ numberOf, nameOf }: Pick<RowFacts, 'numberOf' | 'nameOf'>, row: number): string {
  const name = nameOf?.(row);
  return name === undefined ? String(numberOf(row)) : `${numberOf(row)} (${name})`;
}

export interface ReadOptions {
  readonly colouring: Colouring;
  /** The weights of the rows in the fit, where they have some. */
  readonly weights?: ArrayLike<number> | undefined;
  /** Whether rows are kept for pictures. */
  readonly pictures: boolean;
  /** Rows whose distance and T² are kept one by one; of more rows only counts are kept. */
  readonly keep?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Points of the scatter plot: more would hide one another. */
const POINTS = 5000;
/** Scores kept of each of them. */
export const SAMPLED_SCORES = 4;
/** Rows kept with the largest error, and with the largest T². */
export const LISTED_ROWS = 20;
const CONTRIBUTIONS = 3;
const EXAMPLES = 8;
/** Numbers handled at a time. */
const PIECE = 2 ** 20;
/** Widest rows that are kept whole. */
const WIDEST = 2 ** 16;

/** What rows tell before they have numbers and names. */
export type Facts = Omit<RowFacts, 'numberOf'>;

/**
 * Reads rows once, whatever their number: scores of a sample, the error of every row, the worst of them. `compared` is a model of the
 * first components alone, with which rows are compared in the same reading: its facts have no groups and no pictures.
 */
export async function readRows(
  model: Model,
  data: TableData,
  options: ReadOptions,
  compared = model,
): Promise<{ readonly facts: Facts; readonly compared: Facts }> {
  const progress = new ProgressTracker(options);
  const source = await openForModel(data, model, progress);
  try {
    if (source.cols !== model.d) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `These rows have ${several(source.cols, 'column')}, but the model was fitted to ${model.d}. Pass the same columns in the same order.`,
        { value: source.cols, expected: model.d },
      );
    }
    const rows = source.rows ?? model.n;
    const reader = new RowReader(model, rows, options);
    const plain = { ...options, colouring: chooseColours(undefined), pictures: false };
    const other = compared === model ? undefined : new RowReader(compared, rows, plain);
    progress.begin('reading rows for the report', source.rows);
    for await (const block of source.blocks()) {
      const size = Math.max(256, Math.floor(PIECE / source.cols));
      for (let from = 0; from < block.rows; from += size) {
        const piece = cut(block, from, Math.min(block.rows, from + size));
        await reader.add(piece, progress);
        // The rows are counted once.
        await other?.add(piece, new ProgressTracker({ signal: options.signal }));
      }
    }
    progress.end();
    const facts = reader.facts();
    return { facts, compared: other?.facts() ?? facts };
  } finally {
    await source.close?.();
  }
}

class RowReader {
  readonly #model: Model;
  readonly #options: ReadOptions;
  readonly #frame: Frame;
  readonly #sample: EvenSample<SampledRow>;
  readonly #spread: EvenSample<WholeRow>;
  readonly #byGroup = new Map<number, WholeRow>();
  readonly #distances: RowValues;
  readonly #t2: RowValues;
  readonly #farthest: FarRow[] = [];
  readonly #worst: WorstRow[] = [];
  readonly #residual: Float64Array;
  readonly #groups: GroupReader | undefined;
  #rows = 0;
  #errorSum = 0;
  #squareSum = 0;
  /** Mean, and sum of the squares about it (Welford 1962). */
  #errorMean = 0;
  #errorSquares = 0;

  constructor(model: Model, expected: number, options: ReadOptions) {
    this.#model = model;
    this.#options = options;
    this.#frame = frameOf(model);
    this.#sample = new EvenSample(expected, POINTS);
    this.#spread = new EvenSample(expected, EXAMPLES);
    this.#residual = new Float64Array(model.d);
    this.#distances = new RowValues(options.keep);
    this.#t2 = new RowValues(options.keep);
    this.#groups = options.colouring.hasLevels && model.totalVariance > 0 ? new GroupReader(model, options) : undefined;
  }

  async add(block: Block, progress: ProgressTracker): Promise<void> {
    const { k } = this.#model;
    await progress.follow(checkFinite(block, this.#rows, this.#model.columnNames));
    const engine = await chooseEngine({}, block.data.length);
    const { scores, squares, errors } = await reconstructBlock(this.#model, block, engine, (rows) =>
      progress.step(rows),
    );
    await this.#groups?.add(block, this.#rows, scores, progress);
    for (let i = 0; i < block.rows; i++) {
      const row = this.#rows + i;
      const z = scores.subarray(i * k, (i + 1) * k);
      const error = Math.min(errors[i], Number.MAX_VALUE);
      const t2 = Math.min(hotellingT2(this.#model, z), Number.MAX_VALUE);
      this.#errorSum += error;
      this.#squareSum += squares[i];
      const off = error - this.#errorMean;
      this.#errorMean += off / (row + 1);
      this.#errorSquares += off * (error - this.#errorMean);
      this.#distances.add(Math.sqrt(error));
      this.#t2.add(t2);
      const near = this.#farthest[LISTED_ROWS - 1];
      if (!near || t2 > near.t2) this.#keepFarthest({ row, t2, error });
      if (this.#sample.wants(row)) {
        this.#sample.push({
          row,
          scores: Float64Array.from(z.subarray(0, SAMPLED_SCORES)),
          t2,
          error,
          square: squares[i],
        });
        this.#keepForGroup(block, i, z, error);
      }
      if (this.#options.pictures && this.#spread.wants(row)) this.#spread.push(this.#whole(block, i, z, error));
      const last = this.#worst[LISTED_ROWS - 1];
      if (error > 0 && (!last || error > last.error)) this.#keepWorst(block, i, z, squares[i], t2);
    }
    this.#rows += block.rows;
  }

  facts(): Facts {
    const groups = this.#groups?.result();
    const byGroup = [...this.#byGroup].sort(([a], [b]) => a - b).map(([, whole]) => whole);
    return {
      rows: this.#rows,
      sample: this.#sample.items,
      distances: this.#distances,
      t2: this.#t2,
      errorSum: this.#errorSum,
      errors: { mean: this.#errorMean, variance: this.#errorSquares / Math.max(1, this.#rows - 1) },
      squareSum: this.#squareSum,
      worst: this.#worst,
      farthest: this.#farthest,
      examples: byGroup.length > 1 ? byGroup : this.#spread.items,
      ...(groups ? { groups } : {}),
    };
  }

  #keepForGroup(block: Block, i: number, scores: ArrayLike<number>, error: number): void {
    const { pictures, colouring } = this.#options;
    if (!pictures || colouring.groups.length === 0) return;
    const group = colouring.groupOf(this.#rows + i);
    if (colouring.groups[group]?.named && !this.#byGroup.has(group)) {
      this.#byGroup.set(group, this.#whole(block, i, scores, error));
    }
  }

  #keepFarthest(far: FarRow): void {
    this.#farthest.push(far);
    this.#farthest.sort((a, b) => b.t2 - a.t2 || a.row - b.row);
    this.#farthest.length = Math.min(this.#farthest.length, LISTED_ROWS);
  }

  #keepWorst(block: Block, i: number, scores: ArrayLike<number>, square: number, t2: number): void {
    const residual = this.#residual;
    packTile(block, this.#frame, i, i + 1, 0, residual.length, residual);
    const error = removeComponents(this.#model.components, residual);
    const columns: { column: number; share: number }[] = [];
    for (let column = 0; column < residual.length; column++) {
      const share = (residual[column] * residual[column]) / error;
      if (columns.length === CONTRIBUTIONS && !(share > columns[CONTRIBUTIONS - 1].share)) continue;
      columns.push({ column, share });
      columns.sort((a, b) => b.share - a.share);
      columns.length = Math.min(columns.length, CONTRIBUTIONS);
    }
    const keeps = this.#options.pictures && residual.length <= WIDEST;
    this.#worst.push({
      row: this.#rows + i,
      error,
      t2,
      share: square > 0 ? Math.min(1, error / square) : 0,
      columns,
      ...(keeps ? { whole: this.#whole(block, i, scores, error) } : {}),
    });
    this.#worst.sort((a, b) => b.error - a.error || a.row - b.row);
    this.#worst.length = Math.min(this.#worst.length, LISTED_ROWS);
  }

  #whole(block: Block, i: number, scores: ArrayLike<number>, error: number): WholeRow {
    const { d } = this.#model;
    const values = new Float64Array(d);
    packTile(block, identityFrame(d), i, i + 1, 0, d, values);
    return { row: this.#rows + i, values, scores: Float64Array.from(scores), error };
  }
}

/** The groups of the colouring: their centres, covariances and tests. */
class GroupReader {
  readonly #options: ReadOptions;
  readonly #sums: GroupSums;
  readonly #frame: Frame;
  /** Scores are summed in units of the first component's deviation, so that no square overflows. */
  readonly #unit: number;

  constructor(model: Model, options: ReadOptions) {
    this.#options = options;
    this.#unit = powerOfTwo(Math.sqrt(model.variances[0])) || 1;
    this.#frame = frameOf({ mean: model.mean, scale: model.scale.map((scale) => scale * this.#unit) });
    this.#sums = new GroupSums(options.colouring.name, model.k, model.d, []);
  }

  async add(block: Block, first: number, scores: Float64Array, progress: ProgressTracker): Promise<void> {
    const { colouring, weights } = this.#options;
    const labels = Array.from({ length: block.rows }, (_, i) => colouring.labelOf(first + i));
    const own = weights && Float64Array.from({ length: block.rows }, (_, i) => weights[first + i]);
    await this.#sums.add(
      labels,
      { block, frame: this.#frame, scores: scores.map((score) => score / this.#unit), weights: own },
      () => progress.yieldToEventLoop(),
    );
  }

  result(): Groups | undefined {
    const groups = this.#sums.result(this.#unit);
    return groups.levels.length > 1 ? groups : undefined;
  }
}

/** Rows from…to−1 of a block, in place. */
function cut(block: Block, from: number, to: number): Block {
  if (from === 0 && to === block.rows) return block;
  if (block.kind === 'dense') return { ...block, rows: to - from, data: block.data.subarray(from * block.stride) };
  const [first, last] = [block.indptr[from], block.indptr[to]];
  return {
    ...block,
    rows: to - from,
    indptr: Float64Array.from(block.indptr.subarray(from, to + 1), (at) => at - first),
    indices: block.indices.subarray(first, last),
    data: block.data.subarray(first, last),
  };
}

/** Pictures have as many pixels as rows have columns. */
export function checkImage(image: { readonly width: number; readonly height: number } | undefined, d: number): void {
  if (!image) return;
  const { width, height } = image;
  if (Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && width * height === d) return;
  throw new OptionError(
    'BAD_OPTION',
    `A picture of ${width} × ${height} has ${width * height} pixels, but the rows have ${several(d, 'column')}.`,
    { option: 'image', value: image, expected: d },
  );
}
