import { formatNumber } from '@scree/analysis/describe';
import { useWidth } from '../../charts/use-width.js';
import { type PixelPoint, pathOf, StageLabel } from './draw.js';
import { powersOf, ticksOf } from './ticks.js';

export interface Series {
  readonly name: string;
  /** A class of learn.css that sets the colour. */
  readonly class: string;
  readonly points: readonly PixelPoint[];
  /** Label at the end of the curve; the name if left out, none if empty. */
  readonly label?: string;
}

interface Props {
  readonly series: readonly Series[];
  readonly x: readonly [number, number];
  /** Ends of the axis. It is extended if a curve is higher. Values below the lower end are drawn at this end, which is marked "or less". */
  readonly y: readonly [number, number];
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Position of a vertical line. */
  readonly now?: number;
  readonly height?: number;
  /** Pixels at the right for labels. */
  readonly room?: number;
  /** A description of the curves for screen readers. */
  readonly label: string;
}

const MARGIN = { top: 24, bottom: 34, left: 48 };
const LINE = 15;
/** Half a line and half a dot. */
const DOT = 10;

/** Curves that change with every frame. A chart library would be too slow for this. */
export function LineChart({
  series,
  x,
  y,
  logX = false,
  logY = false,
  xLabel,
  yLabel,
  now,
  height = 190,
  room = 12,
  label,
}: Props) {
  const [home, width] = useWidth();
  const inner = { width: Math.max(10, width - MARGIN.left - room), height: height - MARGIN.top - MARGIN.bottom };
  const toX = axis(x, logX, MARGIN.left, MARGIN.left + inner.width);
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const ends: readonly [number, number] = [y[0], values.reduce((most, value) => Math.max(most, value), y[1])];
  const below = values.some((value) => value < y[0]);
  const toY = axis(ends, logY, height - MARGIN.bottom, MARGIN.top);
  const lines = series.map((one) => ({ ...one, drawn: one.points.map(([a, b]): PixelPoint => [toX(a), toY(b)]) }));
  const xTicks = logX ? powersOf(...x, inner.width / 60) : ticksOf(...x, Math.max(2, Math.floor(inner.width / 70)));
  const steps = logY
    ? powersOf(...ends, inner.height / 22)
    : ticksOf(...ends, Math.max(2, Math.floor(inner.height / 32)));
  // The lower end is marked when a curve lies on it.
  const yTicks = below ? [y[0], ...steps.filter((value) => toY(y[0]) - toY(value) > LINE)] : steps;
  return (
    <div class="line-chart" ref={home} style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          <g class="axes">
            {yTicks.map((value) => (
              <g key={value}>
                <line x1={MARGIN.left} x2={MARGIN.left + inner.width} y1={toY(value)} y2={toY(value)} />
                <StageLabel at={[MARGIN.left - 7, toY(value)]} class="tick" anchor="end">
                  {`${below && value === y[0] ? '≤\u2009' : ''}${tickName(value, logY)}`}
                </StageLabel>
              </g>
            ))}
            {xTicks.map((value) => (
              <StageLabel key={value} at={[toX(value), height - MARGIN.bottom + 12]} class="tick">
                {tickName(value, logX)}
              </StageLabel>
            ))}
            <StageLabel at={[MARGIN.left + inner.width / 2, height - 7]} class="tick">
              {xLabel}
            </StageLabel>
            <StageLabel at={[2, 8]} class="tick" anchor="start">
              {yLabel}
            </StageLabel>
          </g>
          {now !== undefined && (
            <line class="now" x1={toX(now)} x2={toX(now)} y1={MARGIN.top} y2={height - MARGIN.bottom} />
          )}
          {lines.map(({ name, class: colour, drawn }) => (
            <g key={name} class={colour}>
              <path class="curve" d={pathOf(drawn)} />
              {drawn.length > 0 && (
                <circle class="end" cx={drawn[drawn.length - 1][0]} cy={drawn[drawn.length - 1][1]} r={3.5} />
              )}
            </g>
          ))}
          {room > 20 && <EndLabels lines={lines} top={MARGIN.top} bottom={height - MARGIN.bottom} right={width} />}
        </svg>
      )}
    </div>
  );
}

interface EndProps {
  readonly lines: readonly (Series & { readonly drawn: readonly PixelPoint[] })[];
  readonly top: number;
  readonly bottom: number;
  readonly right: number;
}

/** Names at the ends of the curves. They are moved apart if they would overlap each other or the end of another curve. */
function EndLabels({ lines, top, bottom, right }: EndProps) {
  const labels: { x: number; y: number; width: number; text: string; colour: string }[] = [];
  const ends = lines
    .filter(({ drawn, label, name }) => drawn.length > 0 && (label ?? name) !== '')
    .sort((a, b) => a.drawn[a.drawn.length - 1][1] - b.drawn[b.drawn.length - 1][1]);
  for (const { drawn, label, name, class: colour } of ends) {
    const text = label ?? name;
    const width = 7.2 * text.length;
    const [endX, endY] = drawn[drawn.length - 1];
    const x = Math.min(endX + 9, right - width - 2);
    const dots = ends.map((other) => other.drawn[other.drawn.length - 1]).filter(([at]) => at > x - 4);
    const free = (y: number): boolean =>
      dots.every(([dotX, dotY]) => Math.abs(dotY - y) >= DOT || dotX > x + width) &&
      labels.every((other) => Math.abs(other.y - y) >= LINE || other.x > x + width || x > other.x + other.width);
    // The name moves down until it overlaps nothing, or up if it does not fit below.
    let y = endY;
    while (!free(y) && y < bottom) y += 1;
    if (y >= bottom) for (y = Math.min(endY, bottom); !free(y) && y > top; ) y -= 1;
    labels.push({ x, y, width, text, colour });
  }
  return (
    <g>
      {labels.map(({ x, y, text, colour }) => (
        <StageLabel key={text} at={[x, y]} class={`name ${colour}`} anchor="start">
          {text}
        </StageLabel>
      ))}
    </g>
  );
}

/** The lower end of a logarithmic axis: a power of ten below all values, between `to` and `from`. */
export function lowEnd(values: readonly number[], from: number, to: number): number {
  const least = values.reduce((low, value) => Math.min(low, value), from);
  return 10 ** Math.floor(Math.log10(Math.max(to, least)) + 1e-9);
}

function axis(
  [from, to]: readonly [number, number],
  log: boolean,
  start: number,
  end: number,
): (value: number) => number {
  const place = log ? (value: number) => Math.log10(Math.max(value, from)) : (value: number) => value;
  const [low, span] = [place(from), place(to) - place(from) || 1];
  return (value) => start + ((Math.min(place(value), place(to)) - low) / span) * (end - start);
}

function tickName(value: number, log: boolean): string {
  if (!log || (value >= 0.01 && value < 1e5)) return formatNumber(value);
  return formatNumber(value).replace(/^1\u00a0×\u00a0|^1\.0\u00a0×\u00a0/, '');
}
