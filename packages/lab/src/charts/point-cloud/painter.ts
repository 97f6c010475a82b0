import type { Look } from './look.js';
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

/** One piece of a picture: slots [from, to); from 0 the picture begins anew. */
export interface Piece {
  readonly view: View;
  readonly look: Look;
  readonly from: number;
  readonly to: number;
  /** Selected points, the first of their slots, that are drawn on top. */
  readonly selectedTo: number;
}

/** Puts points onto a canvas: by WebGL, or by hand where there is none. */
export interface Painter {
  /** Takes over what has changed since the last call. */
  show(cloud: Cloud): void;
  /** Pixels of the canvas; `ratio` of them to a pixel of the style sheet. */
  resize(width: number, height: number, ratio: number): void;
  paint(piece: Piece): void;
  /** No more points than this are drawn. */
  readonly most: number;
  /** How many slots, and how many of them selected, there are to draw. */
  readonly count: number;
  readonly selectedCount: number;
  /** False while the graphics card has taken its context away. */
  readonly ready: boolean;
  dispose(): void;
}
