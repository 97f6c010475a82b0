import type { ProgressTracker } from '../base/progress.js';
import type { Block, DenseBlock } from '../data/blocks/block.js';
import { packedRows } from '../data/blocks/block-rows.js';
import { refuseChanged } from '../data/blocks/changes.js';
import { decoded } from '../data/blocks/float16.js';
import { checkBlockWidth, type RowSource } from '../data/blocks/row-source.js';
import { checkFinite } from '../data/statistics/statistics.js';
import { rowWeights } from '../data/statistics/weights.js';
import { damaged } from '../data/storage/container.js';
import type { Engine } from '../engines/engine.js';
import { Moments } from './moments.js';

/** Moments of rows that a stream forgets: by a half-life, or when they leave a window. */

/** How rows are added. */
export interface ForgettingInput {
  readonly source: RowSource;
  readonly weights: ArrayLike<number> | undefined;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
  readonly names: readonly string[] | undefined;
}

/** Rows that a stream remembers, with the number of rows that they are worth. */
export interface Forgetting {
  readonly cols: number;
  /** Rows that were added, or that are in the window. */
  readonly rows: number;
  /** (Σw)²/Σw² (Kish 1965): as many rows of equal weight have the same sampling error. */
  readonly effectiveRows: number;
  /** The same with the rows of a source added. This one does not change. */
  with(input: ForgettingInput): Promise<Forgetting>;
  /** Moments whose weight is the effective number of rows, so that S/(Σw − 1) is unbiased and limits use that number. */
  moments(engine: Engine, progress: ProgressTracker): Promise<Moments>;
  /** What is stored: facts, and arrays as bytes. */
  store(): { readonly facts: object; readonly sections: readonly Uint8Array[] };
}

/** Moments that can be multiplied by a factor. */
class ScaledMoments extends Moments {
  /** A copy whose rows have `factor` times their weights. Rounding errors of earlier sums shrink with them. */
  times(factor: number, rows = this.rows): ScaledMoments {
    const { state } = this;
    const copy = new ScaledMoments(this.cols, this.columnNames);
    copy.restore({
      ...state,
      columns: {
        ...state.columns,
        rows,
        weight: state.columns.weight * factor,
        spread: state.columns.spread.map((value) => value * factor),
      },
      scatter: state.scatter.map((value) => value * factor),
      merges: Math.ceil(state.merges * Math.min(1, factor)),
    });
    return copy;
  }

  /** A copy of stored moments. */
  static from(moments: Moments): ScaledMoments {
    return new ScaledMoments(moments.cols, moments.columnNames).merge(moments);
  }
}

/**
 * Exponential forgetting: the weight of a row halves with every `halfLife` rows that follow it. Weights never grow: the sums of earlier rows
 * are multiplied by 2^(−b/halfLife) before b rows are added. Memory O(d²).
 */
export class DecayingRows implements Forgetting {
  readonly rows: number;
  readonly #halfLife: number;
  readonly #moments: ScaledMoments;
  /** Σw². */
  readonly #squares: number;

  constructor(halfLife: number, moments: Moments, squares = 0, rows = 0) {
    this.#halfLife = halfLife;
    this.#moments = moments instanceof ScaledMoments ? moments : ScaledMoments.from(moments);
    this.#squares = squares;
    this.rows = rows;
  }

  get cols(): number {
    return this.#moments.cols;
  }

  get effectiveRows(): number {
    const { weight } = this.#moments;
    return this.#squares > 0 ? (weight * weight) / this.#squares : 0;
  }

  async with({ source, weights: given, engine, progress, names }: ForgettingInput): Promise<DecayingRows> {
    const weights = rowWeights(given, source.rows);
    let moments = this.#moments.columnNames ? this.#moments : renamed(this.#moments, names);
    let squares = this.#squares;
    let rows = 0;
    progress.begin('covariance', source.rows, source.expectedRows);
    for await (const block of source.blocks()) {
      checkBlockWidth(block, source, rows);
      const own = weights.slice(rows, block.rows);
      const aged = new Float64Array(block.rows);
      const decay = 2 ** (-block.rows / this.#halfLife);
      squares *= decay * decay;
      for (let i = 0; i < block.rows; i++) {
        aged[i] = (own ? own[i] : 1) * 2 ** ((i + 1 - block.rows) / this.#halfLife);
        squares += aged[i] * aged[i];
      }
      // So many rows leave nothing of those before them.
      moments = decay > 0 ? moments.times(decay) : new ScaledMoments(this.cols, moments.columnNames);
      await moments.addBlock(block, aged, rows, engine, progress);
      rows += block.rows;
    }
    weights.end(rows);
    progress.end();
    await refuseChanged(source);
    return new DecayingRows(this.#halfLife, moments, squares, this.rows + rows);
  }

  async moments(): Promise<Moments> {
    const { effectiveRows } = this;
    const rows = Math.max(1, Math.min(this.#moments.rows, Math.round(effectiveRows)));
    return this.#moments.times(effectiveRows / this.#moments.weight, rows);
  }

  store(): { readonly facts: object; readonly sections: readonly Uint8Array[] } {
    return { facts: { squares: this.#squares, rows: this.rows }, sections: [this.#moments.toBinary()] };
  }

  static restore(
    halfLife: number,
    facts: Readonly<Record<string, unknown>>,
    [bytes]: readonly Uint8Array[],
  ): DecayingRows {
    const { squares, rows } = facts;
    const moments = Moments.fromBinary(bytes);
    if (!isPositive(squares) || !Number.isSafeInteger(rows)) throw damaged('stream');
    return new DecayingRows(halfLife, moments, squares as number, rows as number);
  }
}

function renamed(moments: ScaledMoments, names: readonly string[] | undefined): ScaledMoments {
  return moments.rows > 0 || !names ? moments : new ScaledMoments(moments.cols, names);
}

/** Some rows of a window, with their moments if all of them are there. */
interface Chunk {
  readonly values: Float64Array;
  readonly weights: Float64Array;
  readonly count: number;
  moments?: Moments;
}

/**
 * The last `window` rows, exactly. The rows are kept in chunks, with the moments of each full chunk. The moments of the window merge those
 * of its chunks and of the rows of the oldest chunk that are still inside; nothing is ever subtracted. Memory O(window·d).
 */
export class WindowRows implements Forgetting {
  readonly cols: number;
  readonly #window: number;
  readonly #names: readonly string[] | undefined;
  readonly #chunks: readonly Chunk[];
  /** Rows of the oldest chunk that have left the window. */
  readonly #gone: number;

  constructor(
    window: number,
    cols: number,
    names: readonly string[] | undefined,
    chunks: readonly Chunk[] = [],
    gone = 0,
  ) {
    this.#window = window;
    this.cols = cols;
    this.#names = names;
    this.#chunks = chunks;
    this.#gone = gone;
  }

  /** Rows of a full chunk: few chunks to merge, and few rows of the oldest one to sum up again. */
  get #height(): number {
    return Math.max(1, Math.min(4096, Math.ceil(this.#window / 32)));
  }

  get rows(): number {
    return this.#chunks.reduce((sum, { count }) => sum + count, 0) - this.#gone;
  }

  get effectiveRows(): number {
    let [sum, squares] = [0, 0];
    this.#chunks.forEach(({ weights, count }, c) => {
      for (let i = c === 0 ? this.#gone : 0; i < count; i++) {
        sum += weights[i];
        squares += weights[i] * weights[i];
      }
    });
    return squares > 0 ? (sum * sum) / squares : 0;
  }

  async with({ source, weights: given, progress, names }: ForgettingInput): Promise<WindowRows> {
    const weights = rowWeights(given, source.rows);
    const { cols } = this;
    const height = this.#height;
    const chunks = [...this.#chunks];
    let rows = 0;
    progress.begin('window', source.rows, source.expectedRows);
    for await (const block of source.blocks()) {
      checkBlockWidth(block, source, rows);
      await progress.follow(checkFinite(block, rows, names));
      const own = weights.slice(rows, block.rows);
      const values = denseValues(block);
      for (let from = 0; from < block.rows; ) {
        let last = chunks.at(-1);
        if (!last || last.count === height) {
          last = { values: new Float64Array(height * cols), weights: new Float64Array(height), count: 0 };
          chunks.push(last);
        }
        const some = Math.min(height - last.count, block.rows - from);
        // Rows behind `count` belong to nobody yet, unless an earlier call that failed wrote them.
        last.values.set(values.subarray(from * cols, (from + some) * cols), last.count * cols);
        for (let i = 0; i < some; i++) last.weights[last.count + i] = own ? own[from + i] : 1;
        chunks[chunks.length - 1] = { values: last.values, weights: last.weights, count: last.count + some };
        from += some;
      }
      rows += block.rows;
    }
    weights.end(rows);
    progress.end();
    await refuseChanged(source);
    let gone = this.#gone + Math.max(0, this.rows + rows - this.#window);
    while (chunks.length > 0 && gone >= chunks[0].count) gone -= (chunks.shift() as Chunk).count;
    return new WindowRows(this.#window, cols, this.#names ?? names, chunks, gone);
  }

  async moments(engine: Engine, progress: ProgressTracker): Promise<Moments> {
    const whole = new ScaledMoments(this.cols, this.#names);
    const height = this.#height;
    for (const [c, chunk] of this.#chunks.entries()) {
      const from = c === 0 ? this.#gone : 0;
      if (from === 0 && chunk.count === height) {
        chunk.moments ??= await this.#sum(chunk, 0, engine, progress);
        whole.merge(chunk.moments);
      } else whole.merge(await this.#sum(chunk, from, engine, progress));
    }
    const { effectiveRows } = this;
    return whole.weight === effectiveRows ? whole : whole.times(effectiveRows / whole.weight);
  }

  async #sum(
    { values, weights, count }: Chunk,
    from: number,
    engine: Engine,
    progress: ProgressTracker,
  ): Promise<Moments> {
    const { cols } = this;
    const data = values.subarray(from * cols, count * cols);
    const block: DenseBlock = { kind: 'dense', rows: count - from, cols, stride: cols, data };
    const moments = new Moments(cols, this.#names);
    const own = weights.subarray(from, count);
    await moments.addBlock(block, own.every((weight) => weight === 1) ? undefined : own, 0, engine, progress);
    return moments;
  }

  store(): { readonly facts: object; readonly sections: readonly Uint8Array[] } {
    const counts = this.#chunks.map(({ count }) => count);
    const sections = this.#chunks.flatMap(({ values, weights, count }) => [
      bytesOf(values.subarray(0, count * this.cols)),
      bytesOf(weights.subarray(0, count)),
    ]);
    return { facts: { cols: this.cols, gone: this.#gone, counts }, sections };
  }

  static restore(
    window: number,
    facts: Readonly<Record<string, unknown>>,
    sections: readonly Uint8Array[],
    names: readonly string[] | undefined,
  ): WindowRows {
    const { cols, gone, counts } = facts as { cols: number; gone: number; counts: number[] };
    const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
    const valid = isCount(cols) && cols > 0 && isCount(gone) && Array.isArray(counts) && counts.every(isCount);
    if (!valid || sections.length !== 2 * counts.length) throw damaged('stream');
    const height = new WindowRows(window, cols, names).#height;
    const chunks = counts.map((count, c): Chunk => {
      const [values, weights] = [numbersOf(sections[2 * c]), numbersOf(sections[2 * c + 1])];
      if (count > height || values.length !== count * cols || weights.length !== count) throw damaged('stream');
      const room = { values: new Float64Array(height * cols), weights: new Float64Array(height), count };
      room.values.set(values);
      room.weights.set(weights);
      return room;
    });
    if (gone > (counts[0] ?? 0)) throw damaged('stream');
    return new WindowRows(window, cols, names, chunks, gone);
  }
}

function denseValues(block: Block): Float64Array {
  if (block.kind === 'sparse') return Float64Array.from(packedRows(block));
  const { rows, cols, stride, data } = decoded(block);
  const values = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) values[i * cols + j] = data[i * stride + j];
  return values;
}

/** Numbers as bytes, little-endian. */
function bytesOf(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setFloat64(8 * i, value, true);
  });
  return bytes;
}

function numbersOf(bytes: Uint8Array): Float64Array {
  if (bytes.length % 8 !== 0) throw damaged('stream');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
