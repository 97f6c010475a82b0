import { RowMatrix } from '../data/blocks/row-matrix.js';
import { momentsFromBytes, momentsToBytes } from '../data/storage/moments-bytes.js';
import { MomentSums } from './moment-sums.js';

export type { AddOptions } from './moment-sums.js';

/**
 * Mergeable moments of rows: their number, their mean and their scatter S = Σw(x − x̄)(x − x̄)ᵀ. The covariance solver needs only
 * the moments. Partial fits, files and clusters compute moments of parts of the rows and merge them.
 *
 * Two sets of rows merge exactly (Chan, Golub & LeVeque 1983): S = S₁ + S₂ + (w₁w₂/w)·δδᵀ, δ = x̄₂ − x̄₁. Nothing is
 * ever computed as Σxxᵀ − n·x̄x̄ᵀ, so data far from the origin lose no digits. Memory O(d²).
 */
export class Moments extends MomentSums {
  /** The moments as bytes, exact to the last bit: `Moments.fromBinary` continues as if reading had never been interrupted. */
  toBinary(): Uint8Array {
    return momentsToBytes(this.state);
  }

  /** Reads what `toBinary` wrote. */
  static fromBinary(bytes: Uint8Array): Moments {
    const stored = momentsFromBytes(bytes);
    const moments = new Moments(stored.cols, stored.columnNames ?? undefined);
    moments.restore(stored);
    return moments;
  }

  /** The covariance matrix S/(Σw − ddof) in the data's own units, both triangles (d × d). */
  covariance(ddof = 1): RowMatrix<Float64Array> {
    const d = this.cols;
    const { unit } = this.columns;
    const { scatter } = this;
    const out = new Float64Array(d * d);
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        const value = (scatter[i * d + j] / (this.weight - ddof)) * unit[i] * unit[j];
        out[i * d + j] = value;
        out[j * d + i] = value;
      }
    }
    return new RowMatrix(d, d, out, this.columnNames);
  }
}
