import { useMemo } from 'preact/hooks';
import { Arrow, Dots, Line, type PixelPoint, pathOf, StageLabel } from '../shared/draw.js';
import { indexed } from '../shared/format.js';
import { type Point3, Stage3d, type StageView3d } from '../shared/stage-3d.js';

interface Props {
  readonly w: Float64Array;
  readonly k: number;
  readonly force: Float64Array;
  /** Earlier positions of the rows, oldest first. */
  readonly trail: readonly Float64Array[];
  /** True if rows are drawn as rods, whose two ends are equal. */
  readonly rods: boolean;
  /** The data, if they pull on the rows. */
  readonly cloud?: { readonly data: Float64Array; readonly rows: number };
  readonly label: string;
}

const at = (w: Float64Array, row: number, times = 1): Point3 => [
  times * w[3 * row],
  times * w[3 * row + 1],
  times * w[3 * row + 2],
];

/** The rows of W and the forces on them, in a unit sphere that can be turned. */
export function Sphere({ w, k, force, trail, rods, cloud, label }: Props) {
  return (
    <Stage3d reach={1.2} ratio={0.82} maxHeight={430} label={label} from={[25, 18]}>
      {(view) => {
        const order = Array.from({ length: k }, (_, row) => row).sort(
          (a, b) => view.depth(at(w, a)) - view.depth(at(w, b)),
        );
        const behind = order.filter((row) => view.depth(at(w, row)) < 0);
        const before = order.filter((row) => view.depth(at(w, row)) >= 0);
        const row = (index: number) => <Row key={index} {...{ w, force, trail, rods, view }} row={index} />;
        return (
          <>
            <circle class="globe" cx={view.width / 2} cy={view.height / 2} r={view.scale} />
            <Graticule view={view} />
            {cloud && (
              <Dots
                class="cloud"
                size={4}
                at={Array.from({ length: cloud.rows }, (_, i) => view.at(at(cloud.data, i, 0.42)))}
              />
            )}
            <g class="behind">{behind.map(row)}</g>
            <circle class="hub" cx={view.width / 2} cy={view.height / 2} r={3.5} />
            {before.map(row)}
          </>
        );
      }}
    </Stage3d>
  );
}

interface RowProps extends Pick<Props, 'w' | 'force' | 'trail' | 'rods'> {
  readonly row: number;
  readonly view: StageView3d;
}

/** The drawn length of a force of 1, and the largest drawn length. */
const FORCE = 0.22;
const LONGEST = 0.5;

function Row({ w, force, trail, rods, row, view }: RowProps) {
  const tip = at(w, row);
  const size = Math.hypot(...at(force, row)) || 1;
  const shown = Math.min(FORCE, LONGEST / size);
  const end: Point3 = [
    tip[0] + shown * force[3 * row],
    tip[1] + shown * force[3 * row + 1],
    tip[2] + shown * force[3 * row + 2],
  ];
  const origin = view.at([0, 0, 0]);
  const [x, y] = view.at(tip);
  const along = Math.hypot(x - origin[0], y - origin[1]) || 1;
  // The name is beside the tip, because the force is drawn ahead of the tip.
  const named: PixelPoint = [x - (16 * (y - origin[1])) / along, y + (16 * (x - origin[0])) / along];
  return (
    <g class={`row-${row % 6}`}>
      <path class="trail" d={pathOf(trail.map((past) => view.at(at(past, row))))} />
      {rods && <Line class="other-end" from={origin} to={view.at(at(w, row, -1))} />}
      <Arrow from={origin} to={view.at(tip)} width={4} />
      <Arrow class="force" from={view.at(tip)} to={view.at(end)} width={2.5} />
      <StageLabel at={named} class="name">
        {indexed('w', row + 1)}
      </StageLabel>
    </g>
  );
}

/** Circles of latitude and longitude. They are paler at the back. */
function Graticule({ view }: { view: StageView3d }) {
  // It changes only when the sphere is turned, not with every epoch.
  const { back, front } = useMemo(() => graticule(view), [view.key]);
  return (
    <>
      <path class="graticule back" d={back} />
      <path class="graticule" d={front} />
    </>
  );
}

function graticule(view: StageView3d): { readonly back: string; readonly front: string } {
  const circles: ((turn: number) => Point3)[] = [];
  for (const latitude of [-45, 0, 45]) {
    const [r, z] = [Math.cos((latitude * Math.PI) / 180), Math.sin((latitude * Math.PI) / 180)];
    circles.push((t) => [r * Math.cos(t), r * Math.sin(t), z]);
  }
  for (const longitude of [0, 45, 90, 135]) {
    const [x, y] = [Math.cos((longitude * Math.PI) / 180), Math.sin((longitude * Math.PI) / 180)];
    circles.push((t) => [x * Math.cos(t), y * Math.cos(t), Math.sin(t)]);
  }
  const turns = Array.from({ length: 73 }, (_, i) => (i * Math.PI) / 36);
  const part = (front: boolean): string =>
    circles
      .map((circle) => {
        let path = '';
        let drawing = false;
        for (const turn of turns) {
          const point = circle(turn);
          const here = view.depth(point) >= -1e-9 === front;
          const [x, y] = view.at(point);
          if (here) path += `${drawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
          drawing = here;
        }
        return path;
      })
      .join('');
  return { back: part(false), front: part(true) };
}
