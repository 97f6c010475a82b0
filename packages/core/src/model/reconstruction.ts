import type { ProgressTracker } from '../base/progress.js';
import { type Block, packTile, type Scaler, type SparseBlock } from '../data/blocks/block.js';
import type { Matrix } from '../data/blocks/matrix.js';
import { chooseEngine } from '../engines/choose.js';
import type { Engine, OnStep } from '../engines/engine.js';
import { axpy, dot } from '../linalg/vector.js';
import { scalerOf } from './scaler-of.js';

/** Number of rows between two calls of `onStep`. */
const TILE_ROWS = 256;
/** If ‖b‖² − ‖z‖² is a smaller share of ‖b‖², fewer than ten of its digits are right. */
const LOST_DIGITS_SHARE = 1e-5;

/** The parts of a model that reconstruction needs. */
interface Subspace {
  readonly components: Matrix<Float64Array>;
  readonly mean: Float64Array;
  readonly scale: Float64Array;
}

/** The reconstruction of the rows b = (x − mean)/scale of a block by the components V. */
export interface Reconstruction {
  /** z = Vb, not whitened: rows × k. */
  readonly scores: Float64Array;
  /** ‖b‖² of every row. */
  readonly squares: Float64Array;
  /** ‖b − VᵀVb‖² of every row. */
  readonly errors: Float64Array;
}

/** Computes the reconstruction errors of the rows of a source, block by block. */
export class ErrorCollector {
  readonly #model: Subspace;
  readonly #threads: number | undefined;
  readonly #errors: Float64Array[] = [];

  constructor(model: Subspace, threads: number | undefined) {
    this.#model = model;
    this.#threads = threads;
  }

  async add(block: Block, progress: ProgressTracker): Promise<void> {
    const engine = await chooseEngine({ threads: this.#threads }, block.data.length);
    const { errors } = await reconstructBlock(this.#model, block, engine, (rows) => progress.step(rows));
    this.#errors.push(errors);
  }

  all(): Float64Array {
    return joined(this.#errors);
  }
}

/**
 * Computes scores and reconstruction errors of a block of finite rows. The error of a row is ‖b‖² − ‖z‖², which needs one product
 * by the engine. If the difference would lose digits, the error is computed as ‖b − VᵀVb‖², row by row.
 */
export async function reconstructBlock(
  model: Subspace,
  block: Block,
  engine: Engine,
  onStep: OnStep,
): Promise<Reconstruction> {
  const { rows: k, cols: d, data: components } = model.components;
  const scaler = scalerOf(model);
  const loaded = await engine.load(block);
  const scores = new Float64Array(block.rows * k);
  await loaded.multiply(scaler, components, k, scores, () => onStep(0));
  loaded.release();
  const squares = new Float64Array(block.rows);
  const errors = new Float64Array(block.rows);
  // A sparse row is unpacked only if the difference would lose digits.
  const empty = block.kind === 'sparse' ? dotOfShift(scaler) : 0;
  const height = block.kind === 'sparse' ? 1 : Math.min(TILE_ROWS, block.rows);
  const tile = new Float64Array(height * d);
  for (let from = 0; from < block.rows; from += TILE_ROWS) {
    const to = Math.min(block.rows, from + TILE_ROWS);
    if (block.kind === 'dense') packTile(block, scaler, { from, to, left: 0, right: d }, tile);
    for (let i = from; i < to; i++) {
      const start = block.kind === 'dense' ? (i - from) * d : 0;
      squares[i] = block.kind === 'dense' ? dot(tile, start, tile, start, d) : sparseSquare(block, scaler, i, empty);
      const rest = squares[i] - dot(scores, i * k, scores, i * k, k);
      if (rest > LOST_DIGITS_SHARE * Math.max(squares[i], empty)) {
        errors[i] = rest;
        continue;
      }
      if (block.kind === 'sparse') packTile(block, scaler, { from: i, to: i + 1, left: 0, right: d }, tile);
      errors[i] = removeComponents(model.components, tile, start);
    }
    const pause = onStep(to - from);
    if (pause) await pause;
  }
  return { scores, squares, errors };
}

/** ‖b‖² of a row without stored entries. */
function dotOfShift({ shift, factor }: Scaler): number {
  let sum = 0;
  for (let j = 0; j < shift.length; j++) sum += (shift[j] * factor[j]) ** 2;
  return sum;
}

/** ‖b‖² of a sparse row: a stored x replaces s² by (x − s)² = s² + x(x − 2s). */
function sparseSquare(
  { indptr, indices, data }: SparseBlock,
  { shift, factor }: Scaler,
  i: number,
  empty: number,
): number {
  let sum = empty;
  for (let at = indptr[i]; at < indptr[i + 1]; at++) {
    const j = indices[at];
    sum += data[at] * (data[at] - 2 * shift[j]) * factor[j] * factor[j];
  }
  return Math.max(0, sum);
}

/** Replaces the row b that begins at `start` by its residual b − VᵀVb. Returns ‖b − VᵀVb‖². */
export function removeComponents(
  { rows: k, cols: d, data }: Matrix<Float64Array>,
  row: Float64Array,
  start = 0,
): number {
  for (let c = 0; c < k; c++) axpy(-dot(data, c * d, row, start, d), data, c * d, row, start, d);
  return dot(row, start, row, start, d);
}

function joined(parts: readonly Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0];
  const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
