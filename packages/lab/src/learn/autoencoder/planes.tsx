import type { Matrix } from '@scree/core';
import { Arrow, Dots, Line, type PixelPoint, Segments, StageLabel } from '../shared/draw.js';
import { indexed } from '../shared/format.js';
import { type Reach, Stage } from '../shared/stage.js';
import type { Passed } from './weights.js';

interface Props {
  readonly points: Matrix<Float64Array>;
  readonly w: Float64Array;
  readonly k: number;
  readonly passed: Passed;
  readonly box: Reach;
  /** Angle of the principal axis, if there is one. */
  readonly axis?: number;
}

/** The plane of the data: points, reconstructions, and the rows of W. */
export function DataPlane({ points, w, k, passed, box, axis }: Props) {
  const all = Array.from({ length: points.rows }, (_, i) => i);
  return (
    <Stage
      reach={box}
      ratio={0.86}
      maxHeight={360}
      label="The data’s plane: points, their reconstructions and the rows of W"
    >
      {(view) => {
        const of =
          (data: Float64Array) =>
          (i: number): PixelPoint =>
            view.at(data[2 * i], data[2 * i + 1]);
        const [x, xRec] = [of(points.data), of(passed.xRec)];
        const wide = view.width / view.scale;
        const end = (side: number, angle: number): PixelPoint =>
          view.at(side * wide * Math.cos(angle), side * wide * Math.sin(angle));
        return (
          <>
            {axis !== undefined && <Line class="goal" from={end(-1, axis)} to={end(1, axis)} />}
            <circle class="unit-circle" cx={view.width / 2} cy={view.height / 2} r={view.scale} />
            <Segments class="lost" of={all.map((i) => [x(i), xRec(i)] as const)} />
            <Dots class="cloud" size={6} at={all.map(x)} />
            <Dots class="kept" size={5} at={all.map(xRec)} />
            <Weights w={w} k={k} at={view.at} />
            <StageLabel at={[8, 13]} class="caption" anchor="start">
              data and their reconstructions
            </StageLabel>
          </>
        );
      }}
    </Stage>
  );
}

function Weights({ w, k, at }: { w: Float64Array; k: number; at: (x: number, y: number) => PixelPoint }) {
  return (
    <>
      {Array.from({ length: k }, (_, r) => {
        const [x, y] = [w[2 * r], w[2 * r + 1]];
        const size = Math.hypot(x, y) || 1;
        return (
          <g key={r} class={`weight-${r}`}>
            <Arrow from={at(0, 0)} to={at(x, y)} width={4} />
            <StageLabel at={at(x + (0.28 * x) / size, y + (0.28 * y) / size)} class="name">
              {indexed('w', r + 1)}
            </StageLabel>
          </g>
        );
      })}
    </>
  );
}

/** The codes y = Wx and the codes of the reconstructions. They are on a line if W has one row, and in a plane if it has two. */
export function CodePlane({ points, k, passed, box }: Props) {
  const all = Array.from({ length: points.rows }, (_, i) => i);
  const caption = 'codes, and codes of the reconstructions';
  return (
    <Stage reach={box} ratio={0.86} maxHeight={360} axes={k === 2} label={`The codes: ${caption}`}>
      {(view) => {
        const high = view.height / 4 / view.scale;
        const of =
          (data: Float64Array, line: number) =>
          (i: number): PixelPoint =>
            k === 2 ? view.at(data[2 * i], data[2 * i + 1]) : view.at(data[i], line * high);
        const [y, yRec] = [of(passed.y, 1), of(passed.yRec, -1)];
        return (
          <>
            {k === 1 && (
              <g class="axes">
                {[high, -high].map((level) => (
                  <Line
                    key={level}
                    class="axis"
                    from={[0, view.at(0, level)[1]]}
                    to={[view.width, view.at(0, level)[1]]}
                  />
                ))}
                <Line class="axis" from={[view.width / 2, 0]} to={[view.width / 2, view.height]} />
              </g>
            )}
            <Segments class="second" of={all.map((i) => [y(i), yRec(i)] as const)} />
            <Dots class="cloud" size={6} at={all.map(y)} />
            <Dots class="second" size={5} at={all.map(yRec)} />
            {k === 1 && (
              <>
                <StageLabel at={[8, view.at(0, high)[1] - 14]} anchor="start">
                  code y
                </StageLabel>
                <StageLabel at={[8, view.at(0, -high)[1] + 16]} anchor="start">
                  code of the reconstruction
                </StageLabel>
              </>
            )}
            <StageLabel at={[8, 13]} class="caption" anchor="start">
              {caption}
            </StageLabel>
          </>
        );
      }}
    </Stage>
  );
}
