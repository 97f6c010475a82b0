import type { CloudPoints } from '../charts/point-cloud/types.js';

/** Scores as a graphics card takes them: in float32, divided by ten to `power`. */
export interface CloudScores {
  readonly points: CloudPoints;
  /** 0 where they are of a size that people write out. */
  readonly exponent10: number;
}

/** Sizes between ten to minus this and ten to this are drawn as they are; float32 ends at 38, and squares at 19. */
const MAX_PLAIN_EXPONENT = 12;

/** One power for all axes: lengths along them stay comparable. */
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
