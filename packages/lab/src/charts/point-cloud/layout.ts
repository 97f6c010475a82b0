/** Where the points are within the figure. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  /** Of the picture of the points. */
  readonly innerWidth: number;
  readonly innerHeight: number;
}

/** On the plane there is room for ticks and names around the points; in space axes are among them. */
export function layoutOf(width: number, height: number, inSpace: boolean): Layout {
  const [top, right, bottom, left] = inSpace ? [0, 0, 0, 0] : [26, 16, 44, 52];
  return {
    width,
    height,
    left,
    top,
    innerWidth: Math.max(1, width - left - right),
    innerHeight: Math.max(1, height - top - bottom),
  };
}
