import { type Look, lookFor } from './point-style.js';
import { Pace } from './frame-budget.js';
import type { Painter, Piece, Rectangle } from './painter.js';
import { project, type View } from './view.js';

/** A picture of the points as they were seen from somewhere. */
interface Picture {
  readonly view: View;
  /** In space, while the cloud turns on a slow machine, not all points are in it. */
  readonly whole: boolean;
}

interface Work {
  readonly view: View;
  readonly look: Look;
  readonly drawn: number;
}

/**
 * Has pictures painted, as much a frame as the machine can do. Where it can do all, every frame shows the points as they are. Where it
 * cannot (a million points without a graphics card), the last finished picture is moved and stretched along with the camera while the
 * next one is in the making: on the plane that is nearly the same, and always smooth. A cloud in space cannot be turned in that
 * way: there, a sample of the points is drawn while it moves, and all when it rests.
 */
export class Easel {
  readonly painter: Painter;
  readonly #pace = new Pace();
  #finished: Picture | undefined;
  #work: Work | undefined;
  #last: View | undefined;
  #changed = true;

  constructor(painter: Painter) {
    this.painter = painter;
  }

  /** Points look different now: what is finished is to be replaced, or was wrong altogether. */
  change(kind: 'colours' | 'places'): void {
    this.#changed = true;
    this.#work = undefined;
    if (kind === 'places') this.#finished = undefined;
  }

  /** The whole picture as one piece, as it is when everything rests. */
  whole(view: View, magnification: number): Piece {
    const { count, selectedCount } = this.painter;
    const look = lookFor(count, view.width, view.height, magnification);
    return { view, look, from: 0, to: count + selectedCount };
  }

  /** Shows what it has got, and returns whether more will follow with the next frame. */
  frame(now: number, view: View, magnification: number, inSpace: boolean): boolean {
    if (!this.painter.ready) return false;
    const moving = !same(view, this.#last);
    this.#last = view;
    if (this.#work || this.#outdated(view)) {
      const { busy } = this.painter;
      this.#pace.frame(now, busy);
      if (busy) {
        // The rest would only queue up; what is finished can be shown.
      } else if (inSpace) this.#paintCloud(this.whole(view, magnification), moving);
      else this.#paintPlane(this.whole(view, magnification));
    }
    const shown = this.#finished ?? this.#work;
    if (shown) this.painter.present(this.#finished ? 'finished' : 'making', placeOf(shown.view, view));
    return this.#work !== undefined || this.#outdated(view);
  }

  #outdated(view: View): boolean {
    return this.#changed || !this.#finished?.whole || !same(this.#finished.view, view);
  }

  #paintPlane({ view, look, to: total }: Piece): void {
    const work = this.#work ?? { view, look, drawn: 0 };
    this.#changed = false;
    const to = Math.min(total, work.drawn + this.#pace.budget);
    this.#pace.drew(to - work.drawn);
    this.painter.paint({ view: work.view, look: work.look, from: work.drawn, to });
    this.#work = { ...work, drawn: to };
    if (to < total) return;
    this.painter.finish();
    this.#finished = { view: work.view, whole: true };
    this.#work = undefined;
  }

  #paintCloud({ view, look, to: total }: Piece, moving: boolean): void {
    const { count, selectedCount } = this.painter;
    const budget = moving ? this.#pace.budget : total;
    // Sorting and drawing all at rest may take long.
    this.#pace.drew(moving ? Math.min(budget, total) : 0);
    this.painter.paint({ view, look, from: 0, to: Math.min(count, budget) });
    this.painter.paint({ view, look, from: count, to: count + Math.min(selectedCount, budget) });
    this.painter.finish();
    this.#finished = { view, whole: budget >= count };
    this.#changed = false;
  }
}

function same(a: View, b: View | undefined): boolean {
  return (
    b !== undefined &&
    a.width === b.width &&
    a.height === b.height &&
    a.origin.every((value, i) => value === b.origin[i]) &&
    a.turn.every((value, i) => value === b.turn[i])
  );
}

/** Where a picture of the plane belongs when it is looked at from elsewhere. */
function placeOf(made: View, seen: View): Rectangle {
  if (same(made, seen) || made.turn[8] !== 0) return { x: 0, y: 0, width: seen.width, height: seen.height };
  const [x, y] = made.origin;
  const [halfX, halfY] = [1 / made.turn[0], 1 / made.turn[4]];
  const low = project(seen, x - halfX, y + halfY);
  const high = project(seen, x + halfX, y - halfY);
  return { x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y };
}
