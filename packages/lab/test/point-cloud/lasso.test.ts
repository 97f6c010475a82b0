import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolygonIndex, rowsInside, union } from '../../src/charts/point-cloud/lasso.js';
import { runInSlices } from '../../src/charts/point-cloud/time-slices.js';
import { projectPoint } from '../../src/charts/point-cloud/view.js';
import { cameraFor, clouds, move, moves } from './clouds.js';

/** The winding number of a polygon around a position, by the angles of its corners. It is slow, and independent of the code under test. */
function winding(polygon: readonly number[], x: number, y: number): number {
  let turned = 0;
  for (let i = 0; i < polygon.length; i += 2) {
    const j = (i + 2) % polygon.length;
    const from = Math.atan2(polygon[i + 1] - y, polygon[i] - x);
    const to = Math.atan2(polygon[j + 1] - y, polygon[j] - x);
    const step = to - from;
    turned += step > Math.PI ? step - 2 * Math.PI : step < -Math.PI ? step + 2 * Math.PI : step;
  }
  return Math.round(turned / (2 * Math.PI));
}

/** The distance of a position from the nearest edge. On the edge itself both answers are right. */
function fromEdge(polygon: readonly number[], x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < polygon.length; i += 2) {
    const j = (i + 2) % polygon.length;
    const [dx, dy] = [polygon[j] - polygon[i], polygon[j + 1] - polygon[i + 1]];
    const share = ((x - polygon[i]) * dx + (y - polygon[i + 1]) * dy) / (dx * dx + dy * dy || 1);
    const along = Math.min(1, Math.max(0, share));
    least = Math.min(least, Math.hypot(polygon[i] + along * dx - x, polygon[i + 1] + along * dy - y));
  }
  return least;
}

const pixels = fc.double({ min: -50, max: 700, noNaN: true });
const polygons = fc.array(fc.tuple(pixels, pixels), { minLength: 1, maxLength: 40 }).map((corners) => corners.flat());

const run = <T>(work: Generator<void, T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};

describe('the lasso', () => {
  it('contains exactly the points with a winding number that is not zero', () => {
    fc.assert(
      fc.property(
        polygons,
        fc.array(fc.tuple(pixels, pixels), { minLength: 20, maxLength: 20 }),
        (polygon, positions) => {
          const outline = new PolygonIndex(polygon);
          for (const [x, y] of positions) {
            if (fromEdge(polygon, x, y) < 1e-6) continue;
            expect(outline.contains(x, y)).toBe(winding(polygon, x, y) !== 0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('contains the area that a self-crossing line encloses twice', () => {
    const twice = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0, 10, 0, 10, 10, 0, 10];
    expect(new PolygonIndex(twice).contains(5, 5)).toBe(true);
    expect(new PolygonIndex(twice).contains(15, 5)).toBe(false);
  });

  it('selects the rows whose projected points are inside, in 2-D and 3-D', () => {
    fc.assert(
      fc.property(clouds, moves, polygons, (points, steps, polygon) => {
        const camera = cameraFor(points);
        move(camera, steps);
        const view = camera.view();
        const found = new Set(run(rowsInside(view, points, polygon)));
        for (let row = 0; row < points.x.length; row++) {
          const { x, y, depth } = projectPoint(view, points.x[row], points.y[row], points.z?.[row]);
          if (Math.abs(depth - 0.05) < 1e-6 || fromEdge(polygon, x, y) < 1e-6) continue;
          expect(found.has(row)).toBe(depth > 0.05 && winding(polygon, x, y) !== 0);
        }
      }),
    );
  });

  it('finds rows in order across blocks, in time slices, and can be aborted', async () => {
    const count = 20_000;
    const points = { x: Float32Array.from({ length: count }, (_, i) => i % 100), y: new Float32Array(count).fill(0) };
    const view = cameraFor(points).view();
    const all = [0, 0, view.width, 0, view.width, view.height, 0, view.height];
    const rows = await runInSlices(rowsInside(view, points, all), new AbortController().signal);
    expect(rows).toEqual(Uint32Array.from({ length: count }, (_, i) => i));
    expect(await runInSlices(rowsInside(view, points, all), AbortSignal.abort())).toBeUndefined();
  });

  it('unites selections', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50)), fc.uniqueArray(fc.nat(50)), (a, b) => {
        const both = [...new Set([...a, ...b])].sort((x, y) => x - y);
        expect(Array.from(union(Uint32Array.from(a), Uint32Array.from(b)))).toEqual(both);
      }),
    );
  });
});
