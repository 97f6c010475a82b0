import { FrameBudget } from './frame-budget.js';
import type { DrawRange, Painter, Rectangle } from './painter.js';
import { type PointStyle, pointStyleFor } from './point-style.js';
import { type CameraView, projectPoint } from './view.js';

/** A finished picture, and the view it was painted for. */
interface FinishedPicture {
  readonly view: CameraView;
  /** False for a sample of the points, painted while a 3-D cloud rotates on a slow machine. */
  readonly isComplete: boolean;
}

interface PendingPicture {
  readonly view: CameraView;
  readonly style: PointStyle;
  readonly drawn: number;
}

/**
 * Paints as many points per frame as the machine can. If it can paint all points, every frame is exact. If it cannot, as with
 * a million points and no graphics card, the last finished picture is moved and scaled with the camera while the next one is
 * being painted. In 2-D that looks nearly the same, and it is always smooth. A 3-D cloud cannot be rotated that way: a sample
 * of the points is painted while it moves, and all points when it stops.
 */
export class Renderer {
  readonly painter: Painter;
  readonly #frameBudget = new FrameBudget();
  #finished: FinishedPicture | undefined;
  #pending: PendingPicture | undefined;
  #last: CameraView | undefined;
  #changed = true;

  constructor(painter: Painter) {
    this.painter = painter;
  }

  /** The points have changed. With new colours, the finished picture is shown until the next one is ready; with new positions, it is discarded. */
  invalidate(kind: 'colours' | 'positions'): void {
    this.#changed = true;
    this.#pending = undefined;
    if (kind === 'positions') this.#finished = undefined;
  }

  /** The range of all points, as painted when nothing moves. */
  wholePicture(view: CameraView, magnification: number): DrawRange {
    const { count, selectedCount } = this.painter;
    const style = pointStyleFor(count, view.width, view.height, magnification);
    return { view, style, from: 0, to: count + selectedCount };
  }

  /** Presents the current picture, and returns whether another frame is needed. */
  frame(now: number, view: CameraView, magnification: number, inSpace: boolean): boolean {
    if (!this.painter.ready) return false;
    const moving = !sameView(view, this.#last);
    this.#last = view;
    if (this.#pending || this.#isOutdated(view)) {
      const { busy } = this.painter;
      this.#frameBudget.beginFrame(now, busy);
      if (busy) {
        // More work would only queue up; the finished picture can be shown.
      } else if (inSpace) this.#paintCloud(this.wholePicture(view, magnification), moving);
      else this.#paintPlane(this.wholePicture(view, magnification));
    }
    const shown = this.#finished ?? this.#pending;
    if (shown) this.painter.present(this.#finished ? 'finished' : 'pending', rectangleOf(shown.view, view));
    return this.#pending !== undefined || this.#isOutdated(view);
  }

  #isOutdated(view: CameraView): boolean {
    return this.#changed || !this.#finished?.isComplete || !sameView(this.#finished.view, view);
  }

  #paintPlane({ view, style, to: total }: DrawRange): void {
    const work = this.#pending ?? { view, style, drawn: 0 };
    this.#changed = false;
    const to = Math.min(total, work.drawn + this.#frameBudget.points);
    this.#frameBudget.recordDrawn(to - work.drawn);
    this.painter.paint({ view: work.view, style: work.style, from: work.drawn, to });
    this.#pending = { ...work, drawn: to };
    if (to < total) return;
    this.painter.finish();
    this.#finished = { view: work.view, isComplete: true };
    this.#pending = undefined;
  }

  #paintCloud({ view, style, to: total }: DrawRange, moving: boolean): void {
    const { count, selectedCount } = this.painter;
    const budget = moving ? this.#frameBudget.points : total;
    // Sorting and drawing all points when nothing moves may take long.
    this.#frameBudget.recordDrawn(moving ? Math.min(budget, total) : 0);
    this.painter.paint({ view, style, from: 0, to: Math.min(count, budget) });
    this.painter.paint({ view, style, from: count, to: count + Math.min(selectedCount, budget) });
    this.painter.finish();
    this.#finished = { view, isComplete: budget >= count };
    this.#changed = false;
  }
}

function sameView(a: CameraView, b: CameraView | undefined): boolean {
  return (
    b !== undefined &&
    a.width === b.width &&
    a.height === b.height &&
    a.origin.every((value, i) => value === b.origin[i]) &&
    a.matrix.every((value, i) => value === b.matrix[i])
  );
}

/** The rectangle that a 2-D picture of one view covers in another view. */
function rectangleOf(made: CameraView, shown: CameraView): Rectangle {
  if (sameView(made, shown) || made.matrix[8] !== 0) return { x: 0, y: 0, width: shown.width, height: shown.height };
  const [x, y] = made.origin;
  const [halfX, halfY] = [1 / made.matrix[0], 1 / made.matrix[4]];
  const low = projectPoint(shown, x - halfX, y + halfY);
  const high = projectPoint(shown, x + halfX, y - halfY);
  return { x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y };
}
