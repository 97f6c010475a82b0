import type { ColumnTally } from './analysis/column-tally.js';
import type { ColumnWatch } from './analysis/columns.js';
import { rememberColumns } from './analysis/look-at-columns.js';
import { type ControlOptions, checkControl } from './control.js';
import { refuseChanged } from './data/changes.js';
import { cutOff, damaged, readContainerHead, readSections, writeContainer } from './data/container.js';
import { readerOf } from './data/format-version.js';
import { mergeWarnings } from './data/merge-warnings.js';
import { checkBlockWidth, type Data, openSource, type RowSource } from './data/open-source.js';
import { RowFingerprint } from './data/row-fingerprint.js';
import { checkScale, type Scale } from './data/scaling.js';
import { empty } from './data/to-block.js';
import { rowWeights } from './data/weights.js';
import { chooseEngine, type EngineChoice } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { DataError, OptionError, show } from './errors.js';
import { keepAlive } from './keep-alive.js';
import { LARGEST_SQUARE, WIDEST_SCATTER } from './limits.js';
import { Model } from './model/model.js';
import { Moments } from './moments.js';
import { checkColumnOptions, checkOptions, type PcaOptions, type Settings } from './options.js';
import { pca } from './pca.js';
import { ProgressTracker, runTask } from './progress.js';
import type { Sketch } from './solvers/sketch/sketch.js';
import { type SketchRule, sketchSize } from './solvers/sketch/sketch-options.js';
import { modelOfSketch } from './stream.js';
import type { Warning } from './warning.js';

const LETTERS = 'SCREESUM';
const VERSION = 1;
const WHAT = 'summary';
/** Rows of the first block whose numbers tell the draws of one part from those of another. */
const KEY_ROWS = 64;
/** Matrices of d × d numbers in memory while rows are added: the sums, those of a block, and the bytes that are written. */
const SQUARES = 4;

/** Rows that were summed up together, and where they came from. */
export interface SummaryPart {
  /** The file or table, as it was named. */
  readonly name: string;
  /** 128 bits of the rows, their columns' names and weights, as 32 hexadecimal digits. */
  readonly fingerprint: string;
  /** Rows that were read, and those of them with a weight above 0. */
  readonly read: number;
  readonly rows: number;
  /** Σw. */
  readonly weight: number;
  /** How the rows were read: options of the reader, for people and for comparison. */
  readonly reading?: Readonly<Record<string, unknown>>;
}

/** Options of `summarize`. */
export interface SummarizeOptions extends ControlOptions {
  /** One weight per row. */
  readonly weights?: ArrayLike<number>;
  readonly columnNames?: readonly string[];
  /** What messages call these rows. Default `'the rows'`. */
  readonly name?: string;
  /** How the rows were read, which is stored with them. */
  readonly reading?: Readonly<Record<string, unknown>>;
  readonly engine?: EngineChoice;
  /**
   * What to keep: `'moments'`, d × d numbers and exact, or a `'sketch'` of a few rows. Default `'auto'`: moments up to 2896
   * columns and where they fit into `memory`, otherwise a sketch.
   */
  readonly keep?: 'auto' | 'moments' | 'sketch';
  /** Of a sketch: how many components will be asked for (default 10), its rows (default 2k + 10), how it is made, and the scaling of the model. */
  readonly k?: number;
  readonly size?: number;
  readonly rule?: SketchRule;
  readonly scale?: Scale;
  /** Replicates of a bootstrap, 0 or from 10 up, whose moments are kept too: d² numbers each. Default 0. */
  readonly bootstrap?: number;
  /** Seed of the draws. Default 0. */
  readonly seed?: number;
  /** Bytes that the matrices may take. Default 1 GB. */
  readonly memory?: number;
}

interface SummaryRecord {
  readonly kept: Moments | Sketch;
  readonly columnNames: readonly string[] | undefined;
  /** Whether rows have weights. */
  readonly weighted: boolean;
  readonly parts: readonly SummaryPart[];
  readonly tally: ColumnTally | undefined;
  readonly warnings: readonly Warning[];
  readonly replicates: readonly Moments[];
  readonly seed: number;
}

/** What can be known of a summary before its numbers are read. */
export interface SummaryHead {
  readonly kind: 'moments' | 'sketch';
  readonly cols: number;
  readonly columnNames?: readonly string[];
  readonly dtype: 'float32' | 'float64';
  readonly weighted: boolean;
  /** Rows with a weight above 0, and Σw. */
  readonly rows: number;
  readonly weight: number;
  /** In the order of their fingerprints. */
  readonly parts: readonly SummaryPart[];
  readonly replicates: number;
  readonly seed: number;
}

/** Something to merge: a summary, or one that is loaded when its turn comes. */
export interface SummaryInput {
  /** What messages call it. */
  readonly name?: string;
  readonly head: SummaryHead;
  load(): TableSummary | Promise<TableSummary>;
}

/**
 * What is left of a table, or of a part of one, when its rows are gone: moments (or a sketch, for wide data), what warnings about columns
 * need, replicates of a bootstrap where they were asked for, and which rows these were. Parts are summed up anywhere, in any
 * order, and merged.
 */
export class TableSummary implements SummaryInput {
  readonly kept: Moments | Sketch;
  readonly columnNames: readonly string[] | undefined;
  readonly warnings: readonly Warning[];
  /** Moments of each replicate; empty where no bootstrap was asked for. */
  readonly replicates: readonly Moments[];
  readonly head: SummaryHead;
  readonly #record: SummaryRecord;

  constructor(record: SummaryRecord) {
    const { kept, columnNames, weighted, parts, replicates, seed } = record;
    this.kept = kept;
    this.columnNames = columnNames;
    this.warnings = record.warnings;
    this.replicates = replicates;
    this.#record = record;
    this.head = {
      kind: kept instanceof Moments ? 'moments' : 'sketch',
      cols: kept.cols,
      ...(columnNames ? { columnNames } : {}),
      dtype: kept.dtype,
      weighted,
      rows: kept.columns.rows,
      weight: kept.columns.weight,
      parts,
      replicates: replicates.length,
      seed,
    };
  }

  get cols(): number {
    return this.kept.cols;
  }

  get rows(): number {
    return this.kept.columns.rows;
  }

  load(): TableSummary {
    return this;
  }

  /** The moments, ready for `pca`, with what is known of single values; undefined where a sketch was kept. */
  async moments(): Promise<Moments | undefined> {
    const { kept, tally, columnNames } = this.#record;
    if (!(kept instanceof Moments)) return undefined;
    const { columnsFromTally } = await tallies();
    const copy = copyOf(kept);
    rememberColumns(copy, columnsFromTally(kept.columns, kept.scatter, tally, columnNames));
    return copy;
  }

  /** The model of the rows, as `pca` would make it of their moments; with a bootstrap where replicates were kept. */
  model(options: PcaOptions = {}): Promise<Model> {
    return keepAlive(async () => {
      const moments = await this.moments();
      const { bootstrap: _, ...others } = options;
      const settings = checkOptions(others);
      const model = moments ? await pca(moments, others) : await this.#modelOfSketch(settings);
      const stability = options.bootstrap === 0 ? undefined : await this.stability(model, others);
      const warnings = [...model.warnings, ...this.warnings];
      return new Model({ ...model, warnings, ...(stability ? { stability } : {}) });
    });
  }

  /** How stable the components of a model of these rows are, from the replicates; undefined where none were kept. */
  async stability(model: Model, options: PcaOptions = {}): Promise<Model['stability']> {
    const { kept, replicates, seed } = this.#record;
    if (replicates.length === 0 || !(kept instanceof Moments) || model.totalVariance === 0) return undefined;
    const { center, scale, ddof, columnWeights, threads, engine, ...rest } = checkOptions(options);
    const { stabilityFromMoments } = await import('./analysis/bootstrap/from-moments.js');
    const how = { k: model.k, center, scale, ddof, columnWeights, seed };
    const chosen = await chooseEngine({ engine, threads }, kept.cols ** 2);
    return stabilityFromMoments(kept, replicates, how, chosen, new ProgressTracker(rest));
  }

  async #modelOfSketch(settings: Settings): Promise<Model> {
    const { kept, tally, columnNames } = this.#record;
    checkColumnOptions(settings, kept.cols);
    if (settings.choose !== undefined) {
      throw new OptionError(
        'BAD_OPTION',
        'A sketch has the leading variances only, and criteria for the number of components need all of them. Choose k.',
        { option: 'k', value: settings.choose },
      );
    }
    const engine = await chooseEngine({ engine: settings.engine, threads: settings.threads });
    const { columnWarnings } = await import('./analysis/column-warnings.js');
    const { columnsFromTally } = await tallies();
    const looked = columnsFromTally(kept.columns, undefined, tally, columnNames);
    const seen = { unscaled: settings.scale === 'none', centred: settings.center };
    const warnings = settings.lookAtColumns ? columnWarnings(looked, seen) : [];
    const what = `${kept.columns.rows} rows of ${kept.cols} columns`;
    return modelOfSketch(kept as Sketch, settings, columnNames, what, engine, warnings);
  }

  /** The summary as bytes, exact to the last bit. The same rows read in the same way give the same bytes. */
  async toBinary(): Promise<Uint8Array> {
    const { kept, tally, warnings, replicates } = this.#record;
    const main = kept instanceof Moments ? kept.toBinary() : (await sketchBytes()).sketchToBytes(kept);
    const header = { ...this.head, tally: tally ?? null, warnings };
    return writeContainer(LETTERS, VERSION, header, [main, ...replicates.map((each) => each.toBinary())]);
  }

  /** Reads what `toBinary` wrote. */
  static async fromBinary(bytes: Uint8Array): Promise<TableSummary> {
    const found = readContainerHead(bytes, LETTERS, WHAT);
    if ('needed' in found) throw cutOff(bytes.length, WHAT);
    const read = readerOf<typeof readVersion1>(READERS, found.version, 'The summary has');
    return read(found.header, readSections(bytes, found, WHAT));
  }

  /** The head of a summary from its first bytes, and the size of all of it; or how many bytes that takes. */
  static headOf(
    bytes: Uint8Array,
  ): { readonly head: SummaryHead; readonly size: number } | { readonly needed: number } {
    const found = readContainerHead(bytes, LETTERS, WHAT);
    if ('needed' in found) return found;
    readerOf(READERS, found.version, 'The summary has');
    return { head: checkHead(found.header), size: found.size };
  }

  /** Whether these bytes begin a summary. */
  static isSummary(bytes: Uint8Array): boolean {
    return new TextDecoder('latin1').decode(bytes.subarray(0, 8)) === LETTERS;
  }

  /** The summary of the rows of both. The other does not change, and this one only if it may be `reused`. */
  async #with(other: TableSummary, reused: boolean, engine: Engine, progress: ProgressTracker): Promise<TableSummary> {
    const [mine, theirs] = [this.#record, other.#record];
    const kept = await mergeKept(mine.kept, theirs.kept, reused, engine, progress);
    const parts = sortedParts([...mine.parts, ...theirs.parts]);
    return new TableSummary({
      ...mine,
      kept,
      parts,
      tally: (await tallies()).mergeTallies(mine.tally, theirs.tally),
      warnings: [...mine.warnings, ...theirs.warnings],
      replicates: mine.replicates.map((each, b) => (reused ? each : copyOf(each)).merge(theirs.replicates[b])),
    });
  }

  /**
   * Merges summaries. Their order does not matter: they are sorted by their fingerprints and merged in a balanced tree, so the same
   * summaries give the same bytes. Summaries that were merged before may be merged again; they have the same rows then as all
   * parts merged at once, with other last bits.
   */
  static merge(inputs: readonly SummaryInput[], options: MergeOptions = {}): Promise<TableSummary> {
    return keepAlive(async () => {
      checkControl(options);
      if (inputs.length === 0) throw new DataError('EMPTY_DATA', 'There are no summaries to merge.');
      checkInputs(inputs, options.allowDuplicates === true);
      const engine = await chooseEngine({ engine: options.engine ?? 'auto', threads: options.threads });
      const progress = new ProgressTracker(options);
      progress.begin('merging', inputs.length);
      const sorted = [...inputs].sort((a, b) => compare(keyOf(a.head), keyOf(b.head)));
      // The subtrees that are complete, with how many inputs each has: a counter in binary, so that few are in memory.
      const stack: { readonly size: number; readonly summary: TableSummary }[] = [];
      const join = async (): Promise<void> => {
        const [right, left] = [stack.pop(), stack.pop()] as [(typeof stack)[0], (typeof stack)[0]];
        const summary = await left.summary.#with(right.summary, left.size > 1, engine, progress);
        stack.push({ size: left.size + right.size, summary });
      };
      for (const input of sorted) {
        stack.push({ size: 1, summary: await input.load() });
        while (stack.length > 1 && stack[stack.length - 1].size === stack[stack.length - 2].size) await join();
        const pause = progress.step(1);
        if (pause) await pause;
      }
      while (stack.length > 1) await join();
      progress.end();
      const [{ summary }] = stack;
      const read = summary.head.parts.reduce((sum, part) => sum + part.read, 0);
      const lists = summary.#record.parts.length > 1 ? summary.warnings.map((each) => [each]) : [summary.warnings];
      return new TableSummary({ ...summary.#record, warnings: mergeWarnings(lists, read) });
    });
  }
}

/** How summaries are merged. */
export interface MergeOptions extends ControlOptions {
  /** Accepts parts with the same rows. Default false: they are taken for one part that was given twice. */
  readonly allowDuplicates?: boolean;
  readonly engine?: EngineChoice;
}

/** Sums up rows of any form that `pca` takes, in one reading. */
export function summarize(data: Data, options: SummarizeOptions = {}): Promise<TableSummary> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    const source = await openSource(data, progress, options.columnNames);
    try {
      return await summarizeSource(source, options, progress);
    } finally {
      await source.close?.();
    }
  });
}

async function summarizeSource(
  source: RowSource,
  options: SummarizeOptions,
  progress: ProgressTracker,
): Promise<TableSummary> {
  const { cols } = source;
  const columnNames = options.columnNames ?? source.columnNames;
  const { bootstrap: count = 0, seed = 0, name = 'the rows', reading } = options;
  checkCount(count);
  const kept = await begin(cols, columnNames, options);
  if (count > 0) checkReplicates(kept, count, options.memory ?? 2 ** 30);
  const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * cols);
  const engine = await chooseEngine({ engine: options.engine ?? 'auto', threads: options.threads }, numbers);
  const { ColumnWatch } = await import('./analysis/columns.js');
  const { PoissonDraws } = await import('./analysis/bootstrap/poisson.js');
  const watch: ColumnWatch = new ColumnWatch(cols, columnNames);
  const replicates = Array.from({ length: count }, () => new Moments(cols));
  const fingerprint = new RowFingerprint();
  fingerprint.text(JSON.stringify(columnNames ?? cols));
  const weights = rowWeights(options.weights, source.rows);
  let draws: InstanceType<typeof PoissonDraws> | undefined;
  let read = 0;
  progress.begin(kept instanceof Moments ? 'covariance' : 'sketch', source.rows);
  for await (const block of source.blocks()) {
    checkBlockWidth(block, source, read);
    const some = weights.slice(read, block.rows);
    // Before anything may keep the block.
    await runTask(watch.add(block, some), () => progress.yieldToEventLoop());
    fingerprint.add(block, some);
    if (count > 0) {
      const first = { ...block, rows: Math.min(KEY_ROWS, block.rows) };
      draws ??= new PoissonDraws(count, seed, keyOfRows(first, columnNames));
      for (const [b, replicate] of replicates.entries()) {
        const counts = draws.next(b, block.rows, some);
        await replicate.addBlock(block, counts, read, engine, new ProgressTracker(withSignal(options)));
      }
    }
    if (kept instanceof Moments) await kept.addBlock(block, some, read, engine, progress);
    else await kept.add(block, { first: read, weights: some, columnNames }, engine, progress);
    read += block.rows;
  }
  weights.end(read);
  progress.end();
  if (read === 0) throw empty();
  await refuseChanged(source);
  const { rows, weight } = kept.columns;
  const part = { name, fingerprint: fingerprint.value(), read, rows, weight, ...(reading ? { reading } : {}) };
  return new TableSummary({
    ...{ kept, columnNames, replicates, seed },
    weighted: options.weights !== undefined,
    parts: [part],
    tally: (await tallies()).tallyOf(watch.result()),
    warnings: (await source.warnings?.()) ?? [],
  });
}

function withSignal({ signal }: ControlOptions): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function keyOfRows(block: Parameters<RowFingerprint['add']>[0], names: readonly string[] | undefined): number {
  const fingerprint = new RowFingerprint();
  fingerprint.text(JSON.stringify(names ?? block.cols));
  fingerprint.add(block);
  return fingerprint.seed();
}

/** Empty moments or an empty sketch, by width and memory. */
async function begin(
  cols: number,
  names: readonly string[] | undefined,
  { keep = 'auto', k = 10, size, rule = 'incremental', scale = 'none', memory = 2 ** 30 }: SummarizeOptions,
): Promise<Moments | Sketch> {
  if (!['auto', 'moments', 'sketch'].includes(keep)) {
    throw new OptionError('BAD_OPTION', `keep is ${show(keep)}; it must be 'auto', 'moments' or 'sketch'.`, {
      option: 'keep',
      value: keep,
    });
  }
  checkScale(scale, cols);
  if (keepsMoments(cols, keep, memory)) return new Moments(cols, names);
  const { Sketch } = await import('./solvers/sketch/sketch.js');
  return new Sketch({ cols, size: sketchSize(k, cols, size), rule, scale, centred: true });
}

/** Whether moments of so many columns are kept, or a sketch: moments where d × d numbers fit. */
function keepsMoments(cols: number, keep: SummarizeOptions['keep'] = 'auto', memory = 2 ** 30): boolean {
  if (keep !== 'auto') return keep === 'moments';
  return cols <= Math.min(WIDEST_SCATTER, LARGEST_SQUARE) && SQUARES * 8 * cols * cols <= memory;
}

function checkCount(count: unknown): void {
  if (count === 0 || (Number.isSafeInteger(count) && (count as number) >= 10 && (count as number) <= 100_000)) return;
  throw new OptionError(
    'BAD_OPTION',
    `bootstrap is ${show(count)}; it must be 0 or a whole number of replicates from 10 to 100000.`,
    { option: 'bootstrap', value: count },
  );
}

function checkReplicates(kept: Moments | Sketch, count: number, memory: number): void {
  if (!(kept instanceof Moments)) {
    throw new OptionError(
      'BAD_OPTION',
      `A bootstrap of parts keeps the moments of every replicate, and of ${kept.cols} columns a sketch is kept. Leave the bootstrap out.`,
      { option: 'bootstrap', value: count },
    );
  }
  const bytes = 8 * kept.cols * kept.cols * (2 * count + SQUARES);
  if (bytes <= memory) return;
  throw new OptionError(
    'TOO_LARGE',
    `${count} replicates of ${kept.cols} columns need ${Math.ceil(bytes / 2 ** 20)} MB, and ${Math.floor(memory / 2 ** 20)} MB may be used. Use fewer replicates, or allow more memory.`,
    { option: 'bootstrap', value: bytes, expected: memory, reason: 'memory' },
  );
}

async function mergeKept(
  mine: Moments | Sketch,
  theirs: Moments | Sketch,
  reused: boolean,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Moments | Sketch> {
  if (mine instanceof Moments && theirs instanceof Moments) return (reused ? mine : copyOf(mine)).merge(theirs);
  const both = reused ? (mine as Sketch) : (mine as Sketch).copy();
  await both.merge(theirs as Sketch, engine, progress);
  return both;
}

function copyOf(moments: Moments): Moments {
  return Moments.fromBinary(moments.toBinary());
}

function sortedParts(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const key = ({ fingerprint, name }: SummaryPart): string => `${fingerprint} ${name}`;
  return [...parts].sort((a, b) => compare(key(a), key(b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function keyOf({ parts }: SummaryHead): string {
  return parts.map(({ fingerprint, name }) => `${fingerprint} ${name}`).join('\n');
}

/** Refuses summaries that are not of one table: other columns, weights here and not there, a part that is there twice. */
function checkInputs(inputs: readonly SummaryInput[], allowDuplicates: boolean): void {
  const [first] = inputs;
  const seen = new Map<string, string>();
  for (const input of inputs) {
    refuseOther(first, input);
    for (const { fingerprint, name } of input.head.parts) {
      const before = seen.get(fingerprint);
      const where = `${name}${input.name === undefined ? '' : ` in ${input.name}`}`;
      if (before !== undefined && !allowDuplicates) {
        throw new DataError(
          'BAD_DATA',
          `The same rows are there twice: ${where}, and ${before}. Leave one of them out; where two parts really have the same rows, allow duplicates.`,
          { reason: 'repeated-part', value: where, expected: before, ...(input.name ? { path: input.name } : {}) },
        );
      }
      seen.set(fingerprint, where);
    }
  }
}

function refuseOther(first: SummaryInput, other: SummaryInput): void {
  const [a, b] = [first.head, other.head];
  const [one, two] = [callOf(first), callOf(other)];
  const path = other.name === undefined ? {} : { path: other.name };
  if (a.cols !== b.cols) {
    const message = `${two} has ${b.cols} columns, and ${one} has ${a.cols}. Sum up the same columns of every part.`;
    throw new DataError('WIDTH_MISMATCH', message, { value: b.cols, expected: a.cols, ...path });
  }
  const [names, others] = [a.columnNames ?? [], b.columnNames ?? []];
  const j = Array.from({ length: a.cols }).findIndex((_, at) => names[at] !== others[at]);
  if (j >= 0) {
    const same = others.length === names.length && others.every((name) => names.includes(name));
    const what = same ? 'the same columns in another order' : `column ${j} as ${show(others[j] ?? j)}`;
    throw new DataError(
      'MISSING_COLUMN',
      `${two} has ${what}, and ${one} has ${show(names[j] ?? j)} there. Choose the columns of every part by name, in one order.`,
      { column: j, columnName: others[j] ?? String(j), expected: names[j] ?? String(j), ...path },
    );
  }
  const differing = (['kind', 'weighted', 'replicates', 'seed'] as const).find(
    (name) => a[name] !== b[name] && !(name === 'seed' && a.replicates === 0),
  );
  if (differing === undefined) return;
  const has: Record<typeof differing, (head: SummaryHead) => string> = {
    kind: ({ kind }) => (kind === 'moments' ? 'moments' : 'a sketch'),
    weighted: ({ weighted }) => (weighted ? 'rows with weights' : 'rows without weights'),
    replicates: ({ replicates }) => (replicates === 0 ? 'no bootstrap' : `${replicates} replicates of a bootstrap`),
    seed: ({ seed }) => `replicates of seed ${seed}`,
  };
  throw new DataError(
    'BAD_DATA',
    `${two} has ${has[differing](b)}, and ${one} has ${has[differing](a)}. Sum up every part in the same way.`,
    { reason: 'other-summary', value: b[differing], expected: a[differing], ...path },
  );
}

function callOf({ name, head }: SummaryInput): string {
  return name ?? `The summary of ${head.parts[0]?.name ?? 'no rows'}`;
}

const tallies = (): Promise<typeof import('./analysis/column-tally.js')> => import('./analysis/column-tally.js');

const sketchBytes = (): Promise<typeof import('./solvers/sketch/sketch-bytes.js')> =>
  import('./solvers/sketch/sketch-bytes.js');

/** One reader per format version, for ever. */
const READERS = { 1: readVersion1 } as const;

async function readVersion1(
  header: Readonly<Record<string, unknown>>,
  [main, ...others]: readonly Uint8Array[],
): Promise<TableSummary> {
  const head = checkHead(header);
  const { tally, warnings } = header;
  if (main === undefined || others.length !== head.replicates || !Array.isArray(warnings)) throw damaged(WHAT);
  const { isTally } = await tallies();
  if (tally !== null && !isTally(tally, head.cols)) throw damaged(WHAT);
  const kept = head.kind === 'moments' ? Moments.fromBinary(main) : (await sketchBytes()).sketchFromBytes(main);
  const replicates = others.map((bytes) => Moments.fromBinary(bytes));
  if ([kept, ...replicates].some(({ cols }) => cols !== head.cols)) throw damaged(WHAT);
  if (kept.columns.rows !== head.rows || kept.columns.weight !== head.weight) throw damaged(WHAT);
  return new TableSummary({
    ...{ kept, replicates, columnNames: head.columnNames, weighted: head.weighted, parts: head.parts, seed: head.seed },
    tally: tally ?? undefined,
    warnings: warnings.filter(isWarning),
  });
}

function isWarning(value: unknown): value is Warning {
  const { code, message } = (value ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string';
}

/** A checksum detects damage, but not a forged header. */
function checkHead(header: Readonly<Record<string, unknown>>): SummaryHead {
  const { kind, cols, columnNames, dtype, weighted, rows, weight, parts, replicates, seed } = header;
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isAmount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
  const isText = (value: unknown): boolean => typeof value === 'string';
  const isPart = (part: unknown): boolean => {
    const { name, fingerprint, read, rows, weight } = (part ?? {}) as Record<string, unknown>;
    return (
      isText(name) && /^[0-9a-f]{32}$/.test(String(fingerprint)) && [read, rows].every(isCount) && isAmount(weight)
    );
  };
  const sound =
    (kind === 'moments' || kind === 'sketch') &&
    (dtype === 'float32' || dtype === 'float64') &&
    typeof weighted === 'boolean' &&
    isCount(cols) &&
    (cols as number) >= 1 &&
    [rows, replicates].every(isCount) &&
    isAmount(weight) &&
    Number.isSafeInteger(seed) &&
    Array.isArray(parts) &&
    parts.length > 0 &&
    parts.every(isPart) &&
    (columnNames === undefined ||
      (Array.isArray(columnNames) && columnNames.length === cols && columnNames.every(isText)));
  if (!sound) throw damaged(WHAT);
  const { tally: _, warnings: __, sections: ___, ...head } = header;
  return head as unknown as SummaryHead;
}
