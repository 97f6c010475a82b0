import type { Matrix } from '@scree/core';
import { useRef } from 'preact/hooks';
import { Dots, Line, type PixelPoint, Segments } from '../shared/draw.js';
import { withDecimals } from '../shared/format.js';
import { type Reach, Stage, type StageView } from '../shared/stage.js';
import { lineAngle } from './turning.js';

interface Props {
  readonly points: Matrix<Float64Array>;
  readonly reach: Reach;
  readonly angle: number;
  /** Angle of the principal axis, if there is one. */
  readonly axis?: number;
  readonly onTurn: (angle: number) => void;
  readonly onRelease: () => void;
}

/** Points, a line through their mean that can be turned, and the projections onto it. */
export function TurnStage({ points, reach, angle, axis, onTurn, onRelease }: Props) {
  const holding = useRef(false);
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  const handlers = (view: StageView) => ({
    onPointerDown: (event: PointerEvent) => {
      // A finger on the empty stage scrolls the page. A finger on the line turns the line.
      const held = event.target instanceof Element && event.target.closest('.turnable') !== null;
      if (event.button !== 0 || (event.pointerType !== 'mouse' && !held)) return;
      holding.current = true;
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      turnTo(view, event);
    },
    onPointerMove: (event: PointerEvent) => {
      if (holding.current) turnTo(view, event);
    },
    onPointerUp: release,
    onPointerCancel: release,
  });
  const turnTo = (view: StageView, event: PointerEvent): void => {
    const [x, y] = view.from(event as unknown as Parameters<StageView['from']>[0]);
    if (Math.hypot(x, y) > 8 / view.scale) onTurn(Math.atan2(y, x));
  };
  function release(): void {
    if (!holding.current) return;
    holding.current = false;
    onRelease();
  }
  const degrees = (lineAngle(angle) * 180) / Math.PI;
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (by !== undefined) onTurn(angle + (by * Math.PI) / 180);
    else if (event.key === 'Enter') onRelease();
    else return;
    event.preventDefault();
  };
  return (
    <Stage reach={reach} ratio={0.66} label={`${points.rows} points and a line through their mean`} handlers={handlers}>
      {(view) => {
        const place = (i: number): PixelPoint => view.at(points.data[2 * i], points.data[2 * i + 1]);
        const landing = (i: number): PixelPoint => {
          const along = ux * points.data[2 * i] + uy * points.data[2 * i + 1];
          return view.at(along * ux, along * uy);
        };
        const all = Array.from({ length: points.rows }, (_, i) => i);
        const arm = (0.43 * Math.min(view.width, view.height)) / view.scale;
        const ends = [1, -1].map((side) => view.at(side * arm * ux, side * arm * uy));
        const wide = view.width / view.scale;
        const end = (side: number, at: number): PixelPoint =>
          view.at(side * wide * Math.cos(at), side * wide * Math.sin(at));
        return (
          <>
            {axis !== undefined && <Line class="goal" from={end(-1, axis)} to={end(1, axis)} />}
            <Segments class="lost" of={all.map((i) => [place(i), landing(i)] as const)} />
            <Line class="turned-line" from={view.at(-wide * ux, -wide * uy)} to={view.at(wide * ux, wide * uy)} />
            <Dots class="cloud" size={7} at={all.map(place)} />
            <Dots class="kept" size={5} at={all.map(landing)} />
            <g
              class="turnable"
              role="slider"
              tabindex={0}
              aria-label="Line: arrows turn it, Enter lets it go"
              aria-valuemin={-90}
              aria-valuemax={90}
              aria-valuenow={Math.round(degrees)}
              aria-valuetext={`${withDecimals(degrees, 1)} degrees`}
              onKeyDown={press}
            >
              <Line class="grip" from={ends[0]} to={ends[1]} />
              {ends.map(([x, y], i) => (
                <circle key={i} class="handle" cx={x} cy={y} r={9} />
              ))}
            </g>
          </>
        );
      }}
    </Stage>
  );
}
