import { tick } from '@scree/analysis/describe';
import type { ComponentChildren, SVGAttributes } from 'preact';
import { useWidth } from '../../charts/use-width.js';
import { type PixelPoint, StageLabel } from './draw.js';
import { ticksOf } from './ticks.js';

/** Maps the data's units to pixels, with the same scale in both directions. */
export interface StageView {
  readonly width: number;
  readonly height: number;
  /** Pixels per unit. */
  readonly scale: number;
  at(x: number, y: number): PixelPoint;
  /** The position of a pointer in the data's units. */
  from(event: {
    readonly clientX: number;
    readonly clientY: number;
    readonly currentTarget: EventTarget | null;
  }): PixelPoint;
}

/** The horizontal and vertical extent of a stage, from its centre. */
export interface Reach {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly reach: Reach;
  /** Height as a share of the width. */
  readonly ratio?: number;
  readonly maxHeight?: number;
  readonly label: string;
  readonly axes?: boolean;
  readonly class?: string;
  readonly handlers?: (view: StageView) => SVGAttributes<SVGSVGElement>;
  readonly children: (view: StageView) => ComponentChildren;
}

/** A plane with its origin in the centre and the same scale in both directions. */
export function Stage({
  reach,
  ratio = 0.7,
  maxHeight = 460,
  label,
  axes = true,
  class: name = '',
  handlers,
  children,
}: Props) {
  const [home, width] = useWidth<HTMLElement>();
  const height = Math.min(maxHeight, Math.round(width * ratio));
  const view = viewOf(width, height, reach);
  return (
    <figure class={`stage ${name}`} ref={home} aria-label={label} style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        // The figure has a label, and its interactive parts have their own.
        // biome-ignore lint/a11y/noSvgWithoutTitle: a title would hang over the picture as a tooltip.
        <svg width={width} height={height} {...handlers?.(view)}>
          {axes && <Axes view={view} />}
          {children(view)}
        </svg>
      )}
    </figure>
  );
}

function viewOf(width: number, height: number, reach: Reach): StageView {
  const scale = 0.46 * Math.min(width / reach.x, height / reach.y) || 1;
  return {
    width,
    height,
    scale,
    at: (x, y) => [width / 2 + scale * x, height / 2 - scale * y],
    from: ({ clientX, clientY, currentTarget }) => {
      const { left, top } = (currentTarget as Element).getBoundingClientRect();
      return [(clientX - left - width / 2) / scale, (height / 2 - (clientY - top)) / scale];
    },
  };
}

/** Axes through the mean, and a few numbers along the edges. */
function Axes({ view }: { view: StageView }) {
  const { width, height, scale, at } = view;
  const [across, up] = [width / 2 / scale, height / 2 / scale];
  const step = ticksOf(-up, up, 5);
  const gap = step.length > 1 ? step[1] - step[0] : up;
  const along = (most: number): number[] => {
    const count = Math.floor(most / gap);
    return Array.from({ length: 2 * count + 1 }, (_, i) => (i - count) * gap);
  };
  // A proper minus sign, also in exponents.
  const name = (value: number): string => tick(value).replaceAll('-', '−');
  // Every n-th line has a name, so that the names fit next to each other.
  const names = Math.max(...along(across).map((x) => name(x).length));
  const every = Math.max(1, Math.ceil((7 * names + 8) / (gap * scale)));
  return (
    <g class="axes">
      {along(across).map((x) => (
        <line key={`x${x}`} class={x === 0 ? 'axis' : ''} x1={at(x, 0)[0]} x2={at(x, 0)[0]} y1={0} y2={height} />
      ))}
      {along(up).map((y) => (
        <line key={`y${y}`} class={y === 0 ? 'axis' : ''} y1={at(0, y)[1]} y2={at(0, y)[1]} x1={0} x2={width} />
      ))}
      {along(across)
        .filter(
          (x) => x !== 0 && Math.round(x / gap) % every === 0 && Math.abs(at(x, 0)[0] - width / 2) < width / 2 - 24,
        )
        .map((x) => (
          <StageLabel key={x} at={[at(x, 0)[0], height - 9]} class="tick">
            {name(x)}
          </StageLabel>
        ))}
      {along(up)
        .filter((y) => y !== 0 && Math.abs(at(0, y)[1] - height / 2) < height / 2 - 22)
        .map((y) => (
          <StageLabel key={y} at={[6, at(0, y)[1]]} class="tick" anchor="start">
            {name(y)}
          </StageLabel>
        ))}
    </g>
  );
}
