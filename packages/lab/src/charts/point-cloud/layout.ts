/** The size of the figure, and the position and size of the points in it. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  /** Size of the picture of the points. */
  readonly innerWidth: number;
  readonly innerHeight: number;
}

/** In 2-D there is a margin for ticks and names; in 3-D the axes are among the points. */
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
