import type { CloudPoints } from '../charts/point-cloud/types.js';

/** Scores for the graphics card: float32, divided by 10^exponent10. */
export interface CloudScores {
  readonly points: CloudPoints;
  /** 0 for scores of ordinary size. */
  readonly exponent10: number;
}

/** Scores between 10^−12 and 10^12 are not divided. The largest float32 is about 10^38, so squares are finite up to 10^19. */
const MAX_PLAIN_EXPONENT = 12;

/** One exponent for all axes, so that lengths stay comparable. */
export function cloudScores([x, y, z]: readonly Float64Array[]): CloudScores {
  const size = Math.max(largest(x), largest(y), z ? largest(z) : 0);
  const exponent = size > 0 && Number.isFinite(size) ? Math.floor(Math.log10(size)) : 0;
  const exponent10 = Math.abs(exponent) > MAX_PLAIN_EXPONENT ? exponent : 0;
  const drawn = (scores: Float64Array): Float32Array =>
    exponent10 === 0 ? Float32Array.from(scores) : Float32Array.from(scores, (score) => score / 10 ** exponent10);
  return { points: { x: drawn(x), y: drawn(y), ...(z ? { z: drawn(z) } : {}) }, exponent10 };
}

function largest(scores: Float64Array): number {
  let most = 0;
  for (let i = 0; i < scores.length; i++) most = Math.max(most, Math.abs(scores[i]));
  return most;
}
