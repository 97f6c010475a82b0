import { DataError, type Engine, Model, Moments, OptionError, type PcaOptions, type Warning } from '@scree/core';
import {
  cutOff,
  damaged,
  mergeWarnings,
  readContainerHeader,
  readerOf,
  readSections,
  writeContainer,
} from '@scree/core/data';
import type { EngineChoice } from '@scree/core/engine';
import {
  type ControlOptions,
  checkColumnOptions,
  checkControl,
  checkOptions,
  chooseEngine,
  keepAlive,
  loadSketchBytes,
  modelOfSketch,
  ProgressTracker,
  type Sketch,
} from '@scree/core/pipeline';
import { isChooser } from '../choose/criteria/registry.js';
import { omit } from '../fields.js';
import { type FitQuestions, fitAndAsk } from '../fit-and-ask.js';
import type { ColumnTally } from '../inspect/column-tally.js';
import { rememberInspection } from '../inspect/inspected-source.js';
import { checkMerge } from './check-merge.js';
import {
  checkHeader,
  compare,
  SUMMARY,
  type SummaryHeader,
  type SummaryPart,
  sortedParts,
  sortKeyOf,
} from './summary-header.js';

const LETTERS = 'SCREESUM';
const VERSION = 1;

interface SummaryRecord {
  readonly kept: Moments | Sketch;
  readonly columnNames: readonly string[] | undefined;
  /** True if rows have weights. */
  readonly weighted: boolean;
  readonly parts: readonly SummaryPart[];
  readonly tally: ColumnTally | undefined;
  readonly warnings: readonly Warning[];
  readonly replicates: readonly Moments[];
  readonly seed: number;
}

/** A summary to merge, which may be loaded later. */
export interface SummaryInput {
  /** Its name in messages. */
  readonly name?: string;
  readonly header: SummaryHeader;
  load(): TableSummary | Promise<TableSummary>;
}

/**
 * A summary of a table, or of a part of one, without its rows: moments (or a sketch, for wide data), facts for warnings about columns,
 * replicates of a bootstrap if requested, and the fingerprints of the parts. Parts are summarised anywhere, in any order, and merged.
 */
export class TableSummary implements SummaryInput {
  readonly kept: Moments | Sketch;
  readonly columnNames: readonly string[] | undefined;
  readonly warnings: readonly Warning[];
  /** Moments of each replicate; empty without a bootstrap. */
  readonly replicates: readonly Moments[];
  readonly header: SummaryHeader;
  readonly #record: SummaryRecord;

  constructor(record: SummaryRecord) {
    const { kept, columnNames, weighted, parts, replicates, seed } = record;
    this.kept = kept;
    this.columnNames = columnNames;
    this.warnings = record.warnings;
    this.replicates = replicates;
    this.#record = record;
    this.header = {
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

  /** The moments, ready for `pca`, with the facts about single values; undefined for a sketch. */
  async moments(): Promise<Moments | undefined> {
    const { kept, tally, columnNames } = this.#record;
    if (!(kept instanceof Moments)) return undefined;
    const { columnsFromTally } = await tallies();
    const copy = copyOf(kept);
    rememberInspection(copy, columnsFromTally(kept.columns, kept.scatter, tally, columnNames));
    return copy;
  }

  /** The model of the rows, fitted to their moments or their sketch, with the stability if there are replicates. */
  model(options: FitQuestions = {}): Promise<Model> {
    return keepAlive(async () => {
      const moments = await this.moments();
      const asked = omit(options, 'bootstrap');
      const model = moments ? (await fitAndAsk(moments, asked)).model : await this.#modelOfSketch(asked);
      const stability = options.bootstrap === 0 ? undefined : await this.stability(model, asked);
      const warnings = [...model.warnings, ...this.warnings];
      return new Model({ ...model, warnings, ...(stability ? { stability } : {}) });
    });
  }

  /** The stability of the components of a model of these rows, from the replicates; undefined without replicates. */
  async stability(model: Model, options: FitQuestions = {}): Promise<Model['stability']> {
    const { kept, replicates, seed } = this.#record;
    if (replicates.length === 0 || !(kept instanceof Moments) || model.totalVariance === 0) return undefined;
    const { center, scale, ddof, columnWeights, threads, engine, ...rest } = checkOptions(withoutQuestions(options));
    const { stabilityFromMoments } = await import('../bootstrap/from-moments.js');
    const how = { k: model.k, center, scale, ddof, columnWeights, seed };
    const chosen = await chooseEngine({ engine, threads }, kept.cols ** 2);
    return stabilityFromMoments(kept, replicates, how, chosen, new ProgressTracker(rest));
  }

  async #modelOfSketch(asked: Omit<FitQuestions, 'bootstrap'>): Promise<Model> {
    const { kept, tally, columnNames } = this.#record;
    const settings = checkOptions(withoutQuestions(asked));
    checkColumnOptions(settings, kept.cols);
    if (isChooser(asked.k)) {
      throw new OptionError(
        'BAD_OPTION',
        'A sketch has the leading variances only, and criteria for the number of components need all of them. Choose k.',
        { option: 'k', value: asked.k },
      );
    }
    const engine = await chooseEngine({ engine: settings.engine, threads: settings.threads });
    const { columnWarnings } = await import('../inspect/column-warnings.js');
    const { columnsFromTally } = await tallies();
    const looked = columnsFromTally(kept.columns, undefined, tally, columnNames);
    const seen = { unscaled: settings.scale === 'none', centred: settings.center };
    const warnings = asked.inspectColumns ? columnWarnings(looked, seen) : [];
    const what = `${kept.columns.rows} rows of ${kept.cols} columns`;
    return modelOfSketch(kept as Sketch, settings, columnNames, what, engine, warnings);
  }

  /** The summary as bytes, exact to the last bit. The same rows and options give the same bytes. */
  async toBinary(): Promise<Uint8Array> {
    const { kept, tally, warnings, replicates } = this.#record;
    const main = kept instanceof Moments ? kept.toBinary() : (await sketchBytes()).sketchToBytes(kept);
    const header = { ...this.header, tally: tally ?? null, warnings };
    return writeContainer(LETTERS, VERSION, header, [main, ...replicates.map((each) => each.toBinary())]);
  }

  /** Reads the bytes of `toBinary`. */
  static async fromBinary(bytes: Uint8Array): Promise<TableSummary> {
    const found = readContainerHeader(bytes, LETTERS, SUMMARY);
    if ('needed' in found) throw cutOff(bytes.length, SUMMARY);
    const read = readerOf<typeof readVersion1>(READERS, found.version, 'The summary has');
    return read(found.header, readSections(bytes, found, SUMMARY));
  }

  /** The header of a summary from its first bytes, and its total size; or the number of bytes needed. */
  static headerOf(
    bytes: Uint8Array,
  ): { readonly header: SummaryHeader; readonly size: number } | { readonly needed: number } {
    const found = readContainerHeader(bytes, LETTERS, SUMMARY);
    if ('needed' in found) return found;
    readerOf(READERS, found.version, 'The summary has');
    return { header: checkHeader(found.header), size: found.size };
  }

  /** Returns true if these bytes begin a summary. */
  static isSummary(bytes: Uint8Array): boolean {
    return new TextDecoder('latin1').decode(bytes.subarray(0, 8)) === LETTERS;
  }

  /** The summary of the rows of both. The other is unchanged; this one may change if it is `reused`. */
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
   * Merges summaries in any order. They are sorted by their fingerprints and merged in a balanced tree, so the same summaries give the
   * same bytes. Merged summaries can be merged again. The result then differs only in the last bits from that of all parts merged at
   * once.
   */
  static merge(inputs: readonly SummaryInput[], options: MergeOptions = {}): Promise<TableSummary> {
    return keepAlive(async () => {
      checkControl(options);
      if (inputs.length === 0) throw new DataError('EMPTY_DATA', 'There are no summaries to merge.');
      checkMerge(inputs, options.allowDuplicates === true);
      const engine = await chooseEngine({ engine: options.engine ?? 'auto', threads: options.threads });
      const progress = new ProgressTracker(options);
      progress.begin('merging', inputs.length);
      const sorted = [...inputs].sort((a, b) => compare(sortKeyOf(a.header), sortKeyOf(b.header)));
      // The complete subtrees with their numbers of inputs, as in a binary counter, so that few are in memory.
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
      const read = summary.header.parts.reduce((sum, part) => sum + part.read, 0);
      const lists = summary.#record.parts.length > 1 ? summary.warnings.map((each) => [each]) : [summary.warnings];
      return new TableSummary({ ...summary.#record, warnings: mergeWarnings(lists, read) });
    });
  }
}

/** How summaries are merged. */
export interface MergeOptions extends ControlOptions {
  /** Accepts parts with the same rows. Default false: such parts are refused as one part given twice. */
  readonly allowDuplicates?: boolean | undefined;
  readonly engine?: EngineChoice | undefined;
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

const tallies = (): Promise<typeof import('../inspect/column-tally.js')> => import('../inspect/column-tally.js');

const sketchBytes = loadSketchBytes;

/** One reader per format version. Readers are never removed. */
const READERS = { 1: readVersion1 } as const;

async function readVersion1(
  stored: Readonly<Record<string, unknown>>,
  [main, ...others]: readonly Uint8Array[],
): Promise<TableSummary> {
  const header = checkHeader(stored);
  const { tally, warnings } = stored;
  if (main === undefined || others.length !== header.replicates || !Array.isArray(warnings)) throw damaged(SUMMARY);
  const { isTally } = await tallies();
  if (tally !== null && !isTally(tally, header.cols)) throw damaged(SUMMARY);
  const kept = header.kind === 'moments' ? Moments.fromBinary(main) : (await sketchBytes()).sketchFromBytes(main);
  const replicates = others.map((bytes) => Moments.fromBinary(bytes));
  if ([kept, ...replicates].some(({ cols }) => cols !== header.cols)) throw damaged(SUMMARY);
  if (kept.columns.rows !== header.rows || kept.columns.weight !== header.weight) throw damaged(SUMMARY);
  return new TableSummary({
    ...{
      kept,
      replicates,
      columnNames: header.columnNames,
      weighted: header.weighted,
      parts: header.parts,
      seed: header.seed,
    },
    tally: tally ?? undefined,
    warnings: warnings.filter(isWarning),
  });
}

function isWarning(value: unknown): value is Warning {
  const { code, message } = (value ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string';
}

/** The options of `pca` among them. */
function withoutQuestions({ k, ...options }: FitQuestions): PcaOptions {
  const others = omit(options, 'inspectColumns', 'bootstrap');
  return isChooser(k) || k === undefined ? others : { ...others, k };
}
