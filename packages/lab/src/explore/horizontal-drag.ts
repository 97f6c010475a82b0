import { useRef } from 'preact/hooks';

/** A finger that moved no more than this has tapped. */
const STEADY = 8;

interface Drag {
  readonly x: number;
  readonly y: number;
  /** Puts back what there was before. */
  readonly undo: () => void;
  /** Whether it is sure that something is dragged. */
  sure: boolean;
}

type Listener = (event: PointerEvent & { readonly currentTarget: Element }) => void;

/**
 * Something that is dragged from side to side. A finger on it may as well scroll the page: until it has moved across, or
 * is lifted where it was put down, nothing happens, and where the browser takes it for scrolling all is as before.
 */
export function useDragAcross(
  follow: (event: PointerEvent) => void,
  begin: () => () => void,
): { readonly [on in 'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel']: Listener } {
  const drag = useRef<Drag | undefined>(undefined);
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || drag.current) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const sure = event.pointerType !== 'touch';
      drag.current = { x: event.clientX, y: event.clientY, undo: begin(), sure };
      if (sure) follow(event);
    },
    onPointerMove: (event) => {
      const now = drag.current;
      if (!now || !event.isPrimary) return;
      const [across, down] = [Math.abs(event.clientX - now.x), Math.abs(event.clientY - now.y)];
      now.sure ||= across > STEADY && across > down;
      if (now.sure) follow(event);
    },
    onPointerUp: (event) => {
      const now = drag.current;
      if (!now || !event.isPrimary) return;
      drag.current = undefined;
      if (!now.sure && Math.hypot(event.clientX - now.x, event.clientY - now.y) <= STEADY) follow(event);
    },
    onPointerCancel: (event) => {
      if (!event.isPrimary) return;
      drag.current?.undo();
      drag.current = undefined;
    },
  };
}
