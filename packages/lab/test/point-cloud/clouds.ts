import fc from 'fast-check';
import { boundsOf } from '../../src/charts/point-cloud/bounds.js';
import type { Camera } from '../../src/charts/point-cloud/camera.js';
import { OrbitCamera } from '../../src/charts/point-cloud/orbit-camera.js';
import { PlaneCamera } from '../../src/charts/point-cloud/plane-camera.js';
import type { CloudPoints } from '../../src/charts/point-cloud/types.js';

const numbers = fc.float({ min: -100, max: 100, noNaN: true });

/** Points on the plane or in space, some of them at the same position. */
export const clouds: fc.Arbitrary<CloudPoints> = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(numbers, numbers, numbers), { minLength: 1, maxLength: 60 }))
  .map(([inSpace, positions]) => {
    const side = (i: number): Float32Array => Float32Array.from(positions, (position) => position[i]);
    return inSpace ? { x: side(0), y: side(1), z: side(2) } : { x: side(0), y: side(1) };
  });

/** Random movements of a camera: drags, pans, zooms. */
export const moves = fc.array(
  fc.tuple(
    fc.constantFrom('drag', 'pan', 'zoom'),
    fc.double({ min: -80, max: 80, noNaN: true }),
    fc.double({ min: -80, max: 80, noNaN: true }),
  ),
  { maxLength: 6 },
);

export const WIDTH = 640;
export const HEIGHT = 400;

export function cameraFor(points: CloudPoints, equal = true): Camera {
  const bounds = boundsOf(points);
  const camera = points.z ? new OrbitCamera(bounds, equal) : new PlaneCamera(bounds, equal);
  camera.resize(WIDTH, HEIGHT);
  return camera;
}

export function move(camera: Camera, steps: readonly (readonly [string, number, number])[]): void {
  for (const [kind, a, b] of steps) {
    if (kind === 'drag') camera.drag(a, b);
    else if (kind === 'pan') camera.pan(a, b);
    else camera.zoom(Math.exp(a / 100), WIDTH / 2 + b, HEIGHT / 2 - b);
  }
}
