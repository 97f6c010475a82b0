import { useWidth } from '../../charts/use-width.js';
import { type PixelPoint, pathOf, StageLabel } from '../shared/draw.js';
import { unitsFor, withDecimals } from '../shared/format.js';
import { lineAngle, type Turning } from './turning.js';

const HEIGHT = 168;
const MARGIN = { top: 22, bottom: 34, left: 6, right: 6 };

/** The variance kept (below) and lost (above) at every angle of the line; their sum is constant. */
export function TurnChart({ turning, angle }: { turning: Turning; angle: number }) {
  const [home, width] = useWidth();
  const x = (radians: number): number =>
    MARGIN.left + ((width - MARGIN.left - MARGIN.right) * (radians + Math.PI / 2)) / Math.PI;
  const y = (variance: number): number =>
    HEIGHT - MARGIN.bottom - ((HEIGHT - MARGIN.top - MARGIN.bottom) * variance) / (turning.total || 1);
  const curve = Array.from({ length: 91 }, (_, i): PixelPoint => {
    const radians = (i / 90 - 0.5) * Math.PI;
    return [x(radians), y(turning.kept(radians))];
  });
  const here = lineAngle(angle);
  const kept = turning.kept(here);
  const [left, right, low, high] = [x(-Math.PI / 2), x(Math.PI / 2), y(0), y(turning.total)];
  const axis = x(turning.axis);
  const { text } = unitsFor(turning.total);
  return (
    <div class="turn-chart" ref={home} style={{ minHeight: `${HEIGHT}px` }}>
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Variance against the angle of the line. ${
            turning.isRound
              ? `Kept is ${text(turning.kept(0))} at every angle`
              : `Kept is most, ${text(turning.kept(turning.axis))}, at ${degreesOf(turning.axis)}, and least, ${text(turning.kept(turning.axis + Math.PI / 2))}, across it`
          }; kept and lost always add up to ${text(turning.total)}.`}
        >
          <path class="area lost" d={`${pathOf(curve)}L${right} ${high}L${left} ${high}Z`} />
          <path class="area kept" d={`${pathOf(curve)}L${right} ${low}L${left} ${low}Z`} />
          <path class="curve kept" d={pathOf(curve)} />
          <StageLabel at={[left + 2, 9]} class="tick" anchor="start">
            variance against the angle of the line
          </StageLabel>
          {[-90, -45, 0, 45, 90].map((value) => (
            <StageLabel
              key={value}
              at={[x((value * Math.PI) / 180), low + 12]}
              class="tick"
              anchor={value === -90 ? 'start' : value === 90 ? 'end' : 'middle'}
            >
              {`${withDecimals(value, 0)}°`}
            </StageLabel>
          ))}
          {!turning.isRound && (
            <>
              <line class="goal" x1={axis} x2={axis} y1={high} y2={low} />
              <StageLabel at={[Math.min(Math.max(axis, left + 42), right - 42), HEIGHT - 7]} class="tick">
                principal axis
              </StageLabel>
            </>
          )}
          <line class="now" x1={x(here)} x2={x(here)} y1={high} y2={low} />
          <circle class="handle kept" cx={x(here)} cy={y(kept)} r={6} />
        </svg>
      )}
    </div>
  );
}

function degreesOf(radians: number): string {
  return `${withDecimals((radians * 180) / Math.PI, 1)}°`;
}
