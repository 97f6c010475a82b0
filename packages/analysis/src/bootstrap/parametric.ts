import { combineRows, dot } from '@scree/core/linalg';
import { chiSquare } from '../statistics/gamma.js';
import { generatorOf } from './draws.js';
import type { ReplicateOptions, Replicates } from './replicate.js';
import {
  type BootstrapRows,
  columnScaler,
  diagonalOf,
  type ReplicateColumns,
  replicateColumns,
  replicateCovariance,
  replicateOf,
  sumReplicates,
  unitOf,
} from './scatter.js';

/** A parametric bootstrap draws no rows. Only the sample is summed. */
const NO_DRAWS = {
  bytes: 0,
  clear: (): void => {},
  write: (): void => {
    throw new TypeError('a parametric bootstrap draws no rows');
  },
};

/**
 * The parametric bootstrap: n normal rows with the sample's mean and covariance. Their covariance matrix is drawn directly, without
 * rows: with C = L Lᵀ it is L A Aᵀ Lᵀ/(n − 1), A lower triangular with normal numbers below the diagonal and √χ²(n − 1 − i) on it
 * (Bartlett 1933). d³ flops per replicate, for any number of rows.
 */
export async function* replicatesFromNormal(
  rows: BootstrapRows,
  options: ReplicateOptions & { readonly seed: number },
  onUnit: (unit: number) => void,
): Replicates {
  const { engine, progress, scale, columns: statistics } = rows;
  const { k, center } = options;
  const d = rows.source.cols;
  const scaler = columnScaler(statistics, center);
  const { sums } = await sumReplicates(rows, scaler, NO_DRAWS, [0], 'pairs', () => progress.yieldToEventLoop());
  const weight = sums[0];
  const diagonal = diagonalOf(d);
  const columnsOf = (sums: Float64Array): ReplicateColumns =>
    replicateColumns(
      weight,
      sums.subarray(1, 1 + d),
      Float64Array.from(diagonal, (at) => sums[at]),
      scaler,
      scale,
      options,
      undefined,
    );
  const sampleColumns = columnsOf(sums);
  const unit = unitOf(sampleColumns.deviations);
  onUnit(unit);
  const sample = await replicateOf(
    sampleColumns,
    replicateCovariance(sums, sampleColumns, scaler, center, unit),
    k,
    undefined,
    engine,
    progress,
  );
  yield sample;

  // The scatter about the mean in the units of the sums, and its factor L = VᵀΛ^½ with one column per dimension of its rank.
  const means = sums.slice(1, 1 + d).map((sum) => (center ? sum / weight : 0));
  const scatter = new Float64Array(d * d);
  for (let i = 0, at = 1 + d; i < d; i++) {
    for (let j = i; j < d; j++, at++) scatter[i * d + j] = sums[at] - means[i] * sums[1 + j];
  }
  const freedom = statistics.rows - (center ? 1 : 0);
  const { values, vectors } = await engine.symmetricEigen(scatter, d, d, () => progress.yieldToEventLoop());
  const rank = Math.min(freedom, values.filter((value) => value > d * 2 ** -52 * values[0]).length);
  const factors = vectors.slice(0, rank * d);
  for (let r = 0; r < rank; r++) for (let j = 0; j < d; j++) factors[r * d + j] *= Math.sqrt(values[r] / freedom);

  for (let number = 1; number <= options.replicates; number++) {
    const rng = generatorOf(options.seed, number);
    // Rows of Aᵀ: row i has A's column i.
    const transposed = new Float64Array(rank * rank);
    for (let i = 0; i < rank; i++) {
      transposed[i * rank + i] = Math.sqrt(chiSquare(freedom - i, rng));
      for (let r = i + 1; r < rank; r++) transposed[i * rank + r] = rng.normal();
    }
    const drawn = combineRows(transposed, rank, factors, rank, d);
    const shift = combineRows(Float64Array.from({ length: rank }, rng.normal), 1, factors, rank, d);
    const own = new Float64Array(sums.length);
    own[0] = weight;
    for (let j = 0; j < d; j++) own[1 + j] = center ? weight * means[j] + Math.sqrt(weight) * shift[j] : 0;
    const columnsFirst = new Float64Array(d * rank);
    for (let r = 0; r < rank; r++) for (let j = 0; j < d; j++) columnsFirst[j * rank + r] = drawn[r * d + j];
    for (let i = 0, at = 1 + d; i < d; i++) {
      const mean = own[1 + i] / weight;
      for (let j = i; j < d; j++, at++) {
        own[at] = dot(columnsFirst, i * rank, columnsFirst, j * rank, rank) + mean * own[1 + j];
      }
    }
    const columns = columnsOf(own);
    yield await replicateOf(
      columns,
      replicateCovariance(own, columns, scaler, center, unit),
      k,
      sample.vectors,
      engine,
      progress,
    );
    const pause = progress.step(1);
    if (pause) await pause;
  }
}
