import { runTaskSync } from '../../base/progress.js';
import { type DenseBlock, packTile } from '../../data/blocks/block.js';
import type { Matrix, NumberArray } from '../../data/blocks/matrix.js';
import { type Row, RowGatherer } from '../../data/inputs/row-gatherer.js';
import { isMatrix, toBlock } from '../../data/inputs/to-block.js';
import { blockStatistics } from '../../data/statistics/block-statistics.js';
import { DataChecksum } from '../../data/statistics/checksum.js';
import { checkScale, chooseScaler, columnScales, type Scale } from '../../data/statistics/scaling.js';
import { DataError, describeValue } from '../../errors.js';

/** The data of `descend`: rows in memory. */
export type DescentData = readonly Row[] | Matrix<NumberArray>;

/** Rows as the rules see them: B (n × d), centred, scaled and of size 1. */
export interface DescentRows {
  readonly rows: Float64Array;
  readonly n: number;
  readonly d: number;
  /** Size of one unit of B in the units of the data. */
  readonly unit: number;
  /** ‖B‖². */
  readonly scatterTrace: number;
  /** The seed, mixed with a checksum of the rows. */
  readonly startSeed: number;
}

/** Checks rows, and centres and scales them. */
export function descentRows(
  data: DescentData,
  {
    center,
    scale,
    ddof,
    seed = 0,
  }: { readonly center: boolean; readonly scale: Scale; readonly ddof: number; readonly seed?: number },
): DescentRows {
  const { block, names } = blockOf(data);
  const { rows: n, cols: d } = block;
  if (n < 2) {
    throw new DataError('TOO_FEW_ROWS', 'There is 1 row, and variance needs at least 2.', { value: n, expected: 2 });
  }
  checkScale(scale, d);
  const stats = runTaskSync(blockStatistics(block, undefined, 0, names));
  const scaler = chooseScaler(stats, columnScales(stats, scale, n - ddof, center).scale, center);
  if (scaler.scatterTrace === 0) {
    throw new DataError('BAD_DATA', 'All rows are the same, so there is no variance to find. Pass rows that differ.');
  }
  const rows = new Float64Array(n * d);
  packTile(block, scaler, { from: 0, to: n, left: 0, right: d }, rows);
  const checksum = new DataChecksum();
  checksum.add(block);
  const { unit, scatterTrace } = scaler;
  return { rows, n, d, unit, scatterTrace, startSeed: checksum.seed(seed, stats) };
}

/** Rows or a matrix as one dense block. */
function blockOf(data: DescentData): { block: DenseBlock; names?: readonly string[] | undefined } {
  if (isMatrix(data)) {
    const block = toBlock(data);
    if (block.kind === 'dense') return { block };
  } else if (Array.isArray(data) && data.length > 0) {
    const gather = new RowGatherer(data[0], { capacity: data.length, float32: false });
    // By index, because forEach skips holes.
    for (let i = 0; i < data.length; i++) gather.add(data[i], i);
    return { block: gather.take(), names: gather.names };
  }
  throw new DataError(
    Array.isArray(data) ? 'EMPTY_DATA' : 'BAD_DATA',
    `descend needs rows in memory, an array of rows or a dense matrix, not ${describeValue(data)}.`,
  );
}
