import { random } from '../../linalg/random.js';
import { dot } from '../../linalg/vector.js';
import type { Warning } from '../../warning.js';
import { type Block, identityScaler, packTile, type Scaler } from '../blocks/block.js';
import type { RowSource } from '../blocks/row-source.js';

/** Entries that differ by less count as equal, because correlations may be rounded, for example to float32. */
const ROUNDING = 1e-6;

/**
 * Checks whether rows form a correlation matrix: square, symmetric, with 1 on the diagonal and entries from −1 to 1. Some entries
 * must differ from −1, 0 and 1, because an identity matrix is more likely a table of classes. For most data, the check ends at
 * the first number.
 *
 * Symmetry is checked without a copy of the rows: for random r, the products Xr and Xᵀr are equal if and only if X is symmetric.
 */
export class CorrelationMatrixCheck {
  readonly #d: number;
  readonly #scaler: Scaler;
  #possible = true;
  #rows = 0;
  #correlated = false;
  #state: Record<'row' | 'r' | 'products' | 'transposed', Float64Array> | undefined;

  constructor(d: number) {
    this.#d = d;
    this.#scaler = identityScaler(d);
  }

  /** Adds the next rows. */
  add(block: Block): void {
    for (let i = 0; i < block.rows && this.#possible; i++) this.#possible = this.#addRow(block, i);
  }

  get found(): boolean {
    if (!this.#possible || !this.#correlated || !this.#state || this.#rows !== this.#d) return false;
    const { r, products, transposed } = this.#state;
    const most = ROUNDING * r.reduce((sum, value) => sum + Math.abs(value), 0);
    return products.every((product, i) => Math.abs(product - transposed[i]) <= most);
  }

  #addRow(block: Block, at: number): boolean {
    const d = this.#d;
    const i = this.#rows++;
    if (i >= d || block.cols !== d) return false;
    const diagonal = new Float64Array(1);
    packTile(block, this.#scaler, { from: at, to: at + 1, left: i, right: i + 1 }, diagonal);
    if (!(Math.abs(diagonal[0] - 1) <= ROUNDING)) return false;
    this.#state ??= {
      row: new Float64Array(d),
      r: new Float64Array(d).map(random(0).normal),
      products: new Float64Array(d),
      transposed: new Float64Array(d),
    };
    const { row, r, products, transposed } = this.#state;
    packTile(block, this.#scaler, { from: at, to: at + 1, left: 0, right: d }, row);
    for (let j = 0; j < d; j++) {
      const size = Math.abs(row[j]);
      if (!(size <= 1 + ROUNDING)) return false;
      if (j !== i && size > ROUNDING && size < 1 - ROUNDING) this.#correlated = true;
      transposed[j] += r[i] * row[j];
    }
    products[i] = dot(row, 0, r, 0, d);
    return true;
  }

  /** The warning, if the rows form a correlation matrix. */
  warnings(): Warning[] {
    return this.found ? [correlationWarning(this.#d)] : [];
  }
}

/** Reads a source again to check whether it is a correlation matrix. */
export async function correlationWarnings(source: RowSource): Promise<readonly Warning[]> {
  const check = new CorrelationMatrixCheck(source.cols);
  for await (const block of source.blocks()) check.add(block);
  return check.warnings();
}

function correlationWarning(d: number): Warning {
  return {
    code: 'CORRELATION_MATRIX',
    message: `These ${d} rows of ${d} columns look like a correlation matrix, because they are symmetric with 1 on the diagonal. PCA takes them for rows of data, and its variances are not those of the data behind the matrix. Pass the rows that the matrix was computed from, with scale: 'unit'. If you have only the matrix, use modelFrom({ covariance }) of @scree/core/exchange.`,
    details: { rows: d },
  };
}
