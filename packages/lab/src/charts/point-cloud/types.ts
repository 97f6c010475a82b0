import type { Signal } from '@preact/signals';

/** Arrays of equal length, one entry per row. They are replaced when something changes, never modified. */
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
  /** Default: the colour of the text. */
  readonly colour?: string | undefined;
}

/** A closed line around a group of points, in two dimensions. */
export interface CloudOutline {
  /** x and y alternating, in the units of the points. */
  readonly points: Float64Array;
  readonly colour: string;
  /** True if the line is dashed. */
  readonly dashed?: boolean | undefined;
}

/** The meaning of the colours of the points. */
export type CloudLegend =
  | {
      readonly kind: 'groups';
      readonly title: string;
      readonly entries: readonly { readonly name: string; readonly colour: string; readonly count: number }[];
    }
  | {
      readonly kind: 'scale';
      readonly title: string;
      readonly low: number;
      readonly high: number;
      readonly palette: readonly string[];
    };

export interface PointCloudProps {
  readonly points: CloudPoints;
  /** The real coordinates are 10^exponent10 times as large, and are shown by the axes. Default 0. */
  readonly exponent10?: number | undefined;
  /** Index into `palette` per point. */
  readonly colours: Uint8Array;
  /** Colours as the theme resolved them, at most 256. */
  readonly palette: readonly string[];
  /** Two or three, like the dimensions: "PC1 (72.9 %)". */
  readonly axes: readonly { readonly label: string }[];
  readonly arrows?: readonly CloudArrow[] | undefined;
  readonly outlines?: readonly CloudOutline[] | undefined;
  /** Drawn below the figure in exported files only; the page has elements of its own for them. Screen readers read captions with the figure. */
  readonly legend?: CloudLegend | undefined;
  readonly captions?: readonly string[] | undefined;
  /** Selected rows; the other points fade. Undefined if nothing is selected: then nothing fades. */
  readonly selected: Signal<Uint32Array | undefined>;
  readonly hovered: Signal<number | undefined>;
  /** The same units on all axes, so that distances are comparable. Default true. */
  readonly equalUnits?: boolean | undefined;
  /** A description of the figure for screen readers. */
  readonly label: string;
  readonly height?: number | undefined;
  /** True to draw with WebGL. Default: only if there are many points. */
  readonly webgl?: boolean | undefined;
  /** The effect of dragging. */
  readonly tool: 'move' | 'lasso';
  /** Called with a handle to the figure when it is mounted, and with undefined when it is removed. */
  readonly handle?: ((handle: CloudHandle | undefined) => void) | undefined;
}

/** Exports the figure as it is drawn now. */
export interface CloudHandle {
  toSvg(): Promise<SVGSVGElement>;
  /** At twice its size on the page. */
  toPng(): Promise<Blob>;
  resetView(): void;
}
