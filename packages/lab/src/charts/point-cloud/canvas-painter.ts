import { dots } from './dots.js';
import type { Cloud, Painter, Piece } from './painter.js';

/** Points by hand, where there is no WebGL2: the same picture, of fewer points. */
export class CanvasPainter implements Painter {
  readonly most = 200_000;
  readonly ready = true;
  readonly #context: CanvasRenderingContext2D;
  #cloud: Cloud | undefined;
  #ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.#context = canvas.getContext('2d')!;
  }

  get count(): number {
    return Math.min(this.most, this.#cloud?.points.x.length ?? 0);
  }

  get selectedCount(): number {
    return Math.min(this.most, this.#cloud?.selected?.length ?? 0);
  }

  show(cloud: Cloud): void {
    this.#cloud = cloud;
  }

  resize(width: number, height: number, ratio: number): void {
    this.#context.canvas.width = width;
    this.#context.canvas.height = height;
    this.#ratio = ratio;
  }

  paint(piece: Piece): void {
    if (!this.#cloud) return;
    const context = this.#context;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    // In space nearer points cover farther ones, so that a piece cannot be added to what is there.
    if (piece.from === 0 || this.#cloud.points.z) context.clearRect(0, 0, piece.view.width, piece.view.height);
    for (const { x, y, radius, alpha, colour } of dots(this.#cloud, piece)) {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      // Squares are many times faster than circles, and of this size nobody can tell.
      if (radius < 1.5) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      else {
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  dispose(): void {}
}
