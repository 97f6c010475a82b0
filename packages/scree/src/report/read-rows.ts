import { type Block, type Data, DataError, Model, OptionError, type Progress, type RowSource } from '@scree/core';
import { identityFrame, openSource, ProgressTracker, packTile } from '@scree/core/engine';
import { ErrorHistogram } from './error-histogram.js';
import { EvenSample } from './even-sample.js';
import type { Colouring } from './figures/colouring.js';

/** A row of the sample: its number, and its scores on the first components. */
export interface SampledRow {
  readonly row: number;
  readonly scores: Float64Array;
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
  /** The columns that contribute most to it, each with its share of the error. */
  readonly columns: readonly { readonly column: number; readonly share: number }[];
  /** Kept where pictures are drawn. */
  readonly whole?: WholeRow;
}

/** What one reading of the rows tells. */
export interface RowFacts {
  readonly rows: number;
  readonly sample: readonly SampledRow[];
  readonly distances: ErrorHistogram;
  /** Sum of the squared distances of all rows. */
  readonly errorSum: number;
  /** Most distant first. */
  readonly worst: readonly WorstRow[];
  /** Rows for pictures: one of each group, or spread evenly. */
  readonly examples: readonly WholeRow[];
  /** The number of a row for people: counted from 1 in the data, including rows that were left out. */
  numberOf(row: number): number;
}

export interface ReadOptions {
  readonly colouring: Colouring;
  /** Whether rows are kept for pictures. */
  readonly pictures: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Points of the scatter plot: more would hide one another. */
const POINTS = 5000;
/** Scores kept of each of them. */
export const SAMPLED_SCORES = 4;
const WORST = 20;
const CONTRIBUTIONS = 3;
const EXAMPLES = 8;
/** Numbers handled at a time. */
const PIECE = 2 ** 20;
/** Widest rows that are kept whole. */
const WIDEST = 2 ** 16;

/**
 * Reads rows once, whatever their number: scores of a sample, the error of every row, the worst of them.
 *
 * The error of a row b is ‖b‖² − ‖z‖², z its scores, which the engine computes: one product with the data. Where that would
 * cancel more digits than it keeps, and for every row that is reported, it is ‖b − VᵀVb‖², added up column by column.
 */
export async function readRows(model: Model, data: Data, options: ReadOptions): Promise<Omit<RowFacts, 'numberOf'>> {
  const progress = new ProgressTracker(options);
  const source = await openSource(data, progress, model.columnNames);
  try {
    if (source.cols !== model.d) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `These rows have ${source.cols} columns, but the model was fitted to ${model.d}. Pass the data it was fitted to.`,
        { value: source.cols, expected: model.d },
      );
    }
    const reader = new RowReader(model, source.rows ?? model.n, options);
    progress.begin('reading rows for the report', source.rows);
    for await (const block of source.blocks()) {
      const size = Math.max(256, Math.floor(PIECE / source.cols));
      for (let from = 0; from < block.rows; from += size) {
        const piece = cut(block, from, Math.min(block.rows, from + size));
        await reader.add(piece, options.signal);
        await progress.step(piece.rows);
      }
    }
    progress.end();
    return reader.facts();
  } finally {
    await source.close?.();
  }
}

class RowReader {
  readonly #model: Model;
  /** The same without whitening: scores in the units of the variances. */
  readonly #plain: Model;
  readonly #options: ReadOptions;
  readonly #frame: { shift: Float64Array; factor: Float64Array };
  readonly #sample: EvenSample<SampledRow>;
  readonly #spread: EvenSample<WholeRow>;
  readonly #byGroup = new Map<number, WholeRow>();
  readonly #distances = new ErrorHistogram();
  readonly #worst: WorstRow[] = [];
  readonly #residual: Float64Array;
  #rows = 0;
  #errorSum = 0;

  constructor(model: Model, expected: number, options: ReadOptions) {
    this.#model = model;
    this.#plain = model.whiten === false ? model : new Model({ ...model, whiten: false });
    this.#options = options;
    this.#frame = { shift: model.mean, factor: model.scale.map((s) => 1 / s) };
    this.#sample = new EvenSample(expected, POINTS);
    this.#spread = new EvenSample(expected, EXAMPLES);
    this.#residual = new Float64Array(model.d);
  }

  async add(block: Block, signal: AbortSignal | undefined): Promise<void> {
    const { k } = this.#model;
    const { squares, size } = this.#squares(block);
    const scores = await this.#plain.transform(asSource(block), signal ? { signal } : {});
    const trusted = scores.data instanceof Float32Array ? 1e-2 : 1e-8;
    for (let i = 0; i < block.rows; i++) {
      const row = this.#rows + i;
      const z = scores.data.subarray(i * k, (i + 1) * k);
      let kept = 0;
      for (let c = 0; c < k; c++) kept += z[c] * z[c];
      let error = squares[i] - kept;
      if (!(error > trusted * Math.max(squares[i], size))) error = this.#exactError(block, i);
      error = Math.min(error, Number.MAX_VALUE);
      this.#errorSum += error;
      this.#distances.add(Math.sqrt(error));
      if (this.#sample.wants(row)) {
        this.#sample.push({ row, scores: Float64Array.from(z.subarray(0, SAMPLED_SCORES)) });
        this.#keepForGroup(block, i, z, error);
      }
      if (this.#options.pictures && this.#spread.wants(row)) this.#spread.push(this.#whole(block, i, z, error));
      const last = this.#worst[WORST - 1];
      if (error > 0 && (!last || error > last.error)) this.#keepWorst(block, i, z, squares[i]);
    }
    this.#rows += block.rows;
  }

  facts(): Omit<RowFacts, 'numberOf'> {
    const byGroup = [...this.#byGroup].sort(([a], [b]) => a - b).map(([, whole]) => whole);
    return {
      rows: this.#rows,
      sample: this.#sample.items,
      distances: this.#distances,
      errorSum: this.#errorSum,
      worst: this.#worst,
      examples: byGroup.length > 1 ? byGroup : this.#spread.items,
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

  #keepWorst(block: Block, i: number, scores: ArrayLike<number>, square: number): void {
    const error = this.#exactError(block, i);
    const residual = this.#residual;
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
      share: square > 0 ? Math.min(1, error / square) : 0,
      columns,
      ...(keeps ? { whole: this.#whole(block, i, scores, error) } : {}),
    });
    this.#worst.sort((a, b) => b.error - a.error || a.row - b.row);
    this.#worst.length = Math.min(this.#worst.length, WORST);
  }

  #whole(block: Block, i: number, scores: ArrayLike<number>, error: number): WholeRow {
    const { d } = this.#model;
    const values = new Float64Array(d);
    packTile(block, identityFrame(d), i, i + 1, 0, d, values);
    return { row: this.#rows + i, values, scores: Float64Array.from(scores), error };
  }

  /** ‖b − VᵀVb‖²; b − VᵀVb itself is left in #residual. */
  #exactError(block: Block, i: number): number {
    const { k, d } = this.#model;
    const { data } = this.#model.components;
    const b = this.#residual;
    packTile(block, this.#frame, i, i + 1, 0, d, b);
    for (let c = 0; c < k; c++) {
      const v = data.subarray(c * d, (c + 1) * d);
      let score = 0;
      for (let j = 0; j < d; j++) score += v[j] * b[j];
      for (let j = 0; j < d; j++) b[j] -= score * v[j];
    }
    let error = 0;
    for (let j = 0; j < d; j++) error += b[j] * b[j];
    return error;
  }

  /** ‖b‖² of every row, and the size of what was added up and taken away to get there. */
  #squares(block: Block): { squares: Float64Array; size: number } {
    const { shift, factor } = this.#frame;
    const { d } = this.#model;
    const squares = new Float64Array(block.rows);
    if (block.kind === 'dense') {
      const b = new Float64Array(d);
      for (let i = 0; i < block.rows; i++) {
        packTile(block, this.#frame, i, i + 1, 0, d, b);
        let sum = 0;
        for (let j = 0; j < d; j++) sum += b[j] * b[j];
        if (!Number.isFinite(sum)) this.#checkFinite(b, i);
        squares[i] = sum;
      }
      return { squares, size: 0 };
    }
    let empty = 0;
    for (let j = 0; j < d; j++) empty += (shift[j] * factor[j]) ** 2;
    for (let i = 0; i < block.rows; i++) {
      let sum = empty;
      for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) {
        const j = block.indices[at];
        // (x − s)² − s² = x(x − 2s).
        sum += block.data[at] * (block.data[at] - 2 * shift[j]) * factor[j] * factor[j];
      }
      squares[i] = Math.max(0, sum);
    }
    return { squares, size: empty };
  }

  #checkFinite(b: Float64Array, i: number): void {
    const column = b.findIndex((value) => !Number.isFinite(value));
    if (column < 0) return;
    const row = this.#rows + i;
    throw new DataError(
      'NOT_FINITE',
      `Row ${row}, column ${column} is not a finite number. Leave the row out, or fill the value in.`,
      { row, column, value: b[column] },
    );
  }
}

function asSource(block: Block): RowSource {
  return {
    rows: block.rows,
    cols: block.cols,
    dtype: 'float64',
    rereadable: true,
    resident: false,
    blocks: () => [block],
  };
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
    `A picture of ${width} × ${height} has ${width * height} pixels, but the rows have ${d} columns.`,
    { option: 'image', value: image, expected: d },
  );
}
