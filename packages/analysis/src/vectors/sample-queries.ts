import { type Data, DataError, type RowSource } from '@scree/core';
import { keepRows, openSource } from '@scree/core/data';
import { random } from '@scree/core/linalg';
import type { ProgressTracker } from '@scree/core/pipeline';
import type { Neighbours, Queries } from './exact-neighbours.js';
import type { QuerySet } from './measure.js';
import { squareOf } from './query/exact-products.js';
import { gatherRows, type RowChunk, rowChunks } from './row-chunks.js';

/** Queries that are drawn if the caller names no number. */
const QUERIES = 1000;
/** With fewer vectors there is nothing to choose: each half of the queries has at least one. */
const FEWEST_VECTORS = 10;

/** OpenVectors that can be read again, and their number. */
export interface OpenVectors {
  readonly source: RowSource;
  readonly n: number;
}

/** Opens vectors. OpenVectors of a stream are kept. */
export async function openVectors(data: Data, progress: ProgressTracker): Promise<OpenVectors> {
  const opened = await openSource(data, progress);
  const source = opened.rereadable ? opened : await keepRows(opened, progress.onStep);
  let n = source.rows;
  if (n === undefined) {
    n = 0;
    for await (const { rows } of rowChunks(source, progress, 'counting vectors')) n += rows;
  }
  return { source, n };
}

/** Draws rows as queries, or takes the queries that are given. Their order is random, so that halves of them are random too. */
export async function chooseQueries(
  { source, n }: OpenVectors,
  given: Data | number | undefined,
  seed: number,
  progress: ProgressTracker,
): Promise<Queries> {
  const d = source.cols;
  const uniform = random(seed).uniform;
  if (typeof given === 'object') {
    const { source: other, n: count } = await openVectors(given, progress);
    if (other.cols !== d)
      throw new DataError('WIDTH_MISMATCH', `The queries have ${other.cols} numbers, and the vectors have ${d}.`, {
        value: other.cols,
        expected: d,
      });
    if (count < 2)
      throw new DataError('TOO_FEW_ROWS', 'Pass two queries or more: half of them choose, and half of them measure.');
    const data = await gatherRows(other, distinct(count, count, uniform), progress);
    return { data, count, d, own: new Int32Array(count).fill(-1) };
  }
  if (n < FEWEST_VECTORS)
    throw new DataError('TOO_FEW_ROWS', `${n} vectors are too few to measure recall. Pass ${FEWEST_VECTORS} or more.`, {
      value: n,
      expected: FEWEST_VECTORS,
    });
  const count = Math.max(2, Math.min(given ?? QUERIES, Math.floor(n / 5)));
  const rows = distinct(n, count, uniform);
  return { data: await gatherRows(source, rows, progress), count, d, own: Int32Array.from(rows) };
}

/** `count` distinct numbers below n in random order (Fisher and Yates, without the list of all). */
export function distinct(n: number, count: number, uniform: () => number): number[] {
  const moved = new Map<number, number>();
  return Array.from({ length: count }, (_, i) => {
    const j = i + Math.floor(uniform() * (n - i));
    const value = moved.get(j) ?? j;
    moved.set(j, moved.get(i) ?? i);
    return value;
  });
}

/** Rows without a position in the source. */
export function looseRows(data: Float32Array, d: number): RowChunk {
  const rows = data.length / d;
  return { first: -1, rows, data, squares: Float64Array.from({ length: rows }, (_, i) => squareOf(data, i * d, d)) };
}

/** The embeddings of all neighbours of some queries, by their row. */
export interface NeighbourRows {
  readonly data: Float32Array;
  readonly places: ReadonlyMap<number, number>;
}

/** The queries from … to − 1, with their neighbours. */
export function querySet(
  { data, d, own }: Queries,
  neighbours: readonly Neighbours[],
  rows: NeighbourRows,
  from: number,
  to: number,
): QuerySet {
  const some = neighbours.slice(from, to);
  const places = new Map<number, number>();
  for (const each of some) for (const row of each.rows) if (!places.has(row)) places.set(row, places.size);
  const relevant = new Float32Array(places.size * d);
  for (const [row, place] of places) {
    const at = rows.places.get(row) as number;
    relevant.set(rows.data.subarray(at * d, (at + 1) * d), place * d);
  }
  return {
    chunk: looseRows(data.subarray(from * d, to * d), d),
    own: own.subarray(from, to),
    neighbours: some,
    relevant: looseRows(relevant, d),
    places,
  };
}
