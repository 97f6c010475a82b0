import type { Matrix } from '@scree/core';
import type { Eigen } from '@scree/core/learn';
import { Arrow, Dots, type PixelPoint, pathOf, Segments, StageLabel } from '../shared/draw.js';
import { indexed } from '../shared/format.js';
import { type Point3, Stage3d, type StageView3d } from '../shared/stage-3d.js';

interface Props {
  readonly points: Matrix<Float64Array>;
  readonly axes: Eigen;
  readonly fan: readonly Eigen[];
  readonly k: number;
  /** The standard deviations along the axes. */
  readonly sizes: readonly number[];
}

/** Half the length of a drawn axis, in standard deviations. */
const LONG = 2;
const TURNS = Array.from({ length: 49 }, (_, i) => (i * Math.PI) / 24);

/** Points, their current axes, and the axes of many slightly perturbed copies. */
export function FanStage({ points, axes, fan, k, sizes }: Props) {
  const axis = ({ vectors }: Eigen, j: number, times: number): Point3 => [
    times * vectors[3 * j],
    times * vectors[3 * j + 1],
    times * vectors[3 * j + 2],
  ];
  const reach = LONG * sizes[0];
  return (
    <Stage3d
      reach={1.12 * reach}
      ratio={0.72}
      maxHeight={430}
      from={[-16, 30]}
      label={`Points in space, their axes, and the axes of ${fan.length} perturbed copies`}
    >
      {(view) => {
        const both = (eigen: Eigen, j: number) => {
          const long = LONG * Math.max(sizes[j], 0.35 * sizes[0]);
          return [view.at(axis(eigen, j, -long)), view.at(axis(eigen, j, long))] as const;
        };
        const places = Array.from(
          { length: points.rows },
          (_, i): Point3 => [points.data[3 * i], points.data[3 * i + 1], points.data[3 * i + 2]],
        );
        const drawn = [0, 1, 2].filter((j) => j < Math.max(2, k));
        return (
          <>
            {k === 2 && <path class="plane-now" d={`${ellipse(axes, sizes, view)}Z`} />}
            {k === 2 && <path class="planes" d={fan.map((one) => ellipse(one, sizes, view)).join('')} />}
            <Dots class="cloud far" size={4} at={places.filter((p) => view.depth(p) < 0).map(view.at)} />
            <Dots class="cloud" size={5.5} at={places.filter((p) => view.depth(p) >= 0).map(view.at)} />
            {drawn.map((j) => (
              <Segments key={j} class={`fan axis-${j}`} of={fan.map((one) => both(one, j))} />
            ))}
            {drawn.map((j) => {
              const [from, to] = both(axes, j);
              const middle = view.at([0, 0, 0]);
              const name: PixelPoint = [to[0] + 0.06 * (to[0] - middle[0]) + 4, to[1] + 0.06 * (to[1] - middle[1]) - 8];
              return (
                <g key={j} class={`axis-${j}`}>
                  <Arrow from={from} to={to} width={3.5} />
                  <StageLabel at={name} class="name">
                    {indexed('v', j + 1)}
                  </StageLabel>
                </g>
              );
            })}
          </>
        );
      }}
    </Stage3d>
  );
}

/** An ellipse in the plane of the first two axes, as wide as the cloud. */
function ellipse({ vectors }: Eigen, sizes: readonly number[], view: StageView3d): string {
  return pathOf(
    TURNS.map((turn) => {
      const [a, b] = [LONG * sizes[0] * Math.cos(turn), LONG * sizes[1] * Math.sin(turn)];
      return view.at([
        a * vectors[0] + b * vectors[3],
        a * vectors[1] + b * vectors[4],
        a * vectors[2] + b * vectors[5],
      ]);
    }),
  );
}
