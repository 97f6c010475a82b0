import type { RowSource } from '@scree/core';
import type { ProgressTracker, RobustMethod } from '@scree/core/pipeline';
import { mcd } from './mcd.js';
import { projectionPursuit } from './projection.js';
import { subsetSize } from './robust-order.js';
import { inColumns, readRobustRows, type SubspaceOfColumns } from './robust-rows.js';
import { sphericalComponents } from './spherical.js';
import { leadingAxes } from './subset-moments.js';

/** The options of a robust fit. */
export interface RobustRequest {
  readonly method: RobustMethod;
  readonly k: number;
  readonly share: number;
  readonly seed: number;
  /** Indexes of the rows that the estimate is computed from, rising. */
  readonly rows: ArrayLike<number>;
}

/** A robust subspace of the columns, and how it was found. */
export interface FoundSubspace extends SubspaceOfColumns {
  readonly subset: number;
  /** All variances, if the method has them. */
  readonly spectrum: Float64Array | undefined;
  /** The covariance of the scaled columns (d × d), of the method `mcd`. */
  readonly covariance: Float64Array | undefined;
  readonly onPlane: number | undefined;
  /** Dimensions in which rows vary. */
  readonly dimensions: number;
}

/** Random starts of FAST-MCD. */
const STARTS = 500;

/** Finds a robust subspace of the rows of a source, which are divided by `scale`. */
export async function fitRobust(
  source: RowSource,
  scale: Float64Array,
  { method, k, share, seed, rows: chosen }: RobustRequest,
  progress: ProgressTracker,
): Promise<FoundSubspace> {
  const n = chosen.length;
  const none = { spectrum: undefined, covariance: undefined, onPlane: undefined };
  if (method === 'spherical') {
    const found = await sphericalComponents(source, scale, { k, seed, rows: chosen }, progress);
    return { ...none, ...found, subset: n, dimensions: Math.min(source.cols, n - 1) };
  }
  progress.begin('robust fit');
  const robust = await readRobustRows(source, scale, chosen, progress);
  const { rows, unit } = robust;
  const dimensions = Math.min(rows.p, n - 1);
  if (method === 'projection') {
    const h = subsetSize(share, n, Math.min(k, rows.p));
    const found = await projectionPursuit(rows, { k: Math.min(k, rows.p), h, share, seed }, progress);
    progress.end();
    return { ...none, ...inColumns(robust, found), subset: h, onPlane: found.onPlane, dimensions };
  }
  const h = subsetSize(share, n, rows.p);
  const { center, covariance, onPlane } = await progress.follow(mcd(rows, { share, h, seed, starts: STARTS }));
  const { values, vectors, rank } = await leadingAxes(covariance, rows.p, rows.p, progress);
  progress.end();
  const kept = Math.max(1, Math.min(k, rank));
  const totalVariance = values.reduce((sum, value) => sum + value, 0);
  const subspace = inColumns(robust, {
    center,
    vectors: vectors.slice(0, kept * rows.p),
    variances: values.slice(0, kept),
    totalVariance,
  });
  return {
    ...subspace,
    subset: h,
    spectrum: values.map((value) => value * unit * unit),
    covariance: covariance.map((value) => value * unit * unit),
    onPlane,
    dimensions: rows.p,
  };
}
