import { DataError, type Engine, EngineError } from '@scree/core';
import type { Scaler } from '@scree/core/data';
import { type ColumnStatistics, emptyStatistics, mergeScatter, mergeStatistics } from '@scree/core/data';
import type { LoadedBlock, OnStep, RemoteRows, RowsAt, Streaming } from '@scree/core/engine';
import { FileError } from '@scree/files';
import type { RemoteRequest } from '@scree/files/platform';
import { CHUNK, CHUNKS, EXECUTOR_PASSES } from './executor-passes.js';
import {
  assembleParts,
  piecesOf,
  RESULT_JSON,
  RESULT_NAMES,
  RESULT_TYPE,
  type VectorPiece,
} from './executor-results.js';
import { column, type Encoded, mapInArrow, partitionedBy, planOf } from './messages.js';
import { packParameters, pickledFunction } from './pickle.js';
import { NoPythonError } from './spark-error.js';
import type { SparkSession, TaskCounts } from './spark-session.js';

/** Unit roundoff of float64. */
const U = 2 ** -53;
/**
 * From this number of columns on, a first pass computes the means and a second one the products about the means. These products are plain sums, which executors
 * can add up, and the number of parts is known before they are sent.
 */
const TWO_PASSES = 512;
/** Share of the memory for all parts of a result. If the parts take more, executors add them up. */
const PARTS_SHARE = 1 / 4;
/** Tasks that add up parts. */
const ADDING_TASKS = 16;
/** Milliseconds between two checks for an abort while the executors compute. */
const HEARTBEAT = 200;

/** Speed of an executor's core, in billions per second, and seconds to start Python there. Measured with fits of 1,000,000 × 20 and × 100 numbers with Spark 4.3 on two cores. */
const CORE = { products: 8, reading: 0.015 };
const START_SECONDS = 2.5;
/** The same for rows that are sent here. */
const STREAMING: Streaming = { reading: 0.012, start: 1 };

/** The rows of a table on Spark, as input of our Python. */
export interface ExecutorInput {
  readonly session: SparkSession;
  /** A relation with the columns that are read, in their order. */
  readonly relation: Encoded;
  /** For each of these columns −1 for a number, or the length of its lists. */
  readonly lengths: readonly number[];
  readonly take: readonly number[] | undefined;
  readonly cols: number;
  readonly memory: number;
  readonly cores: number;
  readonly signal: AbortSignal | undefined;
  /** Rows of the table, if they were counted. */
  readonly rows: number | undefined;
  /** Called with the count of whole numbers per column that were rounded to float64. */
  onRounded(counts: Float64Array): void;
}

/** A pass on the executors and its parameters. */
interface Pass {
  readonly pass: 'means' | 'moments' | 'sums';
  readonly scatter?: boolean;
  readonly numbers: Readonly<Record<string, Float64Array>>;
}

/** The engine whose passes run on Spark's executors, and its rows. `local` computes everything that needs no rows. */
export function sparkRows(input: ExecutorInput, request: RemoteRequest, local: Engine): RemoteRows {
  const rows = new SparkRows(input, request);
  // Precision and speed of this machine do not apply to the executors.
  const { float32: _, machineRates: __, ...own } = local;
  const { cores } = input;
  const executors: Engine = {
    ...own,
    name: 'spark',
    remote: true,
    skipsZeros: false,
    rates: {
      ...local.rates,
      products: cores * CORE.products,
      reading: cores * CORE.reading,
      start: START_SECONDS,
    },
    // Sums in any order over at most CHUNK rows (or over d columns in a product with vectors), then over chunks and parts.
    roundoff: (n, d) => U * (d + Math.min(n, CHUNK) + rows.sums + 8),
  };
  return { engine: 'spark', executors, load: () => rows, streaming: STREAMING };
}

class SparkRows implements LoadedBlock {
  readonly cols: number;
  rows = 0;
  /** Length of the longest chain of additions: chunks of a part, then parts. */
  sums = 0;
  readonly #input: ExecutorInput;
  readonly #request: RemoteRequest;
  #parts = 0;
  #fill: Float64Array | undefined;

  constructor(input: ExecutorInput, request: RemoteRequest) {
    this.#input = input;
    this.#request = request;
    this.cols = input.cols;
  }

  async summarise(_at: RowsAt, scatter: Float64Array | undefined, onStep: OnStep): Promise<ColumnStatistics> {
    const { cols: d } = this;
    const together = scatter !== undefined && d < TWO_PASSES;
    const stats = emptyStatistics(d);
    const read = {
      read: 0,
      incomplete: 0,
      rows: 0,
      gaps: new Float64Array(d),
      infinite: new Float64Array(d),
      rounded: new Float64Array(d),
    };
    const part = together ? new Float64Array(d * d) : undefined;
    const longest = 5 + 9 * d + (together ? (d * (d + 1)) / 2 : 0);
    let [merges, parts] = [0, 0];
    const pieces = this.#run({ pass: 'moments', scatter: together, numbers: {} }, onStep);
    for await (const vector of assembleParts(pieces, longest, PARTS_SHARE * this.#input.memory)) {
      parts++;
      const more = emptyStatistics(d);
      merges = Math.max(merges, unpackMoments(vector, d, read, more, part));
      if (more.rows === 0) continue;
      const merged = mergeStatistics(stats, more);
      if (scatter && part) mergeScatter(scatter, part, merged);
    }
    // Counts are checked before they are used.
    this.#request.onRead(read);
    this.#input.onRounded(read.rounded);
    this.#parts = parts;
    // A number is rounded in every merge of its part, and in every merge of parts.
    stats.merges = merges + parts;
    this.sums = stats.merges + CHUNKS;
    this.rows = stats.rows;
    if (scatter && !together) {
      await this.gram({ shift: stats.mean, factor: stats.unit.map((unit) => 1 / unit) }, scatter, onStep);
      for (let j = 0; j < d; j++) stats.spread[j] = scatter[j * d + j];
    }
    return stats;
  }

  async gram(frame: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    const { cols: d } = this;
    const triangle = await this.#sums(frame, undefined, (d * (d + 1)) / 2, onStep);
    for (let i = 0, at = 0; i < d; i++) for (let j = i; j < d; j++) scatter[i * d + j] += triangle[at++];
  }

  async normal(frame: Scaler, vectors: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    const product = await this.#sums(frame, vectors.subarray(0, k * this.cols), k * this.cols, onStep);
    for (let at = 0; at < product.length; at++) out[at] += product[at];
  }

  multiply(): never {
    throw rowsElsewhere();
  }

  multiplyTransposed(): never {
    throw rowsElsewhere();
  }

  dual(): never {
    throw rowsElsewhere();
  }

  release(): void {}

  /** Sums of products over all rows. Throws if the number of rows has changed. */
  async #sums(
    { shift, factor }: Scaler,
    vectors: Float64Array | undefined,
    length: number,
    onStep: OnStep,
  ): Promise<Float64Array> {
    const out = new Float64Array(length + 2);
    const adding = this.#parts * (length + 2) * 8 > PARTS_SHARE * this.#input.memory;
    const numbers = { shift, factor, ...(vectors ? { vectors } : {}) };
    for await (const { at, numbers: piece } of this.#run({ pass: 'sums', numbers }, onStep, adding)) {
      for (let i = 0; i < piece.length && at + i < out.length; i++) out[at + i] += piece[i];
    }
    const [rows, chunks] = out;
    if (rows !== this.rows) {
      throw new DataError(
        'SOURCE_CHANGED',
        `The table had ${this.rows} rows when it was first read and ${rows} now. Do not change data while they are fitted, and use no query whose result changes.`,
        { value: rows, expected: this.rows },
      );
    }
    this.sums = Math.max(this.sums, chunks + this.#parts);
    return out.subarray(2);
  }

  /** Runs a pass and yields its pieces as they arrive. With `adding`, executors first add up the pieces of the same place. */
  async *#run(pass: Pass, onStep: OnStep, adding = false): AsyncGenerator<VectorPiece, void, void> {
    const { session, relation, lengths, take, signal } = this.#input;
    const { missing } = this.#request;
    const fills = missing === 'mean' && pass.pass !== 'means';
    if (fills) this.#fill ??= await this.#means(onStep);
    const numbers = { ...pass.numbers, ...(fills && this.#fill ? { fill: this.#fill } : {}) };
    const head = {
      pass: pass.pass,
      lengths,
      take: take ?? null,
      missing: fills ? 'fill' : missing,
      scatter: pass.scatter ?? false,
      numbers: Object.entries(numbers).map(([name, values]) => [name, values.length]),
    };
    const mapped = mapInArrow(
      relation,
      lengths.map((_, j) => `n${j}`),
      pythonFunction(session, head, Object.values(numbers)),
    );
    const added = adding
      ? mapInArrow(
          partitionedBy(mapped, column('place'), ADDING_TASKS),
          RESULT_NAMES,
          pythonFunction(session, { pass: 'add', numbers: [] }, []),
        )
      : mapped;
    const stop = new AbortController();
    const signals = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const steps = stepsOf(this.rows || this.#input.rows, onStep);
    const batches = session.execute(planOf(added), { signal: signals, doing: 'computing', onTasks: steps.onTasks });
    try {
      yield* piecesOf(watched(batches, steps.step, stop), session.path);
    } catch (error) {
      throw error instanceof NoPythonError ? otherExecutor(session.path, error.message) : error;
    }
    await steps.end();
  }

  /** Means of the values that are not missing, to fill in the missing ones. */
  async #means(onStep: OnStep): Promise<Float64Array> {
    const { fill } = this.#request;
    if (fill) return Float64Array.from(fill);
    const { cols: d } = this;
    const count = new Float64Array(d);
    const mean = new Float64Array(d);
    const pieces = this.#run({ pass: 'means', numbers: {} }, onStep);
    for await (const vector of assembleParts(pieces, 1 + 3 * d, PARTS_SHARE * this.#input.memory)) {
      for (let j = 0; j < d; j++) {
        if (vector[j] === 0) continue;
        count[j] += vector[j];
        mean[j] += ((vector[d + j] - mean[j]) * vector[j] + vector[2 * d + j]) / count[j];
      }
    }
    const j = count.indexOf(0);
    if (j < 0) return mean;
    throw new DataError(
      'MISSING_VALUES',
      `Column ${j + 1} has no value at all, so it has no mean. Leave it out with exclude.`,
      { column: j, reason: 'empty-column' },
    );
  }
}

/** Returns our Python with these parameters as a function for Spark. */
export function pythonFunction(
  session: SparkSession,
  head: object,
  numbers: readonly Float64Array[],
  { type, json } = { type: RESULT_TYPE, json: RESULT_JSON },
): { type: Encoded; command: Uint8Array; python: string } {
  const command = pickledFunction(EXECUTOR_PASSES, packParameters(head, numbers), json);
  return { type, command, python: session.python };
}

/** Reads the result of the pass `moments` for a partition. Returns the number of batches that were merged into it. */
function unpackMoments(
  vector: Float64Array,
  d: number,
  read: {
    read: number;
    incomplete: number;
    rows: number;
    gaps: Float64Array;
    infinite: Float64Array;
    rounded: Float64Array;
  },
  stats: ColumnStatistics,
  scatter: Float64Array | undefined,
): number {
  const [all, incomplete, rows, merges] = vector;
  read.read += all;
  read.incomplete += incomplete;
  read.rows += rows;
  let at = 4;
  const next = (): Float64Array => {
    at += d;
    return vector.subarray(at - d, at);
  };
  for (const counts of [read.gaps, read.infinite, read.rounded]) {
    const more = next();
    for (let j = 0; j < d; j++) counts[j] += more[j];
  }
  if (rows === 0) return merges;
  stats.rows = rows;
  stats.weight = rows;
  for (const name of ['min', 'max', 'mean', 'meanRest', 'unit', 'spread'] as const) stats[name].set(next());
  if (scatter) for (let i = 0; i < d; i++) for (let j = i; j < d; j++) scatter[i * d + j] = vector[at++];
  return merges;
}

/** Progress in rows, estimated from the share of Spark's tasks that are done. */
function stepsOf(
  rows: number | undefined,
  onStep: OnStep,
): { onTasks(tasks: TaskCounts): void; step(): void | Promise<void>; end(): Promise<void> } {
  let [told, known] = [0, 0];
  const step = (): void | Promise<void> => {
    const more = known - told;
    told = known;
    return onStep(more);
  };
  return {
    onTasks: ({ done, total }) => {
      if (rows && total > 0) known = Math.max(known, Math.floor((rows * done) / total));
    },
    step,
    end: async () => {
      known = rows ?? 0;
      await step();
    },
  };
}

/** Yields batches as they arrive. Calls `step` while it waits, and interrupts the operation if `step` throws. */
async function* watched(
  batches: AsyncGenerator<Uint8Array, void, void>,
  step: () => void | Promise<void>,
  stop: AbortController,
): AsyncGenerator<Uint8Array, void, void> {
  for (;;) {
    const next = batches.next();
    for (let waiting = true; waiting; ) {
      let timer: NodeJS.Timeout | undefined;
      const heartbeat = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, HEARTBEAT);
      });
      await Promise.race([
        next.then(() => {
          waiting = false;
        }),
        heartbeat,
      ]).finally(() => clearTimeout(timer));
      try {
        await step();
      } catch (error) {
        stop.abort(error);
        await next.catch(() => {});
        throw error;
      }
    }
    const { done, value } = await next;
    if (done) return;
    yield value;
  }
}

function rowsElsewhere(): EngineError {
  return new EngineError(
    'UNSUPPORTED',
    'These rows are on Spark, and this pass returns rows. Read them here instead: use engine wasm.',
  );
}

/** Some executors lack a package that others have. */
function otherExecutor(path: string, why: string): FileError {
  const message = `${path} could not compute: ${why}, but at least one executor has it. Install numpy and pyarrow on all of them, or read the rows here: engine wasm.`;
  return new FileError('UNSUPPORTED', path, message);
}
