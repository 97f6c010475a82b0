/** A point of the plane. */
export type Point = readonly [x: number, y: number];

/** The corners of the convex hull of points, counterclockwise, without points on its sides. Andrew (1979), n·log n. */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort(([a, b], [x, y]) => a - x || b - y);
  const distinct = sorted.filter(([x, y], i) => i === 0 || x !== sorted[i - 1][0] || y !== sorted[i - 1][1]);
  if (distinct.length < 3) return distinct;
  const lower = chain(distinct);
  const upper = chain(distinct.reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

/** The chain of left turns from the first point to the last. */
function chain(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    while (kept.length > 1 && !turnsLeft(kept[kept.length - 2], kept[kept.length - 1], point)) kept.pop();
    kept.push(point);
  }
  return kept;
}

function turnsLeft([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point): boolean {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0;
}
