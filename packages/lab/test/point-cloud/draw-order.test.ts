import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesInDrawOrder,
  drawIndexesOf,
  positionsInDrawOrder,
  rowsInDrawOrder,
  sortByDepth,
} from '../../src/charts/point-cloud/draw-order.js';
import { projectPoint } from '../../src/charts/point-cloud/view.js';
import { cameraFor, clouds, move, moves } from './clouds.js';

describe('draw order', () => {
  it('contains every row once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const rows = Array.from(rowsInDrawOrder(count)).sort((a, b) => a - b);
        expect(rows).toEqual(Array.from({ length: count }, (_, row) => row));
      }),
    );
  });

  it('starts with an even sample of the rows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5000, max: 50_000 }),
        fc.double({ min: 0.02, max: 1, noNaN: true }),
        (count, share) => {
          const sample = Math.round(share * count);
          const tenths = new Array(10).fill(0);
          for (const row of rowsInDrawOrder(count).subarray(0, sample)) tenths[Math.floor((10 * row) / count)]++;
          // Sixteen neighbours stay together.
          for (const size of tenths) expect(Math.abs(size - sample / 10)).toBeLessThanOrEqual(3 * 16);
        },
      ),
    );
  });

  it('keeps the positions and colours of the rows', () => {
    fc.assert(
      fc.property(clouds, (points) => {
        const count = points.x.length;
        const rows = rowsInDrawOrder(count);
        const size = points.z ? 3 : 2;
        const positions = positionsInDrawOrder(points);
        const bytes = bytesInDrawOrder(
          Uint8Array.from(points.x, (_, row) => row),
          count,
        );
        for (let slot = 0; slot < count; slot++) {
          const row = rows[slot];
          expect(bytes[slot]).toBe(row);
          expect(positions[slot * size]).toBe(points.x[row]);
          expect(positions[slot * size + 1]).toBe(points.y[row]);
          if (points.z) expect(positions[slot * size + 2]).toBe(points.z[row]);
        }
        const chosen = Uint32Array.from([0, count - 1, 0, count + 5]);
        const back = Array.from(drawIndexesOf(chosen, count), (slot) => rows[slot]);
        expect(new Set(back)).toEqual(new Set([0, count - 1]));
      }),
    );
  });

  it('goes from far to near in 3-D, without points behind the camera', () => {
    fc.assert(
      fc.property(clouds, moves, (points, steps) => {
        fc.pre(points.z !== undefined);
        const camera = cameraFor(points);
        move(camera, steps);
        const view = camera.view();
        const count = points.x.length;
        const rows = rowsInDrawOrder(count);
        const depths = Array.from(
          points.x,
          (_, row) => projectPoint(view, points.x[row], points.y[row], points.z![row]).depth,
        );
        const order = Array.from(sortByDepth(view, positionsInDrawOrder(points), count), (slot) => depths[rows[slot]]);
        expect(order.length).toBe(depths.filter((depth) => depth > 0.05).length);
        const step = (Math.max(...order) - Math.min(...order)) / 4000;
        for (let i = 1; i < order.length; i++) expect(order[i]).toBeLessThanOrEqual(order[i - 1] + step + 1e-6);
      }),
    );
  });
});
