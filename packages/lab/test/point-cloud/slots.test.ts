import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byDepth, bytesBySlot, placesBySlot, slotsOf, strideOf } from '../../src/charts/point-cloud/slots.js';
import { project } from '../../src/charts/point-cloud/view.js';
import { cameraFor, clouds, move, moves } from './clouds.js';

const rowOf = (slot: number, count: number): number => (slot * strideOf(count)) % count;

describe('slots', () => {
  it('are all rows, each once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const rows = new Set(Array.from({ length: count }, (_, slot) => rowOf(slot, count)));
        expect(rows.size).toBe(count);
      }),
    );
  });

  it('are an even sample from the first on', () => {
    const count = 10_007;
    for (const sample of [10, 100, 1000]) {
      const tenths = new Array(10).fill(0);
      for (let slot = 0; slot < sample; slot++) tenths[Math.floor((10 * rowOf(slot, count)) / count)]++;
      for (const size of tenths) expect(Math.abs(size - sample / 10)).toBeLessThanOrEqual(1 + sample / 200);
    }
  });

  it('have the places and colours of their rows', () => {
    fc.assert(
      fc.property(clouds, (points) => {
        const count = points.x.length;
        const size = points.z ? 3 : 2;
        const places = placesBySlot(points);
        const bytes = bytesBySlot(
          Uint8Array.from(points.x, (_, row) => row),
          count,
        );
        for (let slot = 0; slot < count; slot++) {
          const row = rowOf(slot, count);
          expect(bytes[slot]).toBe(row);
          expect(places[slot * size]).toBe(points.x[row]);
          expect(places[slot * size + 1]).toBe(points.y[row]);
          if (points.z) expect(places[slot * size + 2]).toBe(points.z[row]);
        }
        const chosen = Uint32Array.from([0, count - 1, 0, count + 5]);
        const back = Array.from(slotsOf(chosen, count), (slot) => rowOf(slot, count));
        expect(new Set(back)).toEqual(new Set([0, count - 1]));
      }),
    );
  });

  it('go from far to near in space, without what is behind the eye', () => {
    fc.assert(
      fc.property(clouds, moves, (points, steps) => {
        fc.pre(points.z !== undefined);
        const camera = cameraFor(points);
        move(camera, steps);
        const view = camera.view();
        const count = points.x.length;
        const depths = Array.from(
          points.x,
          (_, row) => project(view, points.x[row], points.y[row], points.z![row]).depth,
        );
        const order = Array.from(byDepth(view, placesBySlot(points), count), (slot) => depths[rowOf(slot, count)]);
        expect(order.length).toBe(depths.filter((depth) => depth > 0.05).length);
        const step = (Math.max(...order) - Math.min(...order)) / 4000;
        for (let i = 1; i < order.length; i++) expect(order[i]).toBeLessThanOrEqual(order[i - 1] + step + 1e-6);
      }),
    );
  });
});
