import type { RowSource } from '../../data/open-source.js';
import type { Scale } from '../../data/scaling.js';
import type { ColumnStatistics } from '../../data/statistics.js';
import { rowWeights } from '../../data/weights.js';
import type { Engine } from '../../engines/engine.js';
import { DataError, OptionError } from '../../errors.js';
import { fixSigns } from '../../model/finish.js';
import type { Stability } from '../../model/stability.js';
import type { ProgressTracker } from '../../progress.js';
import type { Chosen } from './choices.js';
import { BlockDraws, type Draws, GroupDraws, RowDraws } from './draws.js';
import type { Replicate } from './replicate.js';
import { type Rows, replicatesByScatter, sumsLength } from './scatter.js';
import { Summary } from './summary.js';

/** Rows that were fitted, and what is asked of them. */
export interface Sample {
  /** The rows, which can be read again. */
  readonly source: RowSource;
  /** Rows of the source, including those of weight 0. */
  readonly read: number;
  readonly columns: Readonly<ColumnStatistics>;
  readonly weights: ArrayLike<number> | undefined;
  readonly center: boolean;
  readonly scale: Scale;
  readonly ddof: number;
  /** Components of the model. */
  readonly k: number;
}

/** Numbers that sums of replicates may take at once: 512 MB. */
const MOST_NUMBERS = 1 << 26;
/** Fewer rows or groups than this are no sample to draw from. */
const FEWEST = 3;

/** Draws replicates of the rows and says how much their components differ from the sample's. */
export async function stabilityOf(
  sample: Sample,
  chosen: Chosen,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Stability> {
  const { source, columns, center, ddof, scale, k } = sample;
  const { replicates, kind, alignment, seed } = chosen;
  const { draws, units, about } = drawsFor(sample, chosen);
  const rows: Rows = { source, columns, weights: rowWeights(sample.weights, sample.read), scale, engine, progress };
  let unit = 1;
  const options = { k, replicates, center, ddof };
  const most = Math.max(1, Math.floor(MOST_NUMBERS / sumsLength(source.cols)));
  const found = replicatesByScatter(rows, draws, options, most, (size) => {
    unit = size;
  });
  progress.begin('bootstrap', 2 * (replicates + 1));
  let summary: Summary | undefined;
  for await (const replicate of found) {
    if (summary) summary.add(replicate);
    else summary = new Summary(withSigns(replicate), replicates, alignment);
    const pause = progress.step(1);
    if (pause) await pause;
  }
  progress.end();
  return {
    replicates,
    kind,
    ...about,
    alignment,
    level: 0.95,
    seed,
    method: 'scatter',
    passes: Math.ceil((replicates + 1) / most),
    ...(summary as Summary).result(unit, units, columns.rows, scale === 'unit' && center),
  };
}

/** The sample's components with the signs of the model's. */
function withSigns(replicate: Replicate): Replicate {
  fixSigns(replicate.vectors, replicate.values.length, replicate.mean.length);
  return replicate;
}

/** The draws of a kind, and how many units are drawn from. */
function drawsFor(
  { columns, weights, read }: Sample,
  { kind, block, groups, seed }: Chosen,
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
    return { draws: new BlockDraws(n, length, seed), units: Math.ceil(n / length), about: { block: length } };
  }
  if (kind === 'groups') {
    const { groupOf, count } = numberGroups(groups as ArrayLike<string | number>, weights, read);
    refuseFew(count, 'groups');
    return { draws: new GroupDraws(groupOf, count, seed), units: count, about: { groups: count } };
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

/** The number of each row's group, for rows that have weight. */
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
