import type { Engine, RowSource } from '@scree/core';
import type { MatrixLimits, ProgressTracker } from '@scree/core/pipeline';
import { standardErrors } from './intervals.js';

/** The components of a replicate, aligned with the sample's, and its mean and scale. The sample comes first. */
export interface AlignedAxes {
  readonly vectors: Float64Array;
  readonly mean: Float64Array;
  readonly scale: Float64Array;
}

/** Replicates of one pass, whose scores of a block are in memory together. */
const TOGETHER = 8;

/**
 * 95 % limits of every row's scores, n × k, row-major: z ± reach·√(mean of (z_b − z)²), with z_b the score of the row in replicate b.
 * With a = v/scale it is z_b = (x − m)ᵀa − (m_b − m)ᵀa, m the sample's mean: one reading of the rows for all replicates.
 */
export async function scoreLimits(
  source: RowSource,
  rows: number,
  axes: readonly AlignedAxes[],
  units: number,
  engine: Engine,
  progress: ProgressTracker,
): Promise<MatrixLimits> {
  const [sample] = axes;
  const d = sample.mean.length;
  const k = sample.vectors.length / d;
  const scaler = { shift: sample.mean, factor: new Float64Array(d).fill(1) };
  const reach = standardErrors(units);
  const [low, high]: [number[], number[]] = [[], []];
  progress.begin('bootstrap of scores', rows * axes.length);
  for await (const block of source.blocks()) {
    const loaded = await engine.load(block);
    const squares = new Float64Array(block.rows * k);
    const scoresOf = async (some: readonly AlignedAxes[]): Promise<Float64Array> => {
      const width = some.length * k;
      const { vectors, offsets } = stacked(some, sample.mean, k, d);
      const scores = new Float64Array(block.rows * width);
      await loaded.multiply(scaler, vectors, width, scores, (done) => progress.step(done * some.length));
      for (let at = 0; at < scores.length; at++) scores[at] -= offsets[at % width];
      return scores;
    };
    const own = await scoresOf([sample]);
    for (let from = 1; from < axes.length; from += TOGETHER) {
      const some = axes.slice(from, from + TOGETHER);
      const scores = await scoresOf(some);
      for (let at = 0; at < scores.length; at++) {
        const to = Math.floor(at / (some.length * k)) * k + (at % k);
        squares[to] += (scores[at] - own[to]) ** 2;
      }
    }
    loaded.release();
    for (let at = 0; at < own.length; at++) {
      const error = reach * Math.sqrt(squares[at] / (axes.length - 1));
      low.push(own[at] - error);
      high.push(own[at] + error);
    }
  }
  progress.end();
  return { low, high };
}

/** a = v/scale of several replicates, row-major, and (m_b − m)ᵀa of each. */
function stacked(
  axes: readonly AlignedAxes[],
  mean: Float64Array,
  k: number,
  d: number,
): { vectors: Float64Array; offsets: Float64Array } {
  const vectors = new Float64Array(axes.length * k * d);
  const offsets = new Float64Array(axes.length * k);
  axes.forEach((each, b) => {
    for (let c = 0; c < k; c++) {
      const row = b * k + c;
      for (let j = 0; j < d; j++) {
        const a = each.vectors[c * d + j] / each.scale[j];
        vectors[row * d + j] = a;
        offsets[row] += (each.mean[j] - mean[j]) * a;
      }
    }
  });
  return { vectors, offsets };
}
