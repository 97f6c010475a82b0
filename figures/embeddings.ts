import type { Matrix } from 'scree';

/** Number of topics. Topic sizes follow Zipf's law: the tenth has a tenth of the texts of the first. */
const TOPICS = 400;
/** Share of the variance between topics; the rest is within topics. */
const OF_TOPIC = 0.45;
/** The spectrum: variance j is (j + 12)^−1.3, so that 95 % of the variance takes nearly half of 1536 components. */
const FALL = 1.3;
const BEND = 12;
/** Distance of the mean from the origin, as a share of the length: embeddings point roughly in one direction. */
const OFFSET = 0.5;

/**
 * Synthetic rows that resemble embeddings of texts: of length 1, in topics of very different sizes, with a spectrum that
 * falls slowly and components that mix all columns.
 */
export function embeddings(rows: number, cols: number): Matrix<Float32Array> {
  const { uniform, normal } = random(20);
  const size = 2 ** Math.ceil(Math.log2(cols));
  const deviations = Float64Array.from({ length: size }, (_, j) => (j + BEND) ** (-FALL / 2));
  const length = Math.hypot(...deviations);
  const draw = (share: number): Float64Array =>
    deviations.map((deviation) => (Math.sqrt(share) * deviation * normal()) / length);
  const centres = Array.from({ length: TOPICS }, () => draw(OF_TOPIC));
  const offset = Float64Array.from({ length: size }, () => (OFFSET * normal()) / Math.sqrt(size));
  const signs = Int8Array.from({ length: size }, () => (uniform() < 0.5 ? -1 : 1));
  const data = new Float32Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const centre = centres[Math.floor(TOPICS ** uniform()) % TOPICS];
    const row = draw(1 - OF_TOPIC);
    for (let j = 0; j < size; j++) row[j] = signs[j] * (row[j] + centre[j]);
    hadamard(row);
    for (let j = 0; j < size; j++) row[j] = row[j] / Math.sqrt(size) + offset[j];
    let square = 0;
    for (let j = 0; j < cols; j++) square += row[j] * row[j];
    const norm = Math.sqrt(square);
    for (let j = 0; j < cols; j++) data[i * cols + j] = row[j] / norm;
  }
  return { rows, cols, data };
}

/** The Walsh–Hadamard transform, in place: it spreads every factor over all columns. */
function hadamard(x: Float64Array): void {
  for (let step = 1; step < x.length; step *= 2) {
    for (let start = 0; start < x.length; start += 2 * step) {
      for (let i = start; i < start + step; i++) {
        const [a, b] = [x[i], x[i + step]];
        x[i] = a + b;
        x[i + step] = a - b;
      }
    }
  }
}

/** mulberry32 (public domain), and normal numbers by Box and Muller. */
function random(seed: number): { uniform(): number; normal(): number } {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return { uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()) };
}
