import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundsOf } from '../../src/charts/point-cloud/bounds.js';
import { interpolate, isHome, MAX_ZOOM, MIN_ZOOM } from '../../src/charts/point-cloud/camera.js';
import type { CloudPoints } from '../../src/charts/point-cloud/types.js';
import { projectPoint, projectRows } from '../../src/charts/point-cloud/view.js';
import { cameraFor, clouds, HEIGHT, move, moves, WIDTH } from './clouds.js';

const positions = ({ x, y, z }: CloudPoints) => Array.from(x, (_, i) => [x[i], y[i], z?.[i] ?? 0] as const);

describe('cameras', () => {
  it('show every point at first, whatever the cloud', () => {
    fc.assert(
      fc.property(clouds, fc.boolean(), (points, equal) => {
        const view = cameraFor(points, equal).view();
        for (const position of positions(points)) {
          const { x, y, depth } = projectPoint(view, ...position);
          expect(depth).toBeGreaterThan(0);
          expect(x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT).toBe(true);
        }
      }),
    );
  });

  it('keep the point under the pointer in position while zooming, and stop at the limits', () => {
    fc.assert(
      fc.property(clouds, moves, fc.double({ min: 0.1, max: 10, noNaN: true }), (points, steps, factor) => {
        const camera = cameraFor(points);
        move(camera, steps);
        // In 3-D this is exact for points at the depth of the middle. Such a point is panned under the pointer.
        const [x, y] = [120, 310];
        const before = camera.view().origin;
        camera.pan(x - WIDTH / 2, y - HEIGHT / 2);
        camera.zoom(factor, x, y);
        const seen = projectPoint(camera.view(), ...before);
        expect(seen.x).toBeCloseTo(x, 3);
        expect(seen.y).toBeCloseTo(y, 3);
        expect(camera.magnification).toBeGreaterThanOrEqual(MIN_ZOOM * (1 - 1e-9));
        expect(camera.magnification).toBeLessThanOrEqual(MAX_ZOOM * (1 + 1e-9));
      }),
    );
    const camera = cameraFor({ x: Float32Array.of(0, 1), y: Float32Array.of(0, 1) });
    expect(camera.zoom(1e9, 0, 0)).toBe(true);
    expect(camera.magnification).toBeCloseTo(MAX_ZOOM);
    expect(camera.zoom(2, 0, 0)).toBe(false);
  });

  it('pan by as many pixels as the pointer moves', () => {
    fc.assert(
      fc.property(clouds, moves, (points, steps) => {
        const camera = cameraFor({ x: points.x, y: points.y }, false);
        move(camera, steps);
        const before = projectPoint(camera.view(), points.x[0], points.y[0]);
        camera.drag(13, -7);
        const after = projectPoint(camera.view(), points.x[0], points.y[0]);
        expect(after.x - before.x).toBeCloseTo(13, 4);
        expect(after.y - before.y).toBeCloseTo(-7, 4);
      }),
    );
  });

  it('rotate without changing distances from the centre', () => {
    const points = { x: Float32Array.of(-1, 1), y: Float32Array.of(-2, 2), z: Float32Array.of(-3, 3) };
    const camera = cameraFor(points);
    const radius = (): number => {
      const { matrix } = camera.view();
      const [width, height, depth] = [WIDTH / 2, HEIGHT / 2, 1].map((size, row) => {
        const seen = matrix[3 * row] * 1 + matrix[3 * row + 1] * 2 + matrix[3 * row + 2] * 3;
        return seen * size;
      });
      // Depth is in quarters of the radius of the cloud, which is the point's distance here.
      const pixels = Math.hypot(matrix[0], matrix[1], matrix[2]) * (WIDTH / 2) * Math.hypot(1, 2, 3);
      return Math.hypot(width / pixels, height / pixels, depth * 4);
    };
    for (const step of [
      [0, 0],
      [40, 10],
      [-300, 90],
      [11, -800],
    ]) {
      camera.drag(step[0], step[1]);
      expect(radius()).toBeCloseTo(1);
    }
  });

  it('interpolate back to the initial state', () => {
    fc.assert(
      fc.property(clouds, moves, (points, steps) => {
        const camera = cameraFor(points);
        expect(isHome(camera)).toBe(true);
        move(camera, steps);
        const { state, home } = camera;
        camera.state = interpolate(state, home, 0.5);
        camera.state = interpolate(camera.state, home, 1);
        camera.state = home;
        expect(isHome(camera)).toBe(true);
      }),
    );
  });

  it('project a block of rows as they project one row', () => {
    fc.assert(
      fc.property(clouds, moves, (points, steps) => {
        const camera = cameraFor(points);
        move(camera, steps);
        const view = camera.view();
        const pixels = new Float64Array(2 * points.x.length);
        projectRows(view, points, 0, points.x.length, pixels);
        positions(points).forEach((position, i) => {
          const { x, y, depth } = projectPoint(view, ...position);
          if (depth < 0.06) return;
          expect(pixels[2 * i]).toBeCloseTo(x, 5);
          expect(pixels[2 * i + 1]).toBeCloseTo(y, 5);
        });
      }),
    );
  });

  it('have equal units on both axes, or fill the picture', () => {
    const points = { x: Float32Array.of(-10, 10), y: Float32Array.of(-1, 1) };
    const scales = ({ matrix }: { matrix: readonly number[] }) => [matrix[0] * WIDTH, matrix[4] * HEIGHT];
    const [x, y] = scales(cameraFor(points).view());
    expect(x).toBeCloseTo(y);
    const [wide, high] = scales(cameraFor(points, false).view());
    expect(high / wide).toBeCloseTo((10 / 1) * (HEIGHT / WIDTH));
  });

  it('accept clouds without extent, and ignore NaN', () => {
    expect(boundsOf({ x: Float32Array.of(Number.NaN, 2), y: Float32Array.of(1, Number.POSITIVE_INFINITY) })).toEqual({
      low: [2, 1, 0],
      high: [2, 1, 0],
    });
    for (const points of [
      { x: new Float32Array(), y: new Float32Array() },
      { x: Float32Array.of(3), y: Float32Array.of(4) },
      { x: Float32Array.of(0), y: Float32Array.of(0), z: Float32Array.of(0) },
    ]) {
      for (const equal of [true, false]) {
        expect(cameraFor(points, equal).view().matrix.every(Number.isFinite)).toBe(true);
      }
    }
  });
});
