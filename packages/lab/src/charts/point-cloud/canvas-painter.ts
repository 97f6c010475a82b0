import { context2d } from '../canvas-context.js';
import { visibleDots } from './dots.js';
import type { DrawRange, PaintedCloud, Painter, Rectangle } from './painter.js';
import type { PointCloudProps } from './types.js';

/** Up to this many points, a 2-D canvas is faster than setting up WebGL, which takes a tenth of a second. */
const MAX_CANVAS_POINTS = 5000;

/** True if the points are drawn with WebGL: by default, if there are many. */
export function usesWebgl({
  points,
  webgl = points.x.length > MAX_CANVAS_POINTS,
}: Pick<PointCloudProps, 'points' | 'webgl'>): boolean {
  return webgl;
}

/** Draws points on a 2-D canvas, if they are few or WebGL2 is missing. The picture is the same; the number of points is limited. */
export class CanvasPainter implements Painter {
  readonly maxPoints = 200_000;
  readonly ready = true;
  readonly busy = false;
  readonly #context: CanvasRenderingContext2D;
  #pending = sheet();
  #finished = sheet();
  #cloud: PaintedCloud | undefined;
  #ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.#context = context2d(canvas);
  }

  get count(): number {
    return Math.min(this.maxPoints, this.#cloud?.points.x.length ?? 0);
  }

  get selectedCount(): number {
    return Math.min(this.maxPoints, this.#cloud?.selected?.length ?? 0);
  }

  show(cloud: PaintedCloud): void {
    this.#cloud = cloud;
  }

  resize(width: number, height: number, ratio: number): void {
    for (const { canvas } of [this.#context, this.#pending, this.#finished]) {
      canvas.width = width;
      canvas.height = height;
    }
    this.#ratio = ratio;
  }

  paint(piece: DrawRange): void {
    if (!this.#cloud) return;
    const context = this.#pending;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    if (piece.from === 0) context.clearRect(0, 0, piece.view.width + 1, piece.view.height + 1);
    for (const { x, y, radius, alpha, colour } of visibleDots(this.#cloud, piece, this.count)) {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      // Squares are many times faster than circles, and at this size they look the same.
      if (radius < 1.5) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      else {
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  finish(): void {
    [this.#pending, this.#finished] = [this.#finished, this.#pending];
  }

  present(which: 'finished' | 'pending', { x, y, width, height }: Rectangle): void {
    const { canvas } = this.#context;
    const [left, top, across, down] = [x, y, width, height].map((value) => value * this.#ratio);
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    this.#context.drawImage((which === 'pending' ? this.#pending : this.#finished).canvas, left, top, across, down);
  }

  dispose(): void {}
}

function sheet(): CanvasRenderingContext2D {
  return context2d(document.createElement('canvas'));
}
