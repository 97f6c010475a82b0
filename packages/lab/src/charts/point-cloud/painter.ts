import type { PointStyle } from './point-style.js';
import type { CloudPoints } from './types.js';
import type { View } from './view.js';

/** Everything that points look like, apart from where the camera stands. */
export interface Cloud {
  readonly points: CloudPoints;
  readonly colours: Uint8Array;
  /** Red, green, blue, alpha of 256 colours. */
  readonly palette: Uint8Array;
  readonly selected: Uint32Array | undefined;
}

/** One piece of a picture: from its first dot to before its last. All slots come first, then the selected ones again, on top. */
export interface DrawRange {
  readonly view: View;
  readonly style: PointStyle;
  readonly from: number;
  readonly to: number;
}

/** A part of the canvas, in pixels of the style sheet. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Paints points: by WebGL, or by hand where there is none. A picture is made out of sight, piece by piece, and shown when it is
 * finished; the one before stays until then.
 */
export interface Painter {
  /** Takes over what has changed since the last call. */
  show(cloud: Cloud): void;
  /** Pixels of the canvas; `ratio` of them to a pixel of the style sheet. Pictures are gone. */
  resize(width: number, height: number, ratio: number): void;
  /** Adds to the picture in the pending; a piece from 0 begins anew. */
  paint(piece: DrawRange): void;
  /** The picture in the pending is the finished one from now on. */
  finish(): void;
  /** Puts a picture onto the canvas, stretched over a part of it. */
  present(which: 'finished' | 'pending', over: Rectangle): void;
  /** No more points than this are drawn. */
  readonly maxPoints: number;
  /** How many points there are to draw, and how many of them are selected: the dots of a picture. */
  readonly count: number;
  readonly selectedCount: number;
  /** True while the last piece is still being drawn: the next would only have to wait for it. */
  readonly busy: boolean;
  /** False while the graphics card has taken its context away. */
  readonly ready: boolean;
  dispose(): void;
}
