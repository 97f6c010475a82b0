import type { Matrix } from '@scree/core';
import type { PointForces } from '@scree/core/learn';
import { isNarrow } from '../../charts/use-width.js';
import type { Cloud } from '../shared/clouds.js';
import { Arrow, Dots, type PixelPoint, Segments, StageLabel } from '../shared/draw.js';
import { type Reach, Stage, type StageView } from '../shared/stage.js';
import { type Point3, pointNear, Stage3d } from '../shared/stage-3d.js';

const GROUPS = [0, 1, 2, 3] as const;
/** Shares of the largest coefficient: a pair above the first is drawn strongly, and a pair below the second is not drawn. */
const STRONG = 0.45;
const FAINT = 0.06;

interface DataProps {
  readonly cloud: Cloud;
  readonly reach: number;
  readonly chosen: number;
  readonly onChoose: (i: number) => void;
}

/** The data in their own space. */
export function DataStage({ cloud, reach, chosen, onChoose }: DataProps) {
  const { points, groups } = cloud;
  const all = Array.from(groups, (_, i) => i);
  const place = (i: number): Point3 => [points.data[3 * i], points.data[3 * i + 1], points.data[3 * i + 2]];
  return (
    <Stage3d
      reach={reach}
      ratio={isNarrow.value ? 0.72 : 1.2}
      maxHeight={352}
      label={`The data: ${points.rows} points in three dimensions`}
      onPick={(at, view) => {
        const found = pointNear(
          all.map((i) => view.at(place(i))),
          at,
        );
        if (found !== undefined) onChoose(found);
      }}
    >
      {(view) => (
        <>
          {GROUPS.map((group) => (
            <g key={group}>
              <Dots
                class={`group-${group} far`}
                size={5}
                at={all.filter((i) => groups[i] === group && view.depth(place(i)) < 0).map((i) => view.at(place(i)))}
              />
              <Dots
                class={`group-${group}`}
                size={7}
                at={all.filter((i) => groups[i] === group && view.depth(place(i)) >= 0).map((i) => view.at(place(i)))}
              />
            </g>
          ))}
          <Ring at={view.at(place(chosen))} />
          <StageLabel at={[8, 13]} class="caption" anchor="start">
            data, 3-D
          </StageLabel>
        </>
      )}
    </Stage3d>
  );
}

interface EmbeddingProps extends DataProps {
  readonly y: Matrix<Float64Array>;
  /** The final positions of the points, turned to fit the current positions. */
  readonly exact: Matrix<Float64Array>;
  readonly forces: PointForces;
  readonly box: Reach;
}

/** The moving points, and the forces on the chosen point. */
export function EmbeddingStage({ cloud, y, exact, forces, chosen, onChoose, box }: EmbeddingProps) {
  const { groups } = cloud;
  const all = Array.from(groups, (_, i) => i);
  const coefficients = all.map((j) => (j === chosen ? 0 : forces.data[j] - forces.embedding[j]));
  const largest = Math.max(...coefficients.map(Math.abs)) || 1;
  const pick = (view: StageView) => ({
    onClick: (event: MouseEvent) => {
      const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
      const places = all.map((i) => view.at(y.data[2 * i], y.data[2 * i + 1]));
      const found = pointNear(places, [event.clientX - left, event.clientY - top]);
      if (found !== undefined) onChoose(found);
    },
  });
  return (
    <Stage
      reach={box}
      ratio={0.9}
      maxHeight={352}
      label="The embedding: the same points in the plane"
      handlers={pick}
      class="pickable"
    >
      {(view) => {
        const place = (i: number): PixelPoint => view.at(y.data[2 * i], y.data[2 * i + 1]);
        const here = place(chosen);
        const pairs = (side: number, least: number, most: number) =>
          all
            .filter((j) => side * coefficients[j] >= least * largest && side * coefficients[j] < most * largest + 1e-12)
            .map((j) => [here, place(j)] as const);
        const tip = ([fx, fy]: Iterable<number>): PixelPoint => [here[0] + view.scale * fx, here[1] - view.scale * fy];
        const sum = [forces.attraction[0] + forces.repulsion[0], forces.attraction[1] + forces.repulsion[1]];
        return (
          <>
            <Dots class="sockets" size={13} at={all.map((i) => view.at(exact.data[2 * i], exact.data[2 * i + 1]))} />
            <Segments class="pull weak" of={pairs(-1, FAINT, STRONG)} />
            <Segments class="push weak" of={pairs(1, FAINT, STRONG)} />
            <Segments class="pull" of={pairs(-1, STRONG, 1)} />
            <Segments class="push" of={pairs(1, STRONG, 1)} />
            {GROUPS.map((group) => (
              <Dots
                key={group}
                class={`group-${group}`}
                size={7}
                at={all.filter((i) => groups[i] === group).map(place)}
              />
            ))}
            <Arrow class="pull" from={here} to={tip(forces.attraction)} />
            <Arrow class="push" from={here} to={tip(forces.repulsion)} />
            <Arrow class="net" from={here} to={tip(sum)} />
            <Ring at={here} />
            <StageLabel at={[8, 13]} class="caption" anchor="start">
              embedding, 2-D
            </StageLabel>
          </>
        );
      }}
    </Stage>
  );
}

function Ring({ at: [x, y] }: { at: PixelPoint }) {
  return <circle class="ring" cx={x} cy={y} r={8} />;
}
