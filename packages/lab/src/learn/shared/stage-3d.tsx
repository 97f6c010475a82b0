import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useWidth } from '../../charts/use-width.js';
import { Arrow, type PixelPoint } from './draw.js';

export type Point3 = readonly [x: number, y: number, z: number];

/** Maps space to pixels without perspective, so that parallel lines stay parallel and lengths can be compared. */
export interface StageView3d {
  readonly width: number;
  readonly height: number;
  /** Pixels per unit. */
  readonly scale: number;
  /** Identifies the view: equal for equal views. */
  readonly key: string;
  at(point: Point3): PixelPoint;
  /** How close a point is to the viewer: above 0 in front of the centre. */
  depth(point: Point3): number;
}

interface Camera {
  readonly yaw: number;
  readonly pitch: number;
}

interface Props {
  readonly reach: number;
  readonly ratio?: number;
  readonly maxHeight?: number;
  readonly label: string;
  /** The initial direction of view, in degrees. */
  readonly from?: readonly [yaw: number, pitch: number];
  readonly onPick?: (at: PixelPoint, view: StageView3d) => void;
  readonly children: (view: StageView3d) => ComponentChildren;
}

/** Radians per pixel of a drag, and per key press. */
const DRAG = 0.009;
const KEY = Math.PI / 24;
/** Pixels that the pointer may move before a click counts as a drag. */
const CLICK = 4;

/** A space that is turned by dragging, or with the arrow keys when it has the focus. */
export function Stage3d({ reach, ratio = 0.7, maxHeight = 460, label, from = [-40, 24], onPick, children }: Props) {
  const [home, width] = useWidth<HTMLElement>();
  const camera = useSignal<Camera>({ yaw: (from[0] * Math.PI) / 180, pitch: (from[1] * Math.PI) / 180 });
  const held = useRef<{ x: number; y: number; moved: number } | undefined>(undefined);
  const height = Math.min(maxHeight, Math.round(width * ratio));
  const view = turnedView(camera.value, width, height, reach);
  const turn = (yaw: number, pitch: number): void => {
    const now = camera.peek();
    camera.value = { yaw: now.yaw + yaw, pitch: Math.max(-1.5, Math.min(1.5, now.pitch + pitch)) };
  };
  const press = (event: KeyboardEvent): void => {
    const turns: Record<string, readonly [number, number]> = {
      ArrowLeft: [KEY, 0],
      ArrowRight: [-KEY, 0],
      ArrowUp: [0, KEY],
      ArrowDown: [0, -KEY],
    };
    const by = turns[event.key];
    if (!by) return;
    event.preventDefault();
    turn(...by);
  };
  const move = (event: PointerEvent): void => {
    const last = held.current;
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    held.current = { x: event.clientX, y: event.clientY, moved: last.moved + Math.abs(dx) + Math.abs(dy) };
    // A finger that moves up or down scrolls the page (touch-action). A finger that moves across turns the picture.
    turn(-DRAG * dx, event.pointerType === 'touch' ? 0 : DRAG * dy);
  };
  const release = (event: PointerEvent): void => {
    const last = held.current;
    held.current = undefined;
    if (!last || last.moved > CLICK || !onPick) return;
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
    onPick([event.clientX - left, event.clientY - top], view);
  };
  return (
    <figure class="stage" ref={home} style={{ minHeight: `${height}px` }}>
      {width > 0 && (
        <svg
          class="turnable-space"
          width={width}
          height={height}
          role="application"
          aria-label={`${label}. Arrow keys turn it.`}
          // Lower case: names of SVG attributes are case-sensitive.
          tabindex={0}
          data-keys
          data-yaw={camera.value.yaw.toFixed(3)}
          onKeyDown={press}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            held.current = { x: event.clientX, y: event.clientY, moved: 0 };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={move}
          onPointerUp={release}
          onPointerCancel={() => {
            held.current = undefined;
          }}
        >
          {children(view)}
          <Compass view={view} />
        </svg>
      )}
    </figure>
  );
}

export function turnedView({ yaw, pitch }: Camera, width: number, height: number, reach: number): StageView3d {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const scale = (0.46 * Math.min(width, height)) / reach || 1;
  return {
    width,
    height,
    scale,
    key: [yaw, pitch, width, height, reach].join(),
    at: ([x, y, z]) => [
      width / 2 + scale * (-sy * x + cy * y),
      height / 2 - scale * (-sp * cy * x - sp * sy * y + cp * z),
    ],
    depth: ([x, y, z]) => cp * cy * x + cp * sy * y + sp * z,
  };
}

/** The directions of the three axes, in a corner. */
function Compass({ view }: { view: StageView3d }) {
  const size = 20 / view.scale;
  const [ox, oy] = [34, view.height - 34];
  const [cx, cy] = view.at([0, 0, 0]);
  const axes: Point3[] = [
    [size, 0, 0],
    [0, size, 0],
    [0, 0, size],
  ];
  return (
    <g class="compass">
      {axes.map((axis, i) => {
        const [x, y] = view.at(axis);
        const tip: PixelPoint = [ox + x - cx, oy + y - cy];
        const name: PixelPoint = [ox + 1.45 * (x - cx), oy + 1.45 * (y - cy)];
        return (
          <g key={'xyz'[i]}>
            <Arrow from={[ox, oy]} to={tip} width={1.5} />
            <text class="label tick" x={name[0]} y={name[1]} text-anchor="middle" dominant-baseline="central">
              {'xyz'[i]}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** The index of the point nearest to a click; undefined if none is near. */
export function pointNear(points: readonly PixelPoint[], [x, y]: PixelPoint, within = 24): number | undefined {
  let best: number | undefined;
  let distance = within;
  points.forEach(([a, b], i) => {
    const here = Math.hypot(a - x, b - y);
    if (here < distance) [best, distance] = [i, here];
  });
  return best;
}
