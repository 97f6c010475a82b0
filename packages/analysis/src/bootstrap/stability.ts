import { DataError, type Engine, OptionError, type RowSource, type Scale, type Stability } from '@scree/core';
import { type ColumnStatistics, rowWeights } from '@scree/core/data';
import { type BootstrapKind, fixSigns, type ProgressTracker } from '@scree/core/pipeline';
import type { BootstrapSettings } from './bootstrap-options.js';
import { blockDraws, type Draws, groupDraws, RowDraws } from './draws.js';
import { replicatesByDual } from './dual.js';
import { replicatesByIteration } from './iteration.js';
import { replicatesFromNormal } from './parametric.js';
import type { Replicate, ReplicateOptions, Replicates } from './replicate.js';
import { ReplicateSummary } from './replicate-summary.js';
import { type BootstrapRows, MOST_TILE_ROWS, replicatesByScatter, type SumKind, sumsLength } from './scatter.js';
import { type AlignedAxes, scoreLimits } from './score-limits.js';
import { WideRows } from './wide-rows.js';

/** The rows of a fit, and its options. */
export interface FittedSample {
  /** The rows; they can be read again. */
  readonly source: RowSource;
  /** Rows of the source, including those of weight 0. */
  readonly read: number;
  readonly columns: Readonly<ColumnStatistics>;
  readonly weights: ArrayLike<number> | undefined;
  readonly center: boolean;
  readonly scale: Scale;
  readonly columnWeights?: ArrayLike<number> | undefined;
  readonly ddof: number;
  /** Components of the model. */
  readonly k: number;
  /** Bytes that sums and copies of rows may take. Default 1.5 GB. */
  readonly memory?: number | undefined;
}

/** Numbers that sums of replicates may take at once: 512 MB. */
const MOST_NUMBERS = 1 << 26;
/** Numbers of a table that may be copied into one block: 1 GB. */
const MOST_COPIED = 1 << 27;
/** Copies of such a table: its blocks, and the block that they are joined to. */
const COPIES = 2;

/** Copies of the weights of a tile's rows: here and in the engine. */
const WEIGHT_COPIES = 2;

/** Numbers that sums, and copies of the rows, may take: less than usual if less memory is allowed. */
function limitsOf({ memory = Number.POSITIVE_INFINITY }: Pick<FittedSample, 'memory'>): {
  sums: number;
  copied: number;
} {
  return {
    sums: Math.min(MOST_NUMBERS, Math.floor(memory / 8)),
    copied: Math.min(MOST_COPIED, Math.floor(memory / 8 / COPIES)),
  };
}
/** Most columns of a parametric bootstrap. */
const MOST_PARAMETRIC = 2000;
/** Fewest rows or groups to draw from. */
const FEWEST = 3;

/** Draws replicates of the rows, and measures how much their components differ from the sample's. */
export async function stabilityOf(
  sample: FittedSample,
  chosen: BootstrapSettings & { readonly kind: BootstrapKind },
  engine: Engine,
  progress: ProgressTracker,
  forced?: ReplicateMethod,
): Promise<Stability> {
  const { source, columns, center, ddof, scale, columnWeights, k } = sample;
  const { replicates, kind, alignment, seed } = chosen;
  const { draws, units, about } = drawsFor(sample, chosen);
  const rows: BootstrapRows = {
    source,
    columns,
    weights: rowWeights(sample.weights, sample.read),
    scale,
    engine,
    progress,
  };
  const options = { k, replicates, center, ddof, columnWeights };
  const method = forced ?? (kind === 'parametric' ? 'parametric' : chooseMethod(sample, replicates));
  progress.begin('bootstrap', 2 * (replicates + 1));
  const found = await startReplicates(method, rows, sample, draws, { ...options, seed });
  const axes: AlignedAxes[] = [];
  let summary: ReplicateSummary | undefined;
  try {
    for await (const replicate of found.replicates) {
      const aligned = summary ? summary.add(replicate) : withSigns(replicate).vectors;
      summary ??= new ReplicateSummary(replicate, replicates, alignment);
      if (chosen.scores) axes.push({ vectors: aligned, mean: replicate.mean, scale: replicate.scale });
      const pause = progress.step(1);
      if (pause) await pause;
    }
  } finally {
    found.release();
  }
  progress.end();
  const unitScaled = scale === 'unit' && center && !columnWeights;
  const scaling = { unitScaled, fixedTotal: scale === 'unit' };
  const numbers = (summary as ReplicateSummary).result(found.unit(), units, columns.rows, scaling);
  const how: Pick<Stability, 'method' | 'passes'> = { method, passes: found.passes + (chosen.scores ? 1 : 0) };
  const scores = chosen.scores ? { scores: await scoreLimits(source, sample.read, axes, units, engine, progress) } : {};
  return { replicates, kind, ...about, alignment, level: 0.95, seed, ...how, ...numbers, ...scores };
}

/** Replicates whose sums, counts and weights fit into memory at once: they share one reading of the rows. */
function perReading(
  { source, memory = Number.POSITIVE_INFINITY }: FittedSample,
  draws: Draws,
  products: SumKind,
): number {
  const sums = sumsLength(source.cols, products);
  const bytes = 8 * (sums + WEIGHT_COPIES * MOST_TILE_ROWS) + draws.bytes;
  return Math.max(1, Math.floor(Math.min(MOST_NUMBERS / sums, memory / bytes)));
}

interface StartedReplicates {
  readonly replicates: Replicates;
  /** The size of one unit of the replicates; known after the first replicate. */
  unit(): number;
  /** The number of readings of the rows. */
  readonly passes: number;
  release(): void;
}

async function startReplicates(
  method: Stability['method'],
  rows: BootstrapRows,
  sample: FittedSample,
  draws: Draws,
  options: ReplicateOptions & { readonly seed: number },
): Promise<StartedReplicates> {
  const { engine, progress } = rows;
  const { replicates } = options;
  let unit = 1;
  const onUnit = (size: number): void => {
    unit = size;
  };
  if (method === 'parametric') {
    return { replicates: replicatesFromNormal(rows, options, onUnit), unit: () => unit, passes: 1, release: () => {} };
  }
  if (method === 'scatter') {
    const most = perReading(sample, draws, 'pairs');
    const found = replicatesByScatter(rows, draws, options, most, onUnit);
    return { replicates: found, unit: () => unit, passes: Math.ceil((replicates + 1) / most), release: () => {} };
  }
  const group = perReading(sample, draws, 'squares');
  const wide = await WideRows.of(rows, sample.read, draws, options, group);
  const ownScale = sample.scale === 'unit' || sample.scale === 'pareto' || sample.scale === 'range';
  const found =
    method === 'dual'
      ? replicatesByDual(wide, options, ownScale, engine, progress)
      : replicatesByIteration(wide, options, engine, progress);
  // One more reading keeps the rows in memory.
  const passes = Math.ceil((replicates + 1) / group) + 1;
  return { replicates: found, unit: () => wide.unit, passes, release: () => wide.release() };
}

export type ReplicateMethod = 'scatter' | 'dual' | 'iteration';

/**
 * The cheapest method by flops, from the shape alone, so that results do not depend on the machine. Flops of an eigenproblem take four
 * times as long as those of products, and reading a number in a pass takes as long as 40 flops.
 */
export function chooseMethod(
  { source, columns, scale, k, memory }: Omit<FittedSample, 'read' | 'weights'>,
  replicates: number,
): ReplicateMethod {
  const [n, d] = [columns.rows, source.cols];
  const { sums, copied } = limitsOf({ memory });
  const eigen = (size: number): number => 4 * ((4 / 3) * size ** 3);
  const ownScale = scale === 'unit' || scale === 'pareto' || scale === 'range';
  const drawn = 0.63 * n;
  const costs: Record<ReplicateMethod, number> = {
    scatter: replicates * (n * d * d + eigen(d)),
    dual:
      (ownScale ? replicates : 1) * n * n * d + replicates * (eigen(drawn) + 2 * drawn * drawn + n * d * (80 + 4 * k)),
    iteration: replicates * EXPECTED_PASSES * n * d * (40 + 4 * (k + 6)),
  };
  const fits: Record<ReplicateMethod, boolean> = {
    scatter: sumsLength(d, 'pairs') <= sums,
    dual: n * n <= sums && n * d <= copied,
    iteration: source.resident || (source.nonzeros ?? n * d) <= copied,
  };
  const names = (Object.keys(costs) as ReplicateMethod[]).filter((name) => fits[name]);
  if (names.length === 0) {
    throw new DataError(
      'TOO_LARGE',
      `A bootstrap of ${n} rows of ${d} columns needs more memory than it may take. Leave the bootstrap out, or use fewer columns.`,
      { reason: 'memory' },
    );
  }
  return names.reduce((best, name) => (costs[name] < costs[best] ? name : best));
}

/** Passes of an iteration per replicate, for typical variances. */
const EXPECTED_PASSES = 7;

/** Gives the sample's components the signs of the model's. */
function withSigns(replicate: Replicate): Replicate {
  fixSigns(replicate.vectors, replicate.values.length, replicate.mean.length);
  return replicate;
}

/** The draws of a kind of bootstrap, and the number of units that are drawn. */
function drawsFor(
  { source, columns, weights, read, scale }: FittedSample,
  { kind, block, groups, seed }: BootstrapSettings & { readonly kind: BootstrapKind },
): { draws: Draws; units: number; about: Partial<Pick<Stability, 'block' | 'groups'>> } {
  const n = columns.rows;
  refuseFew(n, 'rows');
  if (kind === 'blocks') {
    const length = block ?? Math.ceil(Math.cbrt(n));
    if (length > n / 2) {
      throw new OptionError(
        'BAD_OPTION',
        `block is ${length}, but there are ${n} rows: at least two blocks are needed. Use a block of at most ${Math.floor(n / 2)}.`,
        { option: 'block', value: length, expected: Math.floor(n / 2) },
      );
    }
    return { draws: blockDraws(n, length, seed), units: Math.ceil(n / length), about: { block: length } };
  }
  if (kind === 'groups') {
    const { groupOf, count } = numberGroups(groups as ArrayLike<string | number>, weights, read);
    refuseFew(count, 'groups');
    return { draws: groupDraws(groupOf, count, seed), units: count, about: { groups: count } };
  }
  if (kind === 'parametric' && scale === 'range') {
    throw new OptionError(
      'BAD_OPTION',
      "kind: 'parametric' draws covariance matrices and not rows, so it knows no ranges. Use another scale than 'range', or kind: 'rows'.",
      { option: 'kind', value: kind },
    );
  }
  if (kind === 'parametric' && source.cols > MOST_PARAMETRIC) {
    throw new OptionError(
      'TOO_LARGE',
      `kind: 'parametric' draws d × d matrices, and d is ${source.cols}; ${MOST_PARAMETRIC} is the most. Use kind: 'rows'.`,
      { option: 'kind', value: source.cols, expected: MOST_PARAMETRIC },
    );
  }
  return { draws: new RowDraws(n, seed), units: n, about: {} };
}

function refuseFew(count: number, what: 'rows' | 'groups'): void {
  if (count >= FEWEST) return;
  const only = count === 1 ? `is 1 ${what.slice(0, -1)}` : `are ${count} ${what}`;
  throw new DataError(
    'TOO_FEW_ROWS',
    `There ${only} to draw from, and a bootstrap needs at least ${FEWEST}. Leave the bootstrap out${what === 'groups' ? ", or use kind: 'rows'" : ''}.`,
    { value: count, expected: FEWEST },
  );
}

/** The group index of each row that has weight. */
function numberGroups(
  labels: ArrayLike<string | number>,
  weights: ArrayLike<number> | undefined,
  read: number,
): { groupOf: Int32Array; count: number } {
  if (labels.length !== read) {
    throw new OptionError(
      'BAD_OPTION',
      `groups has ${labels.length} labels for ${read} rows. Give one label per row.`,
      {
        option: 'groups',
        value: labels.length,
        expected: read,
      },
    );
  }
  const numbers = new Map<string | number, number>();
  const groupOf: number[] = [];
  for (let i = 0; i < labels.length; i++) {
    if (weights && weights[i] === 0) continue;
    const label = labels[i];
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    groupOf.push(number);
  }
  return { groupOf: Int32Array.from(groupOf), count: numbers.size };
}
