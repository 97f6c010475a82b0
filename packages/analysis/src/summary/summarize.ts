import { type Data, Moments, OptionError, type RowSource, type Scale } from '@scree/core';
import { checkBlockWidth, checkScale, empty, openSource, refuseChanged, rowWeights } from '@scree/core/data';
import type { EngineChoice } from '@scree/core/engine';
import type { SketchRule } from '@scree/core/pipeline';
import {
  CONTROL_OPTIONS,
  type ControlOptions,
  checkControl,
  chooseEngine,
  describeValue,
  keepAlive,
  LARGEST_SQUARE,
  loadSketch,
  ProgressTracker,
  runTask,
  type Sketch,
  sketchSize,
  unknownOption,
  WIDEST_SCATTER,
} from '@scree/core/pipeline';
import type { ColumnInspector } from '../inspect/column-inspector.js';
import { RowFingerprint } from './row-fingerprint.js';
import { TableSummary } from './table-summary.js';

/** Rows of the first block that seed the draws of a part. */
const KEY_ROWS = 64;
/** Matrices of d × d numbers in memory at a time: the sums, those of a block, and the written bytes. */
const SQUARES = 4;

/** Options of `summarize`. */
export interface SummarizeOptions extends ControlOptions {
  /** One weight per row. */
  readonly weights?: ArrayLike<number> | undefined;
  readonly columnNames?: readonly string[] | undefined;
  /** The name of these rows in messages. Default `'the rows'`. */
  readonly name?: string | undefined;
  /** How the rows were read. It is stored with them. */
  readonly reading?: Readonly<Record<string, unknown>> | undefined;
  readonly engine?: EngineChoice | undefined;
  /**
   * Keeps `'moments'`, which are exact and take d × d numbers, or a `'sketch'` of a few rows. Default `'auto'`: moments for up to 2896
   * columns if they fit into `memory`, otherwise a sketch.
   */
  readonly keep?: 'auto' | 'moments' | 'sketch' | undefined;
  /**
   * Options of a sketch: the number of components of later models (default 10), its rows (default 2k + 10), its rule, and the scaling
   * of the model.
   */
  readonly k?: number | undefined;
  readonly size?: number | undefined;
  readonly rule?: SketchRule | undefined;
  readonly scale?: Scale | undefined;
  /** Replicates of a bootstrap, 0 or at least 10. The moments of each are kept too: d² numbers. Default 0. */
  readonly bootstrap?: number | undefined;
  /** Seed of the draws. Default 0. */
  readonly seed?: number | undefined;
  /** Bytes that the matrices may take. Default 1 GB. */
  readonly memory?: number | undefined;
}

/** Every option of `summarize`. The compiler compares this list with the interface. */
const OPTIONS = Object.keys({
  weights: 0,
  columnNames: 0,
  name: 0,
  reading: 0,
  engine: 0,
  keep: 0,
  k: 0,
  size: 0,
  rule: 0,
  scale: 0,
  bootstrap: 0,
  seed: 0,
  memory: 0,
  ...CONTROL_OPTIONS,
} satisfies Record<keyof SummarizeOptions, unknown>);

/** Summarises data of any form that `pca` takes, in one reading. */
export function summarize(data: Data, options: SummarizeOptions = {}): Promise<TableSummary> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    for (const option of Object.keys(options)) if (!OPTIONS.includes(option)) throw unknownOption(option, OPTIONS);
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
  const { ColumnInspector } = await import('../inspect/column-inspector.js');
  const { PoissonDraws } = await import('../bootstrap/poisson.js');
  const inspector: ColumnInspector = new ColumnInspector(cols, columnNames);
  const replicates = Array.from({ length: count }, () => new Moments(cols));
  const fingerprint = new RowFingerprint();
  fingerprint.text(JSON.stringify(columnNames ?? cols));
  const weights = rowWeights(options.weights, source.rows);
  let draws: InstanceType<typeof PoissonDraws> | undefined;
  let read = 0;
  progress.begin(kept instanceof Moments ? 'covariance' : 'sketch', source.rows, source.expectedRows);
  for await (const block of source.blocks()) {
    checkBlockWidth(block, source, read);
    const some = weights.slice(read, block.rows);
    // First, because the sums below may keep the block.
    await runTask(inspector.add(block, some), () => progress.yieldToEventLoop());
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
    tally: (await import('../inspect/column-tally.js')).tallyOf(inspector.result(kept.columns)),
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

/** Empty moments or an empty sketch, as the number of columns and the memory allow. */
async function begin(
  cols: number,
  names: readonly string[] | undefined,
  { keep = 'auto', k = 10, size, rule = 'incremental', scale = 'none', memory = 2 ** 30 }: SummarizeOptions,
): Promise<Moments | Sketch> {
  if (!['auto', 'moments', 'sketch'].includes(keep)) {
    throw new OptionError('BAD_OPTION', `keep is ${describeValue(keep)}; it must be 'auto', 'moments' or 'sketch'.`, {
      option: 'keep',
      value: keep,
    });
  }
  checkScale(scale, cols);
  if (keepsMoments(cols, keep, memory)) return new Moments(cols, names);
  const { Sketch } = await loadSketch();
  return new Sketch({ cols, size: sketchSize(k, cols, size), rule, scale, centred: true });
}

/** Returns true if moments of `cols` columns are kept: if d × d numbers fit. */
function keepsMoments(cols: number, keep: SummarizeOptions['keep'] = 'auto', memory = 2 ** 30): boolean {
  if (keep !== 'auto') return keep === 'moments';
  return cols <= Math.min(WIDEST_SCATTER, LARGEST_SQUARE) && SQUARES * 8 * cols * cols <= memory;
}

function checkCount(count: unknown): void {
  if (count === 0 || (Number.isSafeInteger(count) && (count as number) >= 10 && (count as number) <= 100_000)) return;
  throw new OptionError(
    'BAD_OPTION',
    `bootstrap is ${describeValue(count)}; it must be 0 or a whole number of replicates from 10 to 100000.`,
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
