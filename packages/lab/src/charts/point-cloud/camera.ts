import type { View } from './view.js';

/** What moves the picture. Pixels are those of the style sheet, from the picture's upper left corner. */
export interface Camera {
  resize(width: number, height: number): void;
  view(): View;
  /** The main gesture, by a drag of (dx, dy): moves the plane along, turns the cloud in space. */
  drag(dx: number, dy: number): void;
  /** Moves what is seen along with the pointer, in space too. */
  pan(dx: number, dy: number): void;
  /** Zooms, and what is at (x, y) stays there. False at the limit: nothing has changed. */
  zoom(factor: number, x: number, y: number): boolean;
  /** How much larger than at first. */
  readonly magnification: number;
  /** All that the gestures change, as numbers that may be interpolated. */
  state: readonly number[];
  /** The state that shows everything. */
  readonly home: readonly number[];
}

/** Beyond this, float32 points are seen to stand on a lattice, and tick labels have no room for their digits. */
export const MAX_ZOOM = 1e4;
/** Everything is shown: farther away there is only less to see, and the wheel that asks for it scrolls the page. */
export const MIN_ZOOM = 1;

/** A factor that keeps the zoom within its limits. */
export function allowedFactor(zoom: number, factor: number): number {
  return Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom * factor)) / zoom;
}

export function isHome({ state, home }: Camera): boolean {
  return state.every((value, i) => value === home[i]);
}

/** Between two states, `share` of the way. */
export function interpolate(from: readonly number[], to: readonly number[], share: number): number[] {
  return from.map((value, i) => value + (to[i] - value) * share);
}
