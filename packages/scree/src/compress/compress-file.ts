import { deflateRawSync } from 'node:zlib';
import { DataError, type Model, type NumberArray, OptionError, type Progress, type RowSource } from '@scree/core';
import { checkFinite, type DenseBlock, decodeHalf, MemoryBudget, refuseChanged } from '@scree/core/data';
import { describeValue, ProgressTracker } from '@scree/core/pipeline';
import { AtomicFile } from '../disk/atomic-file.js';
import { isStoredType, roundToType, STORED_TYPES, type StoredType, storedTypeOf } from '../disk/stored-type.js';
import { evenBlocks } from './even-blocks.js';
import { checkSection, END, type Header, LIST_HEAD, MAGIC, rowsPerBlock, START, TAIL, VERSION } from './format.js';
import { packLines } from './integers.js';
import { ModelProducts, productEngine } from './products.js';
import { QUANTISERS, type Quantiser, roundScores, unroundScores } from './quantise.js';
import { SECTION_HEAD, section } from './section.js';
import { storedDeviations, storeModel, totalDeviation } from './stored-model.js';
import { SumOfSquares } from './sum-of-squares.js';

/** Options of `compressFile`. */
export interface CompressOptions {
  readonly source: RowSource;
  /** The model that rows are projected on, usually fitted to these rows. */
  readonly model: Model;
  readonly path: string;
  /** How scores are rounded. Default `'uniform'`. */
  readonly quantise?: Quantiser | undefined;
  /**
   * Variance that rounding the scores may add to the error with `'uniform'`, as a share of the total. Default: a tenth of
   * the share that the model leaves out, and at least 1e-4.
   */
  readonly noise?: number | undefined;
  readonly columnNames?: readonly string[] | undefined;
  /** The type of the rows when they are read back. Default: the type of the source. */
  readonly dtype?: StoredType | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number | undefined;
  /** Bytes that compressing may take. With little memory, blocks are smaller. Default: blocks of 16 MB. */
  readonly memory?: number | undefined;
}

/** The compressed file. Errors are those of the rows that will be read back. */
export interface Compressed {
  readonly rows: number;
  readonly cols: number;
  readonly k: number;
  readonly dtype: StoredType;
  readonly quantise: Quantiser;
  /** Size of the file, and of the model in it. */
  readonly bytes: number;
  readonly modelBytes: number;
  /** Bytes of the uncompressed numbers: rows × cols × bytes of their type. */
  readonly original: number;
  /** original / bytes. */
  readonly ratio: number;
  /** √(Σ(x − x̂)²/(rows·cols)), in the units of the data. */
  readonly rmsError: number;
  /** √(Σ‖x − x̂‖²/Σ‖x − mean‖²): 0 is lossless, 1 is as bad as the mean. */
  readonly relativeError: number;
}

/** By default rounding adds at least this share of the total variance: about as much as 255 steps per component do. */
const MIN_NOISE = 1e-4;
/** By default rounding adds a tenth of the variance that the model leaves out, so the error grows by a twentieth. */
const NOISE_SHARE = 0.1;
/** Approximate share of the variance that `int8` and `float16` add. The rounding of the components depends on it. */
const NOISE = { int8: 1e-4, float16: 4e-8 } as const;

/** Copies of a block: as it was read, gathered, decoded again and in the engine, its scores, and its packed scores with those of the block before. */
const BLOCK_COPIES = 6;

/**
 * Writes rows as a model and their rounded scores. The source is read once, block by block, so data may be larger than memory.
 * The file is written under a temporary name and renamed when it is complete.
 */
export async function compressFile(options: CompressOptions): Promise<Compressed> {
  const { source, model, path, threads, memory } = options;
  const quantise = checkOptions(options);
  if (model.origin) {
    throw new OptionError(
      'BAD_OPTION',
      'A compressed file needs a model that was fitted to rows. Fit one to the rows that you compress.',
      { option: 'model', value: model.origin },
    );
  }
  const progress = new ProgressTracker(options);
  if (source.cols !== model.d) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `These rows have ${source.cols} columns, but the model was fitted to ${model.d}. Pass the same columns in the same order.`,
      { value: source.cols, expected: model.d },
    );
  }
  const engine = await productEngine(threads);
  const file = await AtomicFile.create(path);
  try {
    const writer = new CompressedWriter(file, model, { ...options, quantise }, progress, engine);
    progress.begin('compressing', source.rows, source.expectedRows);
    const budget = new MemoryBudget(memory ?? Number.POSITIVE_INFINITY);
    const bytes = (budget.share('blocks') + budget.share('results')) / BLOCK_COPIES;
    const rows = rowsPerBlock(model.k, model.d, bytes);
    for await (const block of evenBlocks(source, rows, progress)) await writer.write(block);
    const compressed = await writer.end();
    await refuseChanged(source);
    progress.end();
    await file.close();
    return compressed;
  } catch (error) {
    await file.abort();
    throw error;
  } finally {
    await source.close?.();
  }
}

type Checked = CompressOptions & { readonly quantise: Quantiser };

class CompressedWriter {
  readonly #file: AtomicFile;
  readonly #model: Model;
  readonly #options: Checked;
  readonly #names: readonly string[] | undefined;
  readonly #progress: ProgressTracker;
  readonly #engine: Awaited<ReturnType<typeof productEngine>>;
  readonly #step: number;
  readonly #noise: number;
  readonly #error = new SumOfSquares();
  readonly #spread = new SumOfSquares();
  readonly #blocks: [rows: number, bytes: number][] = [];
  #products: ModelProducts | undefined;
  #mean: Float64Array;
  #dtype: StoredType | undefined;
  #type: StoredType | undefined;
  #exact = new Float64Array(0);
  #rows = 0;
  #bytes = START;
  #modelBytes = 0;
  /** Write of the previous block, still in progress. */
  #pendingWrite: Promise<void> = Promise.resolve();

  constructor(
    file: AtomicFile,
    model: Model,
    options: Checked,
    progress: ProgressTracker,
    engine: Awaited<ReturnType<typeof productEngine>>,
  ) {
    this.#file = file;
    this.#model = model;
    this.#options = options;
    this.#names = options.columnNames ?? model.columnNames ?? options.source.columnNames;
    this.#progress = progress;
    this.#engine = engine;
    this.#mean = model.mean;
    this.#noise = options.quantise === 'uniform' ? (options.noise ?? defaultNoise(model)) : NOISE[options.quantise];
    this.#step = options.quantise === 'uniform' ? stepOf(model, this.#noise) : 0;
  }

  async write(block: DenseBlock): Promise<void> {
    const { k } = this.#model;
    const { quantise } = this.#options;
    const products = await this.#begin(block);
    const values = block.half ? decodeHalf(block.data) : block.data;
    if (values instanceof Float32Array || values instanceof Float64Array) {
      await this.#progress.follow(checkFinite(block, this.#rows, this.#names));
    }
    const scores = await products.scores(block);
    const rounded = roundScores(scores, k, quantise, this.#step, this.#rows);
    const back = await products.rows(unroundScores(rounded, quantise, this.#step));
    roundToType(back, this.#dtype as StoredType);
    this.#measure(block, values, back);
    this.#rows += block.rows;
    const packed = packLines(rounded);
    await this.#pendingWrite;
    this.#pendingWrite = this.#append(block.rows, rounded.scales, packed);
    // An error is thrown when the next block is written, or at the end.
    this.#pendingWrite.catch(() => {});
    const pause = this.#progress.step(block.rows);
    if (pause) await pause;
  }

  async end(): Promise<Compressed> {
    if (this.#rows === 0) throw new DataError('EMPTY_DATA', 'There are no rows to compress.');
    await this.#pendingWrite;
    const { k, d: cols } = this.#model;
    const dtype = this.#dtype as StoredType;
    const [rmsError, spread] = [this.#error.root / Math.sqrt(this.#rows * cols), this.#spread.root];
    const relativeError = spread > 0 ? this.#error.root / spread : this.#error.root > 0 ? 1 : 0;
    const list = Buffer.alloc(LIST_HEAD + 8 * this.#blocks.length);
    list.writeDoubleLE(this.#rows, 0);
    list.writeDoubleLE(rmsError, 8);
    list.writeDoubleLE(relativeError, 16);
    this.#blocks.forEach(([rows, bytes], i) => {
      list.writeUInt32LE(rows, LIST_HEAD + 8 * i);
      list.writeUInt32LE(bytes, LIST_HEAD + 8 * i + 4);
    });
    const tail = Buffer.alloc(TAIL);
    tail.writeUInt32LE(list.length, 0);
    tail.write(END, 4, 'latin1');
    await this.#section(list, 'The list of blocks');
    await this.#file.append(tail);
    const bytes = this.#bytes + TAIL;
    const original = this.#rows * cols * STORED_TYPES[dtype].bytes;
    return {
      rows: this.#rows,
      cols,
      k,
      dtype,
      quantise: this.#options.quantise,
      bytes,
      modelBytes: this.#modelBytes,
      original,
      ratio: original / bytes,
      rmsError,
      relativeError,
    };
  }

  /** Writes header and model before the first block. The type of that block is the type of the rows. */
  async #begin(block: DenseBlock): Promise<ModelProducts> {
    const type = storedTypeOf(block);
    if (this.#products) {
      if (type !== this.#type && !this.#options.dtype) {
        throw new DataError(
          'BAD_DATA',
          `Rows up to ${this.#rows} are stored as ${this.#type}, later rows as ${type}. Choose one type with dtype.`,
          { row: this.#rows, value: type, expected: this.#type },
        );
      }
      return this.#products;
    }
    this.#type = type;
    const dtype = this.#options.dtype ?? type;
    this.#dtype = dtype;
    const stored = await storeModel(this.#model, this.#noise, dtype, this.#engine);
    this.#mean = stored.basis.mean;
    const header: Header = {
      format: 'scree-compressed',
      cols: this.#model.d,
      k: this.#model.k,
      dtype,
      quantise: this.#options.quantise,
      step: this.#step,
      ...(this.#names ? { columnNames: this.#names } : {}),
      model: stored.metadata,
    };
    const start = Buffer.alloc(START);
    start.write(MAGIC, 0, 'latin1');
    start.writeUInt32LE(VERSION, 8);
    await this.#file.append(start);
    await this.#section(deflateRawSync(JSON.stringify(header)), 'The header');
    await this.#section(stored.bytes, 'The model');
    this.#modelBytes = this.#bytes - START;
    this.#products = new ModelProducts(stored.basis, this.#engine, () => this.#progress.yieldToEventLoop());
    return this.#products;
  }

  async #append(rows: number, scales: Uint32Array, packed: Promise<Uint8Array>): Promise<void> {
    const payload = Buffer.concat([new Uint8Array(scales.buffer, 0, scales.byteLength), await packed]);
    this.#blocks.push([rows, payload.length]);
    await this.#section(payload, 'A block of rows');
  }

  async #section(payload: Uint8Array, what: string): Promise<void> {
    checkSection(payload.length, what);
    await this.#file.append(section(payload));
    this.#bytes += SECTION_HEAD + payload.length;
  }

  /** Adds up the squared errors of the rows and their squared distances from the mean. Overwrites `back`. */
  #measure({ rows, cols, stride }: DenseBlock, values: NumberArray, back: Float64Array): void {
    const mean = this.#mean;
    if (this.#exact.length !== back.length) this.#exact = new Float64Array(back.length);
    const exact = this.#exact;
    for (let i = 0; i < rows; i++) exact.set(values.subarray(i * stride, i * stride + cols), i * cols);
    for (let i = 0; i < exact.length; i++) back[i] = exact[i] - back[i];
    this.#error.add(back);
    for (let i = 0, at = 0; i < rows; i++) for (let j = 0; j < cols; j++, at++) exact[at] -= mean[j];
    this.#spread.add(exact);
  }
}

function checkOptions({ quantise = 'uniform', noise, dtype, columnNames, model }: CompressOptions): Quantiser {
  const bad = (option: string, value: unknown, must: string): OptionError =>
    new OptionError('BAD_OPTION', `${option} must be ${must}, not ${describeValue(value)}.`, { option, value });
  if (!QUANTISERS.includes(quantise))
    throw bad('quantise', quantise, QUANTISERS.map((name) => `'${name}'`).join(' or '));
  if (noise !== undefined && !(noise >= 1e-12 && noise <= 1)) throw bad('noise', noise, 'a number from 1e-12 to 1');
  if (noise !== undefined && quantise !== 'uniform')
    throw bad('noise', noise, `left out with quantise '${quantise}', which has steps of its own`);
  if (dtype !== undefined && !isStoredType(dtype))
    throw bad('dtype', dtype, `one of ${Object.keys(STORED_TYPES).join(', ')}`);
  if (columnNames && columnNames.length !== model.d)
    throw bad('columnNames', columnNames.length, `${model.d} names, one per column`);
  return quantise;
}

/** A tenth of the variance that the model leaves out, as a share of the total variance. */
function defaultNoise(model: Model): number {
  const kept = Math.hypot(...storedDeviations(model)) / totalDeviation(model);
  return Math.min(1, Math.max(MIN_NOISE, NOISE_SHARE * (1 - kept * kept) || 0));
}

/** The step of `uniform`. Rounding to a step adds step²/12 to the variance of each of k components. */
function stepOf(model: Model, noise: number): number {
  const step = totalDeviation(model) * Math.sqrt((12 * noise) / model.k);
  if (step > 0 && Number.isFinite(step)) return step;
  // Without variance: a step far below the size of the data.
  return (model.mean.reduce((most, value, j) => Math.max(most, Math.abs(value / model.scale[j])), 0) || 1) * 2 ** -30;
}
