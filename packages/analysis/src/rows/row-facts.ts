import type { Block, Scaler } from '@scree/core/data';
import { identityScaler, packTile } from '@scree/core/data';
import { removeComponents } from '@scree/core/pipeline';
import { plainText } from '../describe/plain-text.js';
import type { Groups } from '../meaning/groups.js';
import { EvenSample } from '../reading/even-sample.js';
import type { ComparedModel } from './compared-model.js';
import { DistinctNames } from './distinct-names.js';
import { hotellingT2 } from './row-limits.js';
import { RowValues } from './row-values.js';

/** Identifies a row: its index among the rows that were read, its number in the table from 1, and its name. */
export interface RowTitle {
  readonly row: number;
  readonly number: number;
  readonly name: string | null;
}

/** A row of the sample, with its scores on the first components. */
export interface SampledRow extends RowTitle {
  readonly scores: Float64Array;
  /** Hotelling's T². */
  readonly t2: number;
  /** Squared distance from its reconstruction. */
  readonly error: number;
  /** Squared distance from the mean of the fit. */
  readonly square: number;
}

/** A row with its values, for pictures. */
export interface WholeRow extends RowTitle {
  readonly values: Float64Array;
  readonly scores: Float64Array;
  /** Squared distance from its reconstruction. */
  readonly error: number;
}

/** A row far from its reconstruction. */
export interface WorstRow extends RowTitle {
  /** Squared distance from its reconstruction, as `reconstructionError` has it. */
  readonly error: number;
  /** The share of this error in its squared distance from the mean. */
  readonly share: number;
  /** Hotelling's T². */
  readonly t2: number;
  /** The columns that contribute most to the error, with their shares. */
  readonly columns: readonly { readonly column: number; readonly share: number }[];
  /** The row with its values, if pictures are drawn. */
  readonly whole?: WholeRow;
}

/** A row far from the mean within the components. */
export interface FarRow extends RowTitle {
  readonly t2: number;
  readonly error: number;
}

/** Facts about rows from one reading. */
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
  /** Sum of the squared distances of all rows from the mean of the fit, or from the origin if data are not centred. */
  readonly squareSum: number;
  /** Rows with the largest errors, largest first. */
  readonly worst: readonly WorstRow[];
  /** Rows with the largest T², largest first. */
  readonly farthest: readonly FarRow[];
  /** Rows for pictures: one of each group, or evenly spread rows. */
  readonly examples: readonly WholeRow[];
  /** The groups of all rows by which they are coloured; undefined if colours are not groups. */
  readonly groups?: Groups;
  /** The number of a row in the data, from 1, including rows that were left out. */
  numberOf(row: number): number;
  /** The name of a row, if names identify rows. */
  nameOf?(row: number): string | undefined;
}

/** Most points of the scatter plot. More would hide one another. */
const POINTS = 5000;
/** Scores that are kept of each point. */
export const SAMPLED_SCORES = 4;
/** Rows that are kept with the largest error, and with the largest T². */
export const LISTED_ROWS = 20;
/** Columns that are named for the error of a row. */
const NAMED_COLUMNS = 3;
/** Most rows that are shown as pictures. */
const EXAMPLES = 8;
/** Widest rows that are kept whole. */
const WIDEST = 2 ** 16;
/** Longest name of a row. */
const LONGEST_NAME = 60;
/** Most rows whose names are compared to find out if names identify rows. */
const COMPARED_NAMES = 100_000;
/** Most rows whose numbers are kept. */
const KNOWN_PLACES = 1_000_000;

/** The rows that figures need. */
export interface FigureRows {
  /** True if rows are kept for pictures. */
  readonly pictures: boolean;
  /** The group of a row, if examples of groups are drawn. */
  readonly exampleOf?: (row: number) => number | undefined;
  /** Most rows whose distances and T² are kept. For more rows only counts are kept. Default 4 million. */
  readonly keep?: number | undefined;
}

/** Rows of a block with scores (not whitened), squared lengths and errors, in the units of the model. */
export interface ScoredRows {
  readonly block: Block;
  readonly scores: Float64Array;
  /** Scores per row. */
  readonly width: number;
  readonly squares: ArrayLike<number>;
  readonly errors: ArrayLike<number>;
  readonly places: readonly number[];
  readonly names: readonly (string | null)[] | undefined;
}

/**
 * Collects facts about rows: T², the distance from the reconstruction, the most extreme rows, an even sample. `model` may have fewer
 * components than there are scores. Rows are compared with its components alone.
 */
export class RowReader {
  readonly #model: ComparedModel;
  readonly #figures: FigureRows;
  readonly #scaler: Scaler;
  readonly #sample: EvenSample<SampledRow>;
  readonly #spread: EvenSample<WholeRow>;
  readonly #byGroup = new Map<number, WholeRow>();
  readonly #distances: RowValues;
  readonly #t2: RowValues;
  readonly #farthest: FarRow[] = [];
  readonly #worst: WorstRow[] = [];
  readonly #residual: Float64Array;
  readonly #names = new DistinctNames(COMPARED_NAMES);
  /** Numbers and names of the first rows: all of them, unless there are very many. */
  readonly #places: number[] = [];
  readonly #firstNames: (string | null)[] = [];
  #named = false;
  #rows = 0;
  #errorSum = 0;
  #squareSum = 0;
  /** Mean, and sum of the squares about it (Welford 1962). */
  #errorMean = 0;
  #errorSquares = 0;

  constructor(model: ComparedModel, scaler: Scaler, expected: number, figures: FigureRows) {
    this.#model = model;
    this.#figures = figures;
    this.#scaler = scaler;
    this.#sample = new EvenSample(expected, POINTS);
    this.#spread = new EvenSample(expected, EXAMPLES);
    this.#residual = new Float64Array(model.d);
    this.#distances = new RowValues(figures.keep);
    this.#t2 = new RowValues(figures.keep);
  }

  add({ block, scores, width, squares, errors, places, names }: ScoredRows): void {
    const { k } = this.#model;
    this.#named ||= names !== undefined;
    for (let i = 0; i < block.rows; i++) {
      const row = this.#rows + i;
      const z = scores.subarray(i * width, i * width + width);
      const error = Math.min(errorOf(errors[i], z, k), Number.MAX_VALUE);
      const t2 = Math.min(hotellingT2(this.#model, z), Number.MAX_VALUE);
      const name = names?.[i] ?? null;
      if (name !== null) this.#names.add(name.slice(0, LONGEST_NAME));
      if (row < KNOWN_PLACES) this.#places.push(places[i]);
      if (names && row < COMPARED_NAMES) this.#firstNames.push(name);
      const title = (): RowTitle => ({
        row,
        number: places[i] + 1,
        name: name === null ? null : plainText(name, LONGEST_NAME),
      });
      this.#errorSum += error;
      this.#squareSum += squares[i];
      const off = error - this.#errorMean;
      this.#errorMean += off / (row + 1);
      this.#errorSquares += off * (error - this.#errorMean);
      this.#distances.add(Math.sqrt(error));
      this.#t2.add(t2);
      const near = this.#farthest[LISTED_ROWS - 1];
      if (!near || t2 > near.t2) this.#keepFarthest({ ...title(), t2, error });
      if (this.#sample.wants(row)) {
        const sampled = Float64Array.from(z.subarray(0, Math.min(k, SAMPLED_SCORES)));
        this.#sample.push({ ...title(), scores: sampled, t2, error, square: squares[i] });
        this.#keepForGroup(block, i, z, error, title);
      }
      if (this.#figures.pictures && this.#spread.wants(row))
        this.#spread.push(this.#whole(block, i, z, error, title()));
      const last = this.#worst[LISTED_ROWS - 1];
      if (error > 0 && (!last || error > last.error)) this.#keepWorst(block, i, z, squares[i], t2, title());
    }
    this.#rows += block.rows;
  }

  facts(groups?: Groups): RowFacts {
    const byGroup = [...this.#byGroup].sort(([a], [b]) => a - b).map(([, whole]) => whole);
    const examples = byGroup.length > 1 ? byGroup : this.#spread.items;
    const titles = new Map<number, RowTitle>();
    for (const list of [this.#sample.items, this.#worst, this.#farthest, examples]) {
      for (const title of list) titles.set(title.row, title);
    }
    const [places, known] = [this.#places, this.#firstNames];
    // Names that many rows share do not identify rows.
    const tellApart = this.#named && this.#names.size >= Math.min(this.#rows / 2, COMPARED_NAMES);
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
      examples,
      ...(groups ? { groups } : {}),
      numberOf: (row) => titles.get(row)?.number ?? (places[row] ?? row) + 1,
      ...(tellApart ? { nameOf: (row: number) => titles.get(row)?.name ?? plainName(known[row]) } : {}),
    };
  }

  #keepForGroup(block: Block, i: number, scores: Float64Array, error: number, title: () => RowTitle): void {
    const { pictures, exampleOf } = this.#figures;
    const group = pictures ? exampleOf?.(this.#rows + i) : undefined;
    if (group === undefined || this.#byGroup.has(group)) return;
    this.#byGroup.set(group, this.#whole(block, i, scores, error, title()));
  }

  #keepFarthest(far: FarRow): void {
    this.#farthest.push(far);
    this.#farthest.sort((a, b) => b.t2 - a.t2 || a.row - b.row);
    this.#farthest.length = Math.min(this.#farthest.length, LISTED_ROWS);
  }

  #keepWorst(block: Block, i: number, scores: Float64Array, square: number, t2: number, title: RowTitle): void {
    const residual = this.#residual;
    packTile(block, this.#scaler, { from: i, to: i + 1, left: 0, right: residual.length }, residual);
    const error = removeComponents(this.#model.components, residual);
    const columns: { column: number; share: number }[] = [];
    for (let column = 0; column < residual.length; column++) {
      const share = (residual[column] * residual[column]) / error;
      if (columns.length === NAMED_COLUMNS && !(share > columns[NAMED_COLUMNS - 1].share)) continue;
      columns.push({ column, share });
      columns.sort((a, b) => b.share - a.share);
      columns.length = Math.min(columns.length, NAMED_COLUMNS);
    }
    const keeps = this.#figures.pictures && residual.length <= WIDEST;
    this.#worst.push({
      ...title,
      error,
      t2,
      share: square > 0 ? Math.min(1, error / square) : 0,
      columns,
      ...(keeps ? { whole: this.#whole(block, i, scores, error, title) } : {}),
    });
    this.#worst.sort((a, b) => b.error - a.error || a.row - b.row);
    this.#worst.length = Math.min(this.#worst.length, LISTED_ROWS);
  }

  #whole(block: Block, i: number, scores: Float64Array, error: number, title: RowTitle): WholeRow {
    const { d, k } = this.#model;
    const values = new Float64Array(d);
    packTile(block, identityScaler(d), { from: i, to: i + 1, left: 0, right: d }, values);
    return { ...title, values, scores: Float64Array.from(scores.subarray(0, k)), error };
  }
}

/** The error of a row with the first k of its scores alone: ‖b − V_kᵀV_k b‖² = error + Σ_{i>k} zᵢ². */
function errorOf(error: number, scores: Float64Array, k: number): number {
  let sum = error;
  for (let c = k; c < scores.length; c++) sum += scores[c] * scores[c];
  return sum;
}

function plainName(name: string | null | undefined): string | undefined {
  return name === null || name === undefined ? undefined : plainText(name, LONGEST_NAME);
}
