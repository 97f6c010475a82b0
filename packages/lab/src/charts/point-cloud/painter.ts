import type { PointStyle } from './point-style.js';
import type { CloudPoints } from './types.js';
import type { CameraView } from './view.js';

/** Everything that determines the picture of the points, except the camera. */
export interface PaintedCloud {
  readonly points: CloudPoints;
  readonly colours: Uint8Array;
  /** Red, green, blue, alpha of 256 colours. */
  readonly palette: Uint8Array;
  readonly selected: Uint32Array | undefined;
}

/** A part of a picture: dots [from, to). All points come first in draw order, then the selected ones again, on top. */
export interface DrawRange {
  readonly view: CameraView;
  readonly style: PointStyle;
  readonly from: number;
  readonly to: number;
}

/** A part of the canvas, in CSS pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Paints points, with WebGL or on a 2-D canvas. A picture is painted off screen, range by range, and shown when it is
 * finished; until then the previous one stays.
 */
export interface Painter {
  /** Updates what has changed since the last call. */
  show(cloud: PaintedCloud): void;
  /** The size of the canvas in device pixels, `ratio` per CSS pixel. Pictures are discarded. */
  resize(width: number, height: number, ratio: number): void;
  /** Adds a range to the pending picture; a range from 0 starts a new picture. */
  paint(piece: DrawRange): void;
  /** The pending picture becomes the finished one. */
  finish(): void;
  /** Shows a picture on the canvas, scaled to a part of it. */
  present(which: 'finished' | 'pending', over: Rectangle): void;
  /** At most this many points are drawn. */
  readonly maxPoints: number;
  /** The number of points to draw, and the number of selected points to draw again on top. */
  readonly count: number;
  readonly selectedCount: number;
  /** True while the last range is still being drawn: another one would have to wait. */
  readonly busy: boolean;
  /** False while the WebGL context is lost. */
  readonly ready: boolean;
  dispose(): void;
}
