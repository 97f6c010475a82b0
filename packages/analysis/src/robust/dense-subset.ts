import { axpy, dot, symmetricEigen } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';

/** Rows in memory, n × p, packed. */
export interface PackedRows {
  readonly data: Float64Array;
  readonly n: number;
  readonly p: number;
}

/** Mean and covariance of some rows. */
export interface Moments2 {
  readonly center: Float64Array;
  /** p × p, both triangles. */
  readonly covariance: Float64Array;
  /** Number of rows. */
  readonly count: number;
}

/** Mean and covariance S/(count − ddof) of the rows with these indexes. Two passes, so that a distant origin costs no digits. */
export function momentsOf({ data, p }: PackedRows, rows: ArrayLike<number>, ddof = 1): Moments2 {
  const count = rows.length;
  const center = new Float64Array(p);
  for (let i = 0; i < count; i++) axpy(1, data, rows[i] * p, center, 0, p);
  for (let j = 0; j < p; j++) center[j] /= count;
  const covariance = new Float64Array(p * p);
  const row = new Float64Array(p);
  for (let i = 0; i < count; i++) {
    const at = rows[i] * p;
    for (let j = 0; j < p; j++) row[j] = data[at + j] - center[j];
    for (let j = 0; j < p; j++) {
      const own = row[j];
      const line = j * p;
      for (let l = j; l < p; l++) covariance[line + l] += own * row[l];
    }
  }
  const divisor = Math.max(1, count - ddof);
  for (let j = 0; j < p; j++) {
    for (let l = j; l < p; l++) {
      covariance[j * p + l] /= divisor;
      covariance[l * p + j] = covariance[j * p + l];
    }
  }
  return { center, covariance, count };
}

/** Eigenvalues of a covariance above `least` times the largest, and their vectors, one per row. */
export function spectrumOf(
  covariance: Float64Array,
  p: number,
  least = 1e-14,
): { values: Float64Array; vectors: Float64Array; rank: number } {
  const { values, vectors } = runTaskSync(symmetricEigen(covariance.slice(), p, p));
  let rank = 0;
  while (rank < p && values[rank] > least * values[0] && values[rank] > 0) rank++;
  return { values: values.slice(0, rank), vectors: vectors.slice(0, rank * p), rank };
}

/** Coordinates of all rows along `rank` directions about a centre, n × rank. */
export function coordinatesOf(
  { data, n, p }: PackedRows,
  center: Float64Array,
  vectors: Float64Array,
  rank: number,
): PackedRows {
  const out = new Float64Array(n * rank);
  const row = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < p; j++) row[j] = data[i * p + j] - center[j];
    for (let c = 0; c < rank; c++) out[i * rank + c] = dot(row, 0, vectors, c * p, p);
  }
  return { data: out, n, p: rank };
}

/** Some rows as packed rows. */
export function gathered({ data, p }: PackedRows, rows: ArrayLike<number>): PackedRows {
  const out = new Float64Array(rows.length * p);
  for (let i = 0; i < rows.length; i++) out.set(data.subarray(rows[i] * p, (rows[i] + 1) * p), i * p);
  return { data: out, n: rows.length, p };
}
