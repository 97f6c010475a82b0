import type { CanonicalCsr } from './csr.js';
import { numbersOf } from './float16.js';
import type { NumberArray } from './matrix.js';

/** Rows of the data, dense or sparse, checked and in a fixed layout. Sources yield blocks. */
export type Block = DenseBlock | SparseBlock;

/** Rows with a number in every column. */
export interface DenseBlock {
  readonly kind: 'dense';
  readonly rows: number;
  readonly cols: number;
  readonly stride: number;
  readonly data: NumberArray;
  /** True if the data are 16-bit integers with the bits of half-precision numbers. */
  readonly half?: boolean;
}

/** Rows that store only entries other than 0. */
export interface SparseBlock extends CanonicalCsr {
  readonly kind: 'sparse';
}

/**
 * Centring, scaling and weighting of the rows of a block: entry (i, j) of B is √wᵢ·(xᵢⱼ − shiftⱼ)·factorⱼ, in formulas
 * B = W^½(X − 1sᵀ)F. No centred or scaled copy of the data is made: passes apply the scaler.
 */
export interface Scaler {
  readonly shift: Float64Array;
  readonly factor: Float64Array;
  /** √wᵢ for the rows of the block; all 1 when left out. */
  readonly rootWeights?: Float64Array;
  /** The mean of ‖b‖² over all rows b of B, of all blocks, if it is known. */
  readonly rowSquare?: number;
}

/** The scaler that changes nothing, for d columns. */
export function identityScaler(d: number): Scaler {
  return { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
}

/** A part of a matrix: rows from, …, to − 1 and columns left, …, right − 1. */
export interface TileRange {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
}

/** The layout of a tile: the index of its first entry, and the distances between neighbours in a column and in a row. */
export interface TileLayout {
  readonly start?: number;
  readonly down?: number;
  readonly across?: number;
}

/** Writes a part of B into `tile`. By default, the tile is packed and row-major. */
export function packTile(
  block: Block,
  scaler: Scaler,
  { from, to, left, right }: TileRange,
  tile: Float64Array,
  { start = 0, down = right - left, across = 1 }: TileLayout = {},
): void {
  const width = right - left;
  const { shift, factor } = scaler;
  if (block.kind === 'dense' && across > 1 && !block.half) {
    const { data, stride } = block;
    for (let j = left; j < right; j++) {
      // Read once, because the compiler cannot exclude that they overlap with the tile.
      const own = shift[j];
      const times = factor[j];
      const target = start + (j - left) * across;
      for (let i = from; i < to; i++) tile[target + (i - from) * down] = (data[i * stride + j] - own) * times;
    }
  } else if (block.kind === 'dense') {
    for (let i = from; i < to; i++) {
      const source = i * block.stride + left;
      const numbers = block.half ? numbersOf(block, source, source + width) : block.data;
      const row = block.half ? 0 : source;
      for (let c = 0, target = start + (i - from) * down; c < width; c++, target += across) {
        tile[target] = (numbers[row + c] - shift[left + c]) * factor[left + c];
      }
    }
  } else {
    for (let i = from; i < to; i++) {
      const target = start + (i - from) * down;
      for (let c = 0; c < width; c++) tile[target + c * across] = -shift[left + c] * factor[left + c];
      for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) {
        const j = block.indices[at];
        if (j < left || j >= right) continue;
        tile[target + (j - left) * across] = (block.data[at] - shift[j]) * factor[j];
      }
    }
  }
  if (scaler.rootWeights) {
    for (let i = from; i < to; i++) {
      const root = scaler.rootWeights[i];
      const target = start + (i - from) * down;
      for (let c = 0; c < width; c++) tile[target + c * across] *= root;
    }
  }
}
