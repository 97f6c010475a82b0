import type { Signal } from '@preact/signals';

/** Arrays of one length, a place per row; replaced as a whole when something changed: their identity tells. */
export interface CloudPoints {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Given for three dimensions. */
  readonly z?: Float32Array | undefined;
}

/** An arrow of a biplot, from the origin, in the units of the points. */
export interface CloudArrow {
  readonly x: number;
  readonly y: number;
  readonly z?: number | undefined;
  readonly label: string;
}

export interface PointCloudProps {
  readonly points: CloudPoints;
  /** The points stand for places ten to this power times as far; 0 when left out. Axes tell the real ones. */
  readonly exponent10?: number | undefined;
  /** Index into `palette` per point. */
  readonly colours: Uint8Array;
  /** Colours as the theme resolved them, at most 256. */
  readonly palette: readonly string[];
  /** Two or three, like the dimensions: "PC1 (72.9 %)". */
  readonly axes: readonly { readonly label: string }[];
  readonly arrows?: readonly CloudArrow[] | undefined;
  /** Rows that are selected; undefined: no selection, all are drawn in full. The others fade. */
  readonly selected: Signal<Uint32Array | undefined>;
  readonly hovered: Signal<number | undefined>;
  /** The same units on all axes, so that distances are distances: the default. */
  readonly equalUnits?: boolean | undefined;
  /** What is to be seen, for those who do not see it. */
  readonly label: string;
  readonly height?: number | undefined;
  /** Whether the graphics card draws; unless the points are few, when nothing is said. */
  readonly webgl?: boolean | undefined;
  /** What dragging does. */
  readonly tool: 'move' | 'lasso';
  /** Is given what can be done with the picture once it is there, and undefined when it goes. */
  readonly handle?: ((handle: CloudHandle | undefined) => void) | undefined;
}

/** For taking the figure away: the picture as it is drawn now. */
export interface CloudHandle {
  toSvg(): Promise<SVGSVGElement>;
  /** At twice the size it has on the page. */
  toPng(): Promise<Blob>;
  resetView(): void;
}
