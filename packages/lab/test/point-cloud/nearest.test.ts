import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestRow } from '../../src/charts/point-cloud/nearest.js';
import { projectPoint } from '../../src/charts/point-cloud/view.js';
import { cameraFor, clouds, move, moves } from './clouds.js';

const pixels = fc.double({ min: 0, max: 640, noNaN: true });

describe('the nearest point', () => {
  it('is the one nearest on the screen, within the radius', () => {
    fc.assert(
      fc.property(clouds, moves, pixels, pixels, fc.constantFrom(12, 60, 1e4), (points, steps, x, y, reach) => {
        const camera = cameraFor(points);
        move(camera, steps);
        const view = camera.view();
        const distances = Array.from(points.x, (_, row) => {
          const seen = projectPoint(view, points.x[row], points.y[row], points.z?.[row]);
          return seen.depth > 0.05 ? Math.hypot(seen.x - x, seen.y - y) : Number.POSITIVE_INFINITY;
        });
        const least = Math.min(...distances);
        const found = nearestRow(view, points, x, y, reach);
        if (Math.abs(least - reach) < 1e-6) return;
        if (found === undefined) expect(least).toBeGreaterThan(reach);
        else expect(distances[found]).toBeCloseTo(least, 5);
      }),
    );
  });

  it('is never one with coordinates that are not finite', () => {
    const points = { x: Float32Array.of(Number.NaN, 1, 2), y: Float32Array.of(0, Number.NaN, 2) };
    const view = cameraFor(points).view();
    expect(nearestRow(view, points, 0, 0, 1e5)).toBe(2);
    const none = { x: Float32Array.of(Number.NaN), y: Float32Array.of(Number.NaN) };
    expect(nearestRow(view, none, 0, 0, 1e5)).toBeUndefined();
    expect(nearestRow(view, { x: new Float32Array(), y: new Float32Array() }, 0, 0, 1e5)).toBeUndefined();
  });

  it('is found in any block', () => {
    const count = 10_000;
    const x = Float32Array.from({ length: count }, (_, i) => i);
    const points = { x, y: new Float32Array(count) };
    const view = cameraFor(points).view();
    for (const row of [0, 4095, 4096, 9999]) {
      const seen = projectPoint(view, x[row], 0);
      expect(nearestRow(view, points, seen.x, seen.y, 12)).toBe(row);
    }
  });
});
