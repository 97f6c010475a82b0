import type { CloudPoints } from './types.js';
import { BLOCK, type CameraView, projectRows } from './view.js';

/** x and y alternating, in pixels; the last corner is joined to the first. */
export type Polygon = readonly number[];

/**
 * A polygon that tests many points fast. Its edges are indexed by the strips of pixels that they cross, because a line drawn by
 * hand has hundreds of edges and a point has to be tested against only a few. A point is inside if the winding number is not
 * zero, so that self-crossing loops contain the points that they enclose.
 */
export class PolygonIndex {
  readonly #polygon: Polygon;
  readonly #low: number;
  readonly #left: number;
  readonly #right: number;
  /** First corners of the edges, by strip. */
  readonly #strips: readonly number[][];

  constructor(polygon: Polygon) {
    this.#polygon = polygon;
    const xs = polygon.filter((_, i) => i % 2 === 0);
    const ys = polygon.filter((_, i) => i % 2 === 1);
    this.#left = Math.min(...xs);
    this.#right = Math.max(...xs);
    this.#low = Math.floor(Math.min(...ys));
    const strips: number[][] = Array.from(
      { length: Math.max(0, Math.floor(Math.max(...ys)) - this.#low + 1) },
      () => [],
    );
    for (let corner = 0; corner < ys.length; corner++) {
      const ends = [ys[corner], ys[(corner + 1) % ys.length]];
      const last = Math.floor(Math.max(...ends)) - this.#low;
      for (let strip = Math.floor(Math.min(...ends)) - this.#low; strip <= last; strip++) strips[strip].push(corner);
    }
    this.#strips = strips;
  }

  contains(x: number, y: number): boolean {
    if (!(x >= this.#left && x <= this.#right)) return false;
    const corners = this.#strips[Math.floor(y) - this.#low];
    if (!corners) return false;
    const polygon = this.#polygon;
    let winding = 0;
    for (const corner of corners) {
      const from = 2 * corner;
      const to = from + 2 < polygon.length ? from + 2 : 0;
      const y0 = polygon[from + 1];
      const y1 = polygon[to + 1];
      if (y0 <= y === y1 <= y) continue;
      const crossing = polygon[from] + ((y - y0) / (y1 - y0)) * (polygon[to] - polygon[from]);
      if (crossing > x) winding += y1 > y0 ? 1 : -1;
    }
    return winding !== 0;
  }
}

/** Rows inside a polygon, in ascending order. A generator that yields after every block, so that its caller can run it in slices. */
export function* rowsInside(view: CameraView, points: CloudPoints, polygon: Polygon): Generator<void, Uint32Array> {
  const outline = new PolygonIndex(polygon);
  const count = points.x.length;
  const pixels = new Float64Array(2 * BLOCK);
  let rows = new Uint32Array(1024);
  let found = 0;
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    projectRows(view, points, from, to, pixels);
    for (let row = from; row < to; row++) {
      const at = 2 * (row - from);
      if (!outline.contains(pixels[at], pixels[at + 1])) continue;
      if (found === rows.length) {
        const more = new Uint32Array(2 * rows.length);
        more.set(rows);
        rows = more;
      }
      rows[found++] = row;
    }
    yield;
  }
  return rows.slice(0, found);
}

/** The union of both, in ascending order. */
export function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  both.sort();
  return both.filter((row, i) => i === 0 || row !== both[i - 1]);
}
