import { type Bounds, halves, middle } from './bounds.js';
import { allowedFactor, type Camera, zoomAbout } from './camera.js';
import type { CameraView } from './view.js';

/** Distance of the camera from the centre, in radii of the cloud: near enough for perspective, far enough to distort little. */
const DISTANCE = 4;
/** Room around the outermost points, for the names of the axes. */
const PADDING = 1.1;
/** Radians per pixel. */
const TURN = 0.008;

/** A camera in three dimensions that orbits the cloud; the second component points up. */
export class OrbitCamera implements Camera {
  readonly home: readonly number[];
  #yaw = -0.55;
  #pitch = 0.35;
  #zoom = 1;
  #target: readonly [number, number, number];
  #width = 1;
  #height = 1;
  /** Factors from the units of the data to radii of the cloud. */
  readonly #unit: readonly [number, number, number];
  /** Corners of the box around the cloud, from its middle, in radii. */
  readonly #corners: readonly (readonly number[])[];
  /** Pixels per radius at the depth of the target, without zoom. */
  #fit = 1;

  constructor(bounds: Bounds, equal: boolean) {
    this.#target = middle(bounds);
    const [x, y, z] = halves(bounds, equal);
    const radius = Math.hypot(x, y, z);
    const root = Math.sqrt(3);
    this.#unit = equal ? [1 / radius, 1 / radius, 1 / radius] : [1 / (root * x), 1 / (root * y), 1 / (root * z)];
    const extent = [x, y, z].map((half, side) => half * this.#unit[side]);
    this.#corners = Array.from({ length: 8 }, (_, corner) =>
      extent.map((half, side) => ((corner >> side) % 2 === 0 ? half : -half)),
    );
    this.home = this.state;
  }

  get magnification(): number {
    return this.#zoom;
  }

  get state(): readonly number[] {
    return [this.#yaw, this.#pitch, Math.log(this.#zoom), ...this.#target];
  }

  set state([yaw, pitch, zoom, x, y, z]: readonly number[]) {
    this.#yaw = yaw;
    this.#pitch = pitch;
    this.#zoom = Math.exp(zoom);
    this.#target = [x, y, z];
  }

  resize(width: number, height: number): void {
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
    this.#fit = this.#fitted();
  }

  /** As large as possible so that the box fits in the initial view. */
  #fitted(): number {
    const [right, up, near] = directions(this.home[0], this.home[1]);
    const along = (direction: readonly number[], corner: readonly number[]): number =>
      direction.reduce((sum, share, side) => sum + share * corner[side], 0);
    let [across, upwards] = [0, 0];
    for (const corner of this.#corners) {
      const depth = 1 - along(near, corner) / DISTANCE;
      across = Math.max(across, Math.abs(along(right, corner)) / depth);
      upwards = Math.max(upwards, Math.abs(along(up, corner)) / depth);
    }
    return Math.min(this.#width / across, this.#height / upwards) / (2 * PADDING);
  }

  /** Pixels per radius at the depth of the target. */
  #scale(): number {
    return this.#zoom * this.#fit;
  }

  view(): CameraView {
    const [right, up, near] = directions(this.#yaw, this.#pitch);
    const scale = this.#scale();
    const sizes = [(2 * scale) / this.#width, (2 * scale) / this.#height, -1 / DISTANCE];
    const matrix = [right, up, near].flatMap((direction, row) =>
      direction.map((share, side) => share * this.#unit[side] * sizes[row]),
    );
    return { origin: this.#target, matrix, width: this.#width, height: this.#height };
  }

  drag(dx: number, dy: number): void {
    this.#yaw += dx * TURN;
    this.#pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.#pitch + dy * TURN));
  }

  pan(dx: number, dy: number): void {
    const [right, up] = directions(this.#yaw, this.#pitch);
    const scale = this.#scale();
    const [x, y, z] = this.#target.map(
      (value, side) => value + (up[side] * dy - right[side] * dx) / (scale * this.#unit[side]),
    );
    this.#target = [x, y, z];
  }

  zoom(wanted: number, x: number, y: number): boolean {
    const factor = allowedFactor(this.#zoom, wanted);
    return zoomAbout(this, factor, x - this.#width / 2, y - this.#height / 2, () => {
      this.#zoom *= factor;
    });
  }
}

/** The directions right, up and towards the camera, in coordinates of the data. */
function directions(yaw: number, pitch: number): readonly (readonly [number, number, number])[] {
  const [cosYaw, sinYaw] = [Math.cos(yaw), Math.sin(yaw)];
  const [cosPitch, sinPitch] = [Math.cos(pitch), Math.sin(pitch)];
  return [
    [cosYaw, 0, sinYaw],
    [sinPitch * sinYaw, cosPitch, -sinPitch * cosYaw],
    [-cosPitch * sinYaw, sinPitch, cosPitch * cosYaw],
  ];
}
