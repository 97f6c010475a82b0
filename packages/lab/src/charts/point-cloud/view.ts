import type { CloudPoints } from './types.js';

/**
 * The camera as numbers: a point p is drawn at (1 + x/w, 1 − y/w) times half the size of the picture, with
 * (x, y, w − 1) = matrix · (p − origin). In two dimensions w is 1. Shader, lasso, hover, axes and export all use this form,
 * in two dimensions and in three.
 */
export interface CameraView {
  readonly origin: readonly [number, number, number];
  /** 3 × 3, row by row. */
  readonly matrix: readonly number[];
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** A position in the picture; `depth` is w: 1 in the middle, less when nearer to the camera. */
export interface ProjectedPoint {
  readonly x: number;
  readonly y: number;
  readonly depth: number;
}

export function projectPoint(view: CameraView, x: number, y: number, z = 0): ProjectedPoint {
  const { origin, matrix, width, height } = view;
  const dx = x - origin[0];
  const dy = y - origin[1];
  const dz = z - origin[2];
  const depth = 1 + matrix[6] * dx + matrix[7] * dy + matrix[8] * dz;
  return {
    x: (1 + (matrix[0] * dx + matrix[1] * dy + matrix[2] * dz) / depth) * (width / 2),
    y: (1 - (matrix[3] * dx + matrix[4] * dy + matrix[5] * dz) / depth) * (height / 2),
    depth,
  };
}

/** Points with less depth than this are behind the camera, or too near to be drawn. */
export const NEAREST_DEPTH = 0.05;

/**
 * Writes the pixels of rows [from, to) into `out`, x and y alternating. Points behind the camera become NaN, for which all
 * comparisons are false. Plain loops, because this runs over a million points while the pointer moves.
 */
export function projectRows(view: CameraView, points: CloudPoints, from: number, to: number, out: Float64Array): void {
  const { origin, matrix, width, height } = view;
  const { x, y, z } = points;
  const [ox, oy, oz] = origin;
  const [xx, xy, xz, yx, yy, yz, wx, wy, wz] = matrix;
  const halfWidth = width / 2;
  const halfHeight = height / 2;
  if (!z) {
    const scaleX = xx * halfWidth;
    const scaleY = -yy * halfHeight;
    for (let row = from, at = 0; row < to; row++, at += 2) {
      out[at] = halfWidth + (x[row] - ox) * scaleX;
      out[at + 1] = halfHeight + (y[row] - oy) * scaleY;
    }
    return;
  }
  for (let row = from, at = 0; row < to; row++, at += 2) {
    const dx = x[row] - ox;
    const dy = y[row] - oy;
    const dz = z[row] - oz;
    const depth = 1 + wx * dx + wy * dy + wz * dz;
    const share = depth > NEAREST_DEPTH ? 1 / depth : Number.NaN;
    out[at] = (1 + (xx * dx + xy * dy + xz * dz) * share) * halfWidth;
    out[at + 1] = (1 - (yx * dx + yy * dy + yz * dz) * share) * halfHeight;
  }
}

/** Rows projected at a time, few enough that their pixels stay in the processor's cache. */
export const BLOCK = 4096;
