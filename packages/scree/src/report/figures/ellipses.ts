import * as Plot from '@observablehq/plot';
import { type EllipseOptions, type Groups, groupEllipse } from '@scree/analysis';
import type { RowColours } from './colouring.js';
import type { Plane } from './plane.js';

/** With more groups than this, the ellipses of their rows would hide one another. */
const MOST_CONCENTRATIONS = 6;
/** Minimum number of rows of an ellipse. With fewer rows, ellipses are larger than the figure. */
const LEAST_ROWS = 6;
/** Corners of the polygon that is drawn for an ellipse. */
const CORNERS = 72;

export interface DrawnEllipses {
  marks(plane: Plane): Plot.Markish[];
  /** Points on the ellipses, to make room for them. */
  readonly points: readonly (readonly [number, number])[];
  /** Explains the ellipses. */
  readonly caption: string;
}

/** Ellipses of the rows and of the centre of each group that has a colour. */
export function ellipsesOf(
  groups: Groups | undefined,
  colouring: RowColours,
  components: readonly [number, number],
): DrawnEllipses {
  const named = colouring.groups.filter((group) => group.named);
  const outlines = (kind: NonNullable<EllipseOptions['kind']>): Outline[] =>
    named.flatMap(({ name, colour }) => {
      const level = groups?.levels.find((each) => each.level === name);
      const points = level && level.n >= LEAST_ROWS ? outline(level, components, kind) : undefined;
      return points ? [{ colour, points }] : [];
    });
  if (named.length < 2) return { marks: () => [], points: [], caption: '' };
  const rows = named.length <= MOST_CONCENTRATIONS ? outlines('concentration') : [];
  const centres = outlines('confidence');
  const small = named.some(
    ({ name }) => (groups?.levels.find(({ level }) => level === name)?.n ?? LEAST_ROWS) < LEAST_ROWS,
  );
  return {
    marks: (plane) => [
      ...rows.map(({ points, colour }) =>
        Plot.line(inside(points, plane), { stroke: colour, strokeWidth: 1.4, strokeDasharray: '5 3' }),
      ),
      ...centres.map(({ points, colour }) =>
        Plot.line(inside(points, plane), { stroke: colour, strokeWidth: 1.6, fill: colour, fillOpacity: 0.25 }),
      ),
    ],
    points: rows.flatMap(({ points }) => points),
    caption: [
      ...(rows.length > 0
        ? [
            ' Dashed ellipses: where the next row of a group is with 95 % probability, if its rows are normally distributed.',
          ]
        : []),
      ...(centres.length > 0
        ? [
            ` ${rows.length > 0 ? 'Small filled' : 'Filled'} ellipses: where a group’s true centre is, with 95 % confidence.`,
          ]
        : []),
      ...(centres.length > 0 && small ? [` Groups of fewer than ${LEAST_ROWS} rows have none.`] : []),
    ].join(''),
  };
}

/** Removes the points outside the frame. The line has a gap there. */
function inside(points: Outline['points'], { x: [left, right], y: [low, high] }: Plane): [number, number][] {
  return points.map(([x, y]) => (x >= left && x <= right && y >= low && y <= high ? [x, y] : [Number.NaN, Number.NaN]));
}

interface Outline {
  readonly colour: string;
  readonly points: readonly (readonly [number, number])[];
}

function outline(
  level: Parameters<typeof groupEllipse>[0],
  components: readonly [number, number],
  kind: NonNullable<EllipseOptions['kind']>,
): Outline['points'] | undefined {
  const ellipse = groupEllipse(level, components, { kind });
  if (!ellipse?.semiAxes.every((length) => Number.isFinite(length) && length > 0)) return undefined;
  const { center, semiAxes, angle } = ellipse;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return Array.from({ length: CORNERS + 1 }, (_, i) => {
    const turn = (2 * Math.PI * i) / CORNERS;
    const [u, v] = [semiAxes[0] * Math.cos(turn), semiAxes[1] * Math.sin(turn)];
    return [center[0] + u * cos - v * sin, center[1] + u * sin + v * cos];
  });
}
