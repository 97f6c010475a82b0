import type { Engine, Scale, Stability } from '@scree/core';
import { type ColumnStatistics, columnScales } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import { fixSigns, type ProgressTracker } from '@scree/core/pipeline';
import { ReplicateSummary } from './replicate-summary.js';
import { replicateOf } from './scatter.js';

/** Moments of the rows, or of a replicate of them. */
export interface ReplicateMoments {
  readonly columns: Readonly<ColumnStatistics>;
  /** The upper triangle of the scatter, in units of `columns.unit[i]·columns.unit[j]`. */
  readonly scatter: Float64Array;
}

/** Settings of the fit of every replicate. */
export interface ReplicateSettings {
  readonly k: number;
  readonly center: boolean;
  readonly scale: Scale;
  readonly ddof: number;
  readonly columnWeights?: ArrayLike<number> | undefined;
  readonly seed: number;
}

/** The stability of components, from the moments of the sample and of its replicates. */
export async function stabilityFromMoments(
  sample: ReplicateMoments,
  replicates: readonly ReplicateMoments[],
  { k, seed, ...how }: ReplicateSettings,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Stability> {
  const { center, scale, columnWeights } = how;
  progress.begin('bootstrap', replicates.length + 1);
  let [unit, axes]: [number, Float64Array | undefined] = [0, undefined];
  let summary: ReplicateSummary | undefined;
  for (const moments of [sample, ...replicates]) {
    const { matrix, columns, size } = covarianceFromMoments(moments, how, unit);
    unit ||= size;
    const replicate = await replicateOf(columns, matrix, k, axes, engine, progress);
    if (summary) summary.add(replicate);
    else {
      fixSigns(replicate.vectors, k, columns.mean.length);
      summary = new ReplicateSummary(replicate, replicates.length, 'order');
      axes = replicate.vectors;
    }
    const pause = progress.step(1);
    if (pause) await pause;
  }
  progress.end();
  const { rows } = sample.columns;
  const scaling = { unitScaled: scale === 'unit' && center && !columnWeights, fixedTotal: scale === 'unit' };
  const numbers = (summary as ReplicateSummary).result(unit, rows, rows, scaling);
  const about = { kind: 'rows', alignment: 'order', level: 0.95, method: 'scatter', passes: 1 } as const;
  return { replicates: replicates.length, ...about, seed, ...numbers };
}

/** The covariance of scaled columns in units of unit², upper triangle. The sample, which comes first, chooses the unit. */
function covarianceFromMoments(
  { columns: stats, scatter }: ReplicateMoments,
  { center, scale: wanted, ddof, columnWeights }: Omit<ReplicateSettings, 'k' | 'seed'>,
  given: number,
): { matrix: Float64Array; columns: { mean: Float64Array; scale: Float64Array }; size: number } {
  const d = stats.mean.length;
  // If the weights sum to ddof or less, the replicate has no variance.
  const divisor = stats.weight > ddof ? stats.weight - ddof : Number.POSITIVE_INFINITY;
  const { scale } = columnScales(stats, wanted, divisor, center, columnWeights);
  const mean = center ? stats.mean : new Float64Array(d);
  // About zero, every product includes that of the means.
  const offset = stats.mean.map((value, j) => (center ? 0 : (value / scale[j]) * Math.sqrt(stats.weight / divisor)));
  const factor = stats.unit.map((size, j) => size / scale[j] / Math.sqrt(divisor));
  const largest = (): number => {
    let most = 0;
    for (let j = 0; j < d; j++) most = Math.max(most, Math.hypot(Math.sqrt(scatter[j * d + j]) * factor[j], offset[j]));
    return powerOfTwo(most);
  };
  const size = given || largest();
  const matrix = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      matrix[i * d + j] =
        scatter[i * d + j] * (factor[i] / size) * (factor[j] / size) + (offset[i] / size) * (offset[j] / size);
    }
  }
  return { matrix, columns: { mean, scale }, size };
}
