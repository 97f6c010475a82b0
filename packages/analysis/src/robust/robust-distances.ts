import type { RowSource } from '@scree/core';
import { checkFinite } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import { chooseEngine, type ProgressTracker, reconstructBlock } from '@scree/core/pipeline';
import { upperChiSquared, upperF } from '../statistics/distributions.js';
import { orthogonalLimit, twoThirds } from './projection.js';
import { median, medianDeviation } from './robust-order.js';
import type { SubspaceOfColumns } from './robust-rows.js';

/** Distances of rows from a robust subspace. */
export interface RobustDistances {
  /** √Σ zᵢ²/λᵢ within the subspace. */
  readonly score: Float64Array;
  /** ‖b − VᵀVb‖, in the scaled units of the model. */
  readonly orthogonal: Float64Array;
}

/** Limits of both distances. */
export interface DistanceLimits {
  readonly score: number;
  /** null if the components leave nothing out. */
  readonly orthogonal: number | null;
}

/** The level of the limits, as in the literature: about 2.5 % of good rows are beyond each. */
export const LEVEL = 0.975;
/** Orthogonal distances below this share of the median distance from the centre are rounding. */
const ROUNDING = 1e-9;

/** Reads all rows once. `unit` is a power of two near their spread. */
export async function distancesFrom(
  source: RowSource,
  { mean, components, variances }: SubspaceOfColumns,
  scale: Float64Array,
  progress: ProgressTracker,
): Promise<RobustDistances & { readonly typical: number }> {
  const k = variances.length;
  const d = source.cols;
  const unit = powerOfTwo(Math.sqrt(variances[0])) || 1;
  const measured = { components: { rows: k, cols: d, data: components }, mean, scale: scale.map((s) => s * unit) };
  const inverse = variances.map((variance) => (variance > 0 ? unit / Math.sqrt(variance) : 0));
  const score: number[] = [];
  const orthogonal: number[] = [];
  const lengths: number[] = [];
  let first = 0;
  progress.begin('robust distances', source.rows);
  for await (const block of source.blocks()) {
    await progress.follow(checkFinite(block, first, source.columnNames));
    const engine = await chooseEngine({}, block.data.length);
    const { scores, errors, squares } = await reconstructBlock(measured, block, engine, progress.onStep);
    for (let i = 0; i < block.rows; i++) {
      let sum = 0;
      for (let c = 0; c < k; c++) sum += (scores[i * k + c] * inverse[c]) ** 2;
      score.push(Math.min(Math.sqrt(sum), Number.MAX_VALUE));
      orthogonal.push(Math.min(Math.sqrt(errors[i]) * unit, Number.MAX_VALUE));
      lengths.push(Math.sqrt(squares[i]) * unit);
    }
    first += block.rows;
  }
  progress.end();
  return { score: Float64Array.from(score), orthogonal: Float64Array.from(orthogonal), typical: median(lengths) };
}

/**
 * The 97.5 % limits: √χ²_k of the score distance, and (μ + σz)^(3/2) of the orthogonal distance, with median and median absolute deviation
 * of its power 2/3 (Hubert, Rousseeuw & Vanden Branden 2005, §3; `pca.distances` of rrcov).
 */
export function distanceLimits(
  { orthogonal, typical }: Pick<RobustDistances, 'orthogonal'> & { readonly typical: number },
  k: number,
  dimensions: number,
): DistanceLimits {
  if (k >= dimensions) return { score: Math.sqrt(upperChiSquared(1 - LEVEL, k)), orthogonal: null };
  return {
    score: Math.sqrt(upperChiSquared(1 - LEVEL, k)),
    orthogonal: Math.max(ROUNDING * typical, orthogonalLimit(spread(orthogonal), LEVEL)),
  };
}

/** Efficiency of the median absolute deviation for normal rows: it knows as much of a spread as the deviation of 37 % of them. */
const EFFICIENCY = 0.37;

/**
 * Limits beyond which a row lies apart from all others: of 100 tables of n normal rows, about 5 have such a row (Bonferroni). Centre,
 * variances and spread are robust estimates of the m rows that are not flagged, and as uncertain as classical ones of 37 % of them. So
 * χ²_k becomes k(ν² − 1)/(ν(ν − k))·F with ν = k + 0.37m, and z becomes t with 0.37m degrees of freedom.
 */
export function strictLimits(
  { orthogonal }: RobustDistances,
  { orthogonal: usual }: DistanceLimits,
  k: number,
  regular: number,
): DistanceLimits {
  const n = orthogonal.length;
  const beyond = 0.05 / (2 * n);
  const degrees = Math.max(1, EFFICIENCY * regular);
  const nu = k + degrees;
  const f = upperF(beyond, k, degrees);
  const t = Math.sqrt(upperF(2 * beyond, 1, degrees));
  const { center, scale } = spread(orthogonal);
  return {
    score: Math.sqrt(((k * (nu * nu - 1)) / (nu * degrees)) * f),
    orthogonal: usual === null ? null : Math.max(usual, (center + scale * t) ** 1.5),
  };
}

function spread(orthogonal: Float64Array): { center: number; scale: number } {
  const powers = orthogonal.map(twoThirds);
  const center = median(powers);
  return { center, scale: medianDeviation(powers, center) };
}

/** Indexes of the rows beyond a limit, in order. */
export function rowsBeyond({ score, orthogonal }: RobustDistances, limits: DistanceLimits): number[] {
  const most = limits.orthogonal ?? Number.POSITIVE_INFINITY;
  const rows: number[] = [];
  for (let i = 0; i < score.length; i++) if (score[i] > limits.score || orthogonal[i] > most) rows.push(i);
  return rows;
}
