import { type Bounds, halves, middle } from './bounds.js';
import { allowedFactor, type Camera, zoomAbout } from './camera.js';
import type { CameraView } from './view.js';

/** Room around the outermost points. */
const PADDING = 1.08;

/** A camera in two dimensions: a centre and a zoom. */
export class PlaneCamera implements Camera {
  readonly home: readonly number[];
  #x: number;
  #y: number;
  #zoom = 1;
  #width = 1;
  #height = 1;
  readonly #half: readonly [number, number, number];
  readonly #equal: boolean;

  constructor(bounds: Bounds, equal: boolean) {
    [this.#x, this.#y] = middle(bounds);
    this.#half = halves(bounds, equal);
    this.#equal = equal;
    this.home = this.state;
  }

  get magnification(): number {
    return this.#zoom;
  }

  // The zoom is interpolated by its logarithm: half way from 1 to 100 is 10.
  get state(): readonly number[] {
    return [this.#x, this.#y, Math.log(this.#zoom)];
  }

  set state([x, y, zoom]: readonly number[]) {
    this.#x = x;
    this.#y = y;
    this.#zoom = Math.exp(zoom);
  }

  resize(width: number, height: number): void {
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
  }

  /** Pixels per unit, across and up. */
  #scale(): readonly [number, number] {
    const [halfX, halfY] = this.#half;
    const x = this.#width / (2 * PADDING * halfX);
    const y = this.#height / (2 * PADDING * halfY);
    const both = Math.min(x, y);
    return this.#equal ? [both * this.#zoom, both * this.#zoom] : [x * this.#zoom, y * this.#zoom];
  }

  view(): CameraView {
    const [x, y] = this.#scale();
    const matrix = [(2 * x) / this.#width, 0, 0, 0, (2 * y) / this.#height, 0, 0, 0, 0];
    return { origin: [this.#x, this.#y, 0], matrix, width: this.#width, height: this.#height };
  }

  drag(dx: number, dy: number): void {
    this.pan(dx, dy);
  }

  pan(dx: number, dy: number): void {
    const [x, y] = this.#scale();
    this.#x -= dx / x;
    this.#y += dy / y;
  }

  zoom(wanted: number, x: number, y: number): boolean {
    const factor = allowedFactor(this.#zoom, wanted);
    return zoomAbout(this, factor, x - this.#width / 2, y - this.#height / 2, () => {
      this.#zoom *= factor;
    });
  }
}
