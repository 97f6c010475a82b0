/** Shapes that are drawn on stages. Coordinates are pixels with one decimal. More decimals would only slow the page down. */

export type PixelPoint = readonly [x: number, y: number];

const px = (value: number): string => value.toFixed(1);

/** Many dots as one path: a round cap on a line of no length is a dot. */
export function Dots({ at, size, class: name = '' }: { at: Iterable<PixelPoint>; size: number; class?: string }) {
  let path = '';
  for (const [x, y] of at) path += `M${px(x)} ${px(y)}h0`;
  return path === '' ? null : <path class={`dots ${name}`} d={path} stroke-width={size} />;
}

/** Many segments as one path. */
export function Segments({
  of,
  class: name = '',
}: {
  of: Iterable<readonly [PixelPoint, PixelPoint]>;
  class?: string;
}) {
  let path = '';
  for (const [[a, b], [c, d]] of of) path += `M${px(a)} ${px(b)}L${px(c)} ${px(d)}`;
  return path === '' ? null : <path class={`segments ${name}`} d={path} />;
}

export function Line({ from, to, class: name = '' }: { from: PixelPoint; to: PixelPoint; class?: string }) {
  return <line class={name} x1={px(from[0])} y1={px(from[1])} x2={px(to[0])} y2={px(to[1])} />;
}

/** A line through points, as the value of `d`. */
export function pathOf(points: Iterable<PixelPoint>): string {
  let path = '';
  for (const [x, y] of points) path += `${path === '' ? 'M' : 'L'}${px(x)} ${px(y)}`;
  return path;
}

interface ArrowProps {
  readonly from: PixelPoint;
  readonly to: PixelPoint;
  readonly class?: string;
  readonly width?: number;
}

/** An arrow whose head is in proportion to its length. An arrow without length is not drawn. */
export function Arrow({ from, to, class: name = '', width = 3 }: ArrowProps) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (!(length > 0.75)) return null;
  const head = Math.min(4 * width, 0.6 * length);
  const [ux, uy] = [dx / length, dy / length];
  const [bx, by] = [to[0] - head * ux, to[1] - head * uy];
  const wing = 0.42 * head;
  const corners: PixelPoint[] = [to, [bx - wing * uy, by + wing * ux], [bx + wing * uy, by - wing * ux]];
  return (
    <g class={`arrow ${name}`}>
      <Line from={from} to={[bx, by]} />
      <path class="head" d={`${pathOf(corners)}Z`} />
    </g>
  );
}

/** Text on a picture, outlined in the background colour so that it can be read over lines. */
export function StageLabel({ at, children, class: name = '', anchor = 'middle' }: LabelProps) {
  return (
    <text class={`label ${name}`} x={px(at[0])} y={px(at[1])} text-anchor={anchor} dominant-baseline="central">
      {children}
    </text>
  );
}

interface LabelProps {
  readonly at: PixelPoint;
  readonly children: string | string[];
  readonly class?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}
