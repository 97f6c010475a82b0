import { FrameBudget } from './frame-budget.js';
import type { DrawRange, Painter, Rectangle } from './painter.js';
import { type PointStyle, pointStyleFor } from './point-style.js';
import { project, type View } from './view.js';

/** A picture of the points as they were seen from somewhere. */
interface FinishedPicture {
  readonly view: View;
  /** In space, while the cloud turns on a slow machine, not all points are in it. */
  readonly isComplete: boolean;
}

interface PendingPicture {
  readonly view: View;
  readonly style: PointStyle;
  readonly drawn: number;
}

/**
 * Has pictures painted, as much a frame as the machine can do. Where it can do all, every frame shows the points as they are. Where it
 * cannot (a million points without a graphics card), the last finished picture is moved and stretched along with the camera while the
 * next one is in the pending: on the plane that is nearly the same, and always smooth. A cloud in space cannot be turned in that
 * way: there, a sample of the points is drawn while it moves, and all when it rests.
 */
export class Renderer {
  readonly painter: Painter;
  readonly #frameBudget = new FrameBudget();
  #finished: FinishedPicture | undefined;
  #pending: PendingPicture | undefined;
  #last: View | undefined;
  #changed = true;

  constructor(painter: Painter) {
    this.painter = painter;
  }

  /** Points style different now: what is finished is to be replaced, or was wrong altogether. */
  invalidate(kind: 'colours' | 'positions'): void {
    this.#changed = true;
    this.#pending = undefined;
    if (kind === 'positions') this.#finished = undefined;
  }

  /** The whole picture as one piece, as it is when everything rests. */
  wholePicture(view: View, magnification: number): DrawRange {
    const { count, selectedCount } = this.painter;
    const style = pointStyleFor(count, view.width, view.height, magnification);
    return { view, style, from: 0, to: count + selectedCount };
  }

  /** Shows what it has got, and returns whether more will follow with the next frame. */
  frame(now: number, view: View, magnification: number, inSpace: boolean): boolean {
    if (!this.painter.ready) return false;
    const moving = !sameView(view, this.#last);
    this.#last = view;
    if (this.#pending || this.#isOutdated(view)) {
      const { busy } = this.painter;
      this.#frameBudget.beginFrame(now, busy);
      if (busy) {
        // The rest would only queue up; what is finished can be shown.
      } else if (inSpace) this.#paintCloud(this.wholePicture(view, magnification), moving);
      else this.#paintPlane(this.wholePicture(view, magnification));
    }
    const shown = this.#finished ?? this.#pending;
    if (shown) this.painter.present(this.#finished ? 'finished' : 'pending', rectangleOf(shown.view, view));
    return this.#pending !== undefined || this.#isOutdated(view);
  }

  #isOutdated(view: View): boolean {
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
    // Sorting and drawing all at rest may take long.
    this.#frameBudget.recordDrawn(moving ? Math.min(budget, total) : 0);
    this.painter.paint({ view, style, from: 0, to: Math.min(count, budget) });
    this.painter.paint({ view, style, from: count, to: count + Math.min(selectedCount, budget) });
    this.painter.finish();
    this.#finished = { view, isComplete: budget >= count };
    this.#changed = false;
  }
}

function sameView(a: View, b: View | undefined): boolean {
  return (
    b !== undefined &&
    a.width === b.width &&
    a.height === b.height &&
    a.origin.every((value, i) => value === b.origin[i]) &&
    a.matrix.every((value, i) => value === b.matrix[i])
  );
}

/** Where a picture of the plane belongs when it is looked at from elsewhere. */
function rectangleOf(made: View, shown: View): Rectangle {
  if (sameView(made, shown) || made.matrix[8] !== 0) return { x: 0, y: 0, width: shown.width, height: shown.height };
  const [x, y] = made.origin;
  const [halfX, halfY] = [1 / made.matrix[0], 1 / made.matrix[4]];
  const low = project(shown, x - halfX, y + halfY);
  const high = project(shown, x + halfX, y - halfY);
  return { x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y };
}
