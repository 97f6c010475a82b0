import { type ControlOptions, checkControl } from './base/control.js';
import { Printable } from './base/inspect.js';
import { keepAlive } from './base/keep-alive.js';
import { WIDEST_SCATTER } from './base/limits.js';
import { ProgressTracker } from './base/progress.js';
import { suggestOption } from './base/suggest-option.js';
import { refuseChanged } from './data/blocks/changes.js';
import type { RowSource } from './data/blocks/row-source.js';
import { matrixSource } from './data/inputs/memory-source.js';
import { type Data, openSource } from './data/inputs/open-source.js';
import { empty, isMatrix } from './data/inputs/to-block.js';
import { rowWeights } from './data/statistics/weights.js';
import { cutOff, damaged, readContainerHeader, readSections, writeContainer } from './data/storage/container.js';
import { readerOf } from './data/storage/format-version.js';
import { chooseEngine } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { DataError, describeValue, OptionError } from './errors.js';
import type { Forgetting } from './fit/forgetting.js';
import { Moments } from './fit/moments.js';
import { axesWithoutVariance, makeProblem } from './fit/problem.js';
import { addAllRows } from './fit/reading.js';
import { finish } from './model/finish.js';
import { loadDataWarnings } from './model/load-data-warnings.js';
import type { Model } from './model/model.js';
import { checkColumnOptions, checkOptions, type PcaOptions, plannedCount, type Settings } from './options.js';
import { pca } from './pca.js';
import { planFor } from './plan.js';
import type { Sketch } from './solvers/sketch/sketch.js';
import { sketchSize } from './solvers/sketch/sketch-options.js';
import type { Warning } from './warning.js';

/** Options with the same meaning as in `pca`. */
const SHARED = [
  'k',
  'center',
  'scale',
  'columnWeights',
  'whiten',
  'ddof',
  'columnNames',
  'engine',
  'threads',
  'seed',
] as const;

/** The letters and the version of the format that `toBinary` writes. */
const LETTERS = 'SCREESTR';
const VERSION = 1;
/** The version of streams that forget, which older programs do not know. */
const FORGETTING_VERSION = 2;
const WHAT = 'stream';

const RULES = ['auto', 'moments', 'incremental', 'frequent-directions'] as const;

/** Options of `stream`. */
export interface StreamOptions extends Pick<PcaOptions, (typeof SHARED)[number]> {
  /**
   * The summary of the rows that the stream keeps: their `'moments'` (exact, d × d numbers), or a sketch of `size` rows, by
   * `'incremental'` SVD or by `'frequent-directions'`. Default `'auto'`: moments for up to 2896 columns, incremental SVD for
   * more.
   */
  readonly rule?: (typeof RULES)[number] | undefined;
  /** Rows of the sketch. Default 2k + 10. If k is a fraction of the variance, the sketch must contain that fraction. */
  readonly size?: number | undefined;
  /** Forgets exponentially: the weight of a row halves with every `halfLife` rows that follow it. Keeps moments. */
  readonly halfLife?: number | undefined;
  /** Only the last `window` rows count, exactly. Keeps these rows, and moments of parts of them. */
  readonly window?: number | undefined;
}

/** How rows are added to a stream. */
export interface StreamAddOptions extends ControlOptions {
  /** One weight per added row. */
  readonly weights?: ArrayLike<number> | undefined;
}

/**
 * Components of rows that arrive over time and are not kept: `add` rows, get a `model` at any time, add more rows. Memory does
 * not grow with the number of rows.
 *
 * ```ts
 * const s = stream({ k: 5 });
 * for (const batch of batches) await s.add(batch);
 * const model = await s.model();
 * ```
 */
export function stream(options: StreamOptions = {}): Stream {
  return new Stream(options);
}

/** Components of rows that arrive over time: see `stream`. */
export class Stream extends Printable {
  readonly #given: StreamOptions;
  readonly #settings: Settings;
  readonly #rule: NonNullable<StreamOptions['rule']>;
  readonly #size: number | undefined;
  readonly #halfLife: number | undefined;
  readonly #window: number | undefined;
  #kept: Kept | undefined;
  #names: readonly string[] | undefined;
  #revision = 0;
  /** The last call. Calls run one after the other, in the order of the calls. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: StreamOptions = {}) {
    super();
    const { rule = 'auto', size, halfLife, window, ...shared } = checkNames(options);
    checkOwn('rule', rule, RULES.map((name) => `'${name}'`).join(', '), RULES.includes(rule));
    checkOwn('size', size, 'a whole number from 2 up', size === undefined || (Number.isSafeInteger(size) && size >= 2));
    if (rule === 'moments' && size !== undefined) {
      throw new OptionError('BAD_OPTION', "size is for sketches, and the rule is 'moments'. Leave it out.", {
        option: 'size',
      });
    }
    checkForgetting(rule, halfLife, window);
    this.#halfLife = halfLife;
    this.#window = window;
    this.#given = options;
    this.#settings = checkOptions(shared);
    sketchSize(plannedCount(this.#settings.k), Number.POSITIVE_INFINITY, size);
    this.#rule = rule;
    this.#size = size;
    this.#names = this.#settings.columnNames;
  }

  /** Number of rows that were added, without rows of weight 0; of a window, the rows in it. */
  get rows(): number {
    const kept = this.#kept;
    return kept === undefined ? 0 : 'columns' in kept ? kept.columns.rows : kept.rows;
  }

  /** Number of calls that changed the rows: a model of the same revision is still up to date. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * The number of rows of equal weight that have the same sampling error as the rows that the stream remembers, (Σw)²/Σw². Limits of
   * `monitor` use it. With a half-life it tends to 2.885 times the half-life.
   */
  get effectiveRows(): number {
    const kept = this.#kept;
    return kept === undefined ? 0 : 'effectiveRows' in kept ? kept.effectiveRows : kept.columns.weight;
  }

  /** Number of columns; undefined before the first row. */
  get cols(): number | undefined {
    return this.#kept?.cols;
  }

  /** Adds rows in any form that `pca` accepts. Adds all rows, or none if it throws. */
  async add(data: Data, options: StreamAddOptions = {}): Promise<this> {
    // A matrix is read later, in place. The source detects changes from now on.
    const rows = isMatrix(data) ? matrixSource(data) : data;
    return this.#queue(() => this.#add(rows, options));
  }

  /** Adds the rows of another stream, which does not change. Both streams must have the same rule and options. */
  merge(other: Stream, options: ControlOptions = {}): Promise<this> {
    const before = other instanceof Stream ? other.#turn : undefined;
    return this.#queue(async () => {
      if (!(other instanceof Stream)) {
        throw new DataError('BAD_DATA', `Streams merge with streams, not with ${describeValue(other)}.`);
      }
      const progress = new ProgressTracker(checkControl(options));
      await before;
      if (other.#kept) await this.#merge(other.#kept, other.#names, options.threads, progress);
      return this;
    });
  }

  /** The model of all rows so far. More may be added afterwards. */
  model(options: ControlOptions = {}): Promise<Model> {
    return this.#queue(async () => {
      const settings = { ...this.#settings, ...checkControl(options) };
      const kept = this.#kept;
      if (!kept) throw empty();
      if (kept instanceof Moments) return pca(kept, settings);
      if ('effectiveRows' in kept) {
        const engine = await this.#engine(settings.threads);
        return pca(await kept.moments(engine, new ProgressTracker(settings)), settings);
      }
      const what = `The rows of a stream of ${kept.cols} columns`;
      return modelOfSketch(kept, settings, this.#names, what, await this.#engine(settings.threads));
    });
  }

  /**
   * The stream as bytes, exact to the last bit: its options and its summary of the rows. A stream that `Stream.fromBinary` reads
   * continues as if it had never been interrupted.
   */
  toBinary(): Promise<Uint8Array> {
    return this.#queue(async () => {
      const kept = this.#kept;
      const lists = Object.entries(this.#given).map(([name, value]) => [
        name,
        ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value,
      ]);
      // Engine and threads are not stored: the stream may continue on another machine.
      const { engine, threads, ...options } = Object.fromEntries(lists);
      const kind = kept === undefined ? 'empty' : kept instanceof Moments ? 'moments' : 'sketch';
      const header = { options, names: this.#names, kind };
      if (kept === undefined) return writeContainer(LETTERS, VERSION, header, []);
      if ('effectiveRows' in kept) {
        const { facts, sections } = kept.store();
        const forgets = this.#window === undefined ? 'decaying' : 'window';
        return writeContainer(
          LETTERS,
          FORGETTING_VERSION,
          { options, names: this.#names, kind: forgets, facts },
          sections,
        );
      }
      const bytes =
        kept instanceof Moments
          ? kept.toBinary()
          : (await import('./solvers/sketch/sketch-bytes.js')).sketchToBytes(kept);
      return writeContainer(LETTERS, VERSION, header, [bytes]);
    });
  }

  /** Reads what `toBinary` wrote. Nothing in the bytes is trusted before it is checked. */
  static async fromBinary(bytes: Uint8Array, machine: Pick<StreamOptions, 'engine' | 'threads'> = {}): Promise<Stream> {
    const container = readContainerHeader(bytes, LETTERS, WHAT);
    if ('needed' in container) throw cutOff(bytes.length, WHAT);
    const read = readerOf<typeof restore>(
      { [VERSION]: restore, [FORGETTING_VERSION]: restore },
      container.version,
      'The stream has',
    );
    const { options, kept, names } = await read(container.header, readSections(bytes, container, WHAT));
    const stream = new Stream({ ...options, ...machine });
    stream.#kept = kept;
    stream.#names = names;
    return stream;
  }

  /** `Stream of 700 × 3: keeps moments`. `console.log` prints the same in Node and Deno. */
  override toString(): string {
    const kept = this.#kept;
    return kept ? `Stream of ${this.rows} × ${kept.cols}: keeps ${keeps(kept)}` : 'Stream without rows';
  }

  #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = keepAlive(() => this.#turn.then(work));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #add(data: Data, options: StreamAddOptions): Promise<this> {
    const progress = new ProgressTracker(checkControl(options));
    const source = await openSource(data, progress, this.#names);
    try {
      this.#checkColumns(source.cols, source.columnNames);
      const names = this.#names ?? source.columnNames;
      const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
      const engine = await this.#engine(options.threads, numbers);
      const before = this.#kept ?? (await this.#begin(source.cols, names));
      this.#kept =
        'effectiveRows' in before
          ? await before.with({ source, weights: options.weights, engine, progress, names })
          : await grown(before, source, options.weights, names, engine, progress);
      this.#names = names;
      this.#revision++;
    } finally {
      await source.close?.();
    }
    return this;
  }

  async #merge(
    theirs: Kept,
    names: readonly string[] | undefined,
    threads: number | undefined,
    progress: ProgressTracker,
  ): Promise<void> {
    if ('effectiveRows' in theirs || this.#halfLife !== undefined || this.#window !== undefined) {
      throw new OptionError('BAD_OPTION', 'Streams that forget do not merge: the order of their rows is not known.', {
        option: this.#window === undefined ? 'halfLife' : 'window',
      });
    }
    this.#checkColumns(theirs.cols, names);
    const mine = (this.#kept ?? (await this.#begin(theirs.cols, this.#names ?? names))) as Moments | Sketch;
    if (mine instanceof Moments && theirs instanceof Moments) {
      mine.merge(theirs);
      this.#kept = mine;
    } else if (!(mine instanceof Moments || theirs instanceof Moments) && mine.rule === theirs.rule) {
      const both = mine.copy();
      await both.merge(theirs, await this.#engine(threads), progress);
      this.#kept = both;
    } else {
      throw new OptionError(
        'BAD_OPTION',
        `This stream keeps ${keeps(mine)} and the other ${keeps(theirs)}, which do not merge. Make both with the same rule.`,
        { option: 'rule', value: keeps(theirs), expected: keeps(mine) },
      );
    }
    this.#names ??= names;
    this.#revision++;
  }

  /** Empty moments or an empty sketch, by the rule. */
  async #begin(cols: number, names: readonly string[] | undefined): Promise<Kept> {
    checkColumnOptions(this.#settings, cols);
    const { k, scale, columnWeights, center } = this.#settings;
    if (this.#halfLife !== undefined || this.#window !== undefined) {
      const { DecayingRows, WindowRows } = await import('./fit/forgetting.js');
      if (this.#window !== undefined) return new WindowRows(this.#window, cols, names);
      return new DecayingRows(this.#halfLife as number, new Moments(cols, names));
    }
    const rule = this.#rule === 'auto' ? (cols <= WIDEST_SCATTER ? 'moments' : 'incremental') : this.#rule;
    if (rule === 'moments') return new Moments(cols, names);
    const { Sketch } = await import('./solvers/sketch/sketch.js');
    return new Sketch({
      cols,
      size: sketchSize(plannedCount(k), cols, this.#size),
      rule,
      scale,
      columnWeights,
      centred: center,
    });
  }

  #checkColumns(cols: number, names: readonly string[] | undefined): void {
    if (this.#kept && cols !== this.#kept.cols) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `These rows have ${cols} columns, the stream's before them ${this.#kept.cols}.`,
        {
          value: cols,
          expected: this.#kept.cols,
        },
      );
    }
    const other = names?.findIndex((name, j) => this.#names && name !== this.#names[j]) ?? -1;
    if (other < 0 || !names || !this.#names) return;
    throw new DataError(
      'MISSING_COLUMN',
      `Column ${other + 1} is ${describeValue(names[other])}, but in the rows before it is ${describeValue(this.#names[other])}. Give the columns in one order.`,
      { column: other, columnName: names[other], expected: this.#names[other] },
    );
  }

  async #engine(threads = this.#settings.threads, numbers?: number): Promise<Engine> {
    return chooseEngine({ engine: this.#settings.engine, threads }, numbers);
  }
}

/** What a stream remembers. */
type Kept = Moments | Sketch | Forgetting;

interface Restored {
  readonly options: StreamOptions;
  readonly kept: Kept | undefined;
  readonly names: readonly string[] | undefined;
}

async function restore(header: Readonly<Record<string, unknown>>, sections: readonly Uint8Array[]): Promise<Restored> {
  const { options, kind, names } = header;
  const isNames = names === undefined || (Array.isArray(names) && names.every((name) => typeof name === 'string'));
  if (typeof options === 'object' && options !== null && isNames && (kind === 'decaying' || kind === 'window')) {
    const { halfLife, window } = options as StreamOptions;
    checkForgetting('auto', halfLife, window);
    const { DecayingRows, WindowRows } = await import('./fit/forgetting.js');
    const facts = header.facts as Readonly<Record<string, unknown>>;
    if (typeof facts !== 'object' || facts === null || (kind === 'window') !== (window !== undefined))
      throw damaged(WHAT);
    const kept =
      window !== undefined
        ? WindowRows.restore(window, facts, sections, names as string[] | undefined)
        : DecayingRows.restore(halfLife as number, facts, sections);
    return { options, kept, names: names as string[] | undefined };
  }
  const isKind =
    sections.length === (kind === 'empty' ? 0 : 1) && ['empty', 'moments', 'sketch'].includes(kind as string);
  if (typeof options !== 'object' || options === null || !isNames || !isKind) throw damaged(WHAT);
  const kept =
    kind === 'empty'
      ? undefined
      : kind === 'moments'
        ? Moments.fromBinary(sections[0])
        : (await import('./solvers/sketch/sketch-bytes.js')).sketchFromBytes(sections[0]);
  if (kept && names && (names as string[]).length !== kept.cols) throw damaged(WHAT);
  return { options, kept, names: names as string[] | undefined };
}

/** The model of the rows in a sketch. `what` describes these rows in the reason of the plan. */
export async function modelOfSketch(
  sketch: Sketch,
  settings: Settings,
  columnNames: readonly string[] | undefined,
  what: string,
  engine: Engine,
  warnings: readonly Warning[] = [],
): Promise<Model> {
  const { cols, columns, dtype, sparse, merges, rule } = sketch;
  const progress = new ProgressTracker(settings);
  const shape = { rows: columns.rows, cols, rereadable: false };
  const plan = {
    ...planFor(shape, { k: plannedCount(settings.k), solver: 'streaming', engine }),
    reason: `${what} are kept as a sketch of ${sketch.size} rows (${rule}).`,
  };
  const read = { cols, columns, dtype, sparse, merges, columnNames };
  const { problem, scaler, facts } = makeProblem(read, settings, engine, plan, progress);
  progress.begin('eigenvectors');
  const asked = { ...problem, scaler, passes: undefined };
  const { solveSketch } = await import('./solvers/sketch/streaming.js');
  const solution =
    scaler.scatterTrace > 0 ? await solveSketch(sketch, asked, settings.center) : axesWithoutVariance(problem);
  progress.end();
  return finish(solution, { ...facts, ...(await loadDataWarnings(facts, solution.values, columns)) }, warnings);
}

/** Returns a copy of the moments or sketch, with the rows of a source added. */
async function grown(
  kept: Moments | Sketch,
  source: RowSource,
  given: StreamAddOptions['weights'],
  names: readonly string[] | undefined,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Moments | Sketch> {
  if (kept instanceof Moments) {
    const added = await Moments.of(source, { engine, ...(given ? { weights: given } : {}) }, progress, names);
    if (added.read === 0) throw empty();
    await refuseChanged(source);
    return kept.merge(added);
  }
  const sketch = kept.copy();
  const rows = await addAllRows(source, sketch, rowWeights(given, source.rows), names, engine, progress);
  if (rows === 0) throw empty();
  await refuseChanged(source);
  return sketch;
}

function keeps(kept: Kept): string {
  if ('effectiveRows' in kept) return `about ${Math.round(kept.effectiveRows)} rows`;
  return kept instanceof Moments ? 'moments' : `a sketch (${kept.rule})`;
}

function checkNames(options: StreamOptions): StreamOptions {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('BAD_OPTION', `Options must be an object, not ${describeValue(options)}.`, {
      value: options,
    });
  }
  const known: readonly string[] = ['rule', 'size', 'halfLife', 'window', ...SHARED];
  const option = Object.keys(options).find((name) => !known.includes(name));
  if (option === undefined) return options;
  throw new OptionError(
    'UNKNOWN_OPTION',
    `A stream has no option ${describeValue(option)}.${suggestOption(option, known)} Its options are ${known.join(', ')}; weights, signal and onProgress go with add.`,
    { option },
  );
}

function checkForgetting(rule: unknown, halfLife: unknown, window: unknown): void {
  if (halfLife === undefined && window === undefined) return;
  checkOwn(
    'halfLife',
    halfLife,
    'a number of rows above 0',
    halfLife === undefined || (typeof halfLife === 'number' && halfLife > 0 && Number.isFinite(halfLife)),
  );
  checkOwn(
    'window',
    window,
    'a whole number of rows from 2 up',
    window === undefined || (Number.isSafeInteger(window) && (window as number) >= 2),
  );
  const other =
    halfLife !== undefined && window !== undefined ? 'window' : rule !== 'auto' && rule !== 'moments' ? 'rule' : '';
  if (other === '') return;
  const message =
    other === 'window'
      ? 'halfLife and window are two ways to forget. Leave one of them out.'
      : "Streams that forget keep moments. Leave rule out, or set it to 'moments'.";
  throw new OptionError('BAD_OPTION', message, { option: other });
}

function checkOwn(option: string, value: unknown, must: string, holds: boolean): void {
  if (holds) return;
  throw new OptionError('BAD_OPTION', `${option} is ${describeValue(value)}; it must be ${must}.`, { option, value });
}
