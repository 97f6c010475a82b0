import { type Bounds, halves, middle } from './bounds.js';
import { allowedFactor, type Camera } from './camera.js';
import type { View } from './view.js';

/** How far the eye is from the middle, in radii of the cloud: near enough for perspective, far enough to distort little. */
const DISTANCE = 4;
/** Half the picture's shorter side, in radii of the cloud. */
const PADDING = 1.02;
/** Radians a pixel. */
const TURN = 0.008;

/** Three dimensions: a turntable whose axis is the second component, upright. */
export class OrbitCamera implements Camera {
  readonly home: readonly number[];
  #yaw = -0.55;
  #pitch = 0.35;
  #zoom = 1;
  #target: readonly [number, number, number];
  #width = 1;
  #height = 1;
  /** From the data's units to radii of the cloud. */
  readonly #unit: readonly [number, number, number];

  constructor(bounds: Bounds, equal: boolean) {
    this.#target = middle(bounds);
    const [x, y, z] = halves(bounds, equal);
    const radius = Math.hypot(x, y, z);
    const root = Math.sqrt(3);
    this.#unit = equal ? [1 / radius, 1 / radius, 1 / radius] : [1 / (root * x), 1 / (root * y), 1 / (root * z)];
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
  }

  /** Right, up and towards the eye, in the turned frame of the data. */
  #directions(): readonly (readonly [number, number, number])[] {
    const [cosYaw, sinYaw] = [Math.cos(this.#yaw), Math.sin(this.#yaw)];
    const [cosPitch, sinPitch] = [Math.cos(this.#pitch), Math.sin(this.#pitch)];
    return [
      [cosYaw, 0, sinYaw],
      [sinPitch * sinYaw, cosPitch, -sinPitch * cosYaw],
      [-cosPitch * sinYaw, sinPitch, cosPitch * cosYaw],
    ];
  }

  /** Pixels a radius, at the depth of the target. */
  #scale(): number {
    return (this.#zoom * Math.min(this.#width, this.#height)) / (2 * PADDING);
  }

  view(): View {
    const [right, up, near] = this.#directions();
    const scale = this.#scale();
    const sizes = [(2 * scale) / this.#width, (2 * scale) / this.#height, -1 / DISTANCE];
    const turn = [right, up, near].flatMap((direction, row) =>
      direction.map((share, side) => share * this.#unit[side] * sizes[row]),
    );
    return { origin: this.#target, turn, width: this.#width, height: this.#height };
  }

  drag(dx: number, dy: number): void {
    this.#yaw += dx * TURN;
    this.#pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.#pitch + dy * TURN));
  }

  pan(dx: number, dy: number): void {
    const [right, up] = this.#directions();
    const scale = this.#scale();
    const [x, y, z] = this.#target.map(
      (value, side) => value + (up[side] * dy - right[side] * dx) / (scale * this.#unit[side]),
    );
    this.#target = [x, y, z];
  }

  zoom(wanted: number, x: number, y: number): boolean {
    const factor = allowedFactor(this.#zoom, wanted);
    if (Math.abs(factor - 1) < 1e-9) return false;
    const away = [x - this.#width / 2, y - this.#height / 2] as const;
    this.pan(-away[0], -away[1]);
    this.#zoom *= factor;
    this.pan(away[0], away[1]);
    return true;
  }
}
