import type { CameraView } from './view.js';

/** The camera of a picture. Positions are in CSS pixels from the upper left corner of the picture. */
export interface Camera {
  resize(width: number, height: number): void;
  view(): CameraView;
  /** A drag by (dx, dy): pans in 2-D, rotates in 3-D. */
  drag(dx: number, dy: number): void;
  /** Moves the picture with the pointer, in 3-D too. */
  pan(dx: number, dy: number): void;
  /** Zooms about (x, y). Returns false at the limit, because nothing changes there. */
  zoom(factor: number, x: number, y: number): boolean;
  /** The zoom relative to the initial view. */
  readonly magnification: number;
  /** Everything that gestures change, as numbers that can be interpolated. */
  state: readonly number[];
  /** The state in which everything is visible. */
  readonly home: readonly number[];
}

/** With more zoom, the rounding of float32 points becomes visible, and tick labels need too many digits. */
export const MAX_ZOOM = 1e4;
/** Everything is visible. Zooming out further shows nothing more, so the wheel scrolls the page instead. */
export const MIN_ZOOM = 1;

/** A factor that keeps the zoom within its limits. */
export function allowedFactor(zoom: number, factor: number): number {
  return Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom * factor)) / zoom;
}

/** Zooms about a point at (dx, dy) from the middle: it is panned there and back. Returns false if the factor changes nothing. */
export function zoomAbout(
  camera: Pick<Camera, 'pan'>,
  factor: number,
  dx: number,
  dy: number,
  zoom: () => void,
): boolean {
  if (Math.abs(factor - 1) < 1e-9) return false;
  camera.pan(-dx, -dy);
  zoom();
  camera.pan(dx, dy);
  return true;
}

export function isHome({ state, home }: Camera): boolean {
  return state.every((value, i) => value === home[i]);
}

/** The state at `share` of the way from one to another. */
export function interpolate(from: readonly number[], to: readonly number[], share: number): number[] {
  return from.map((value, i) => value + (to[i] - value) * share);
}
