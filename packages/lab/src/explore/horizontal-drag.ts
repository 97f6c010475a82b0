import { useRef } from 'preact/hooks';

/** A finger that moved no farther than this has tapped. */
const TAP_RADIUS = 8;

interface Drag {
  readonly x: number;
  readonly y: number;
  /** Restores the value from before the drag. */
  readonly undo: () => void;
  /** True once this is certainly a drag and not a scroll. */
  isDrag: boolean;
}

type Listener = (event: PointerEvent & { readonly currentTarget: Element }) => void;

/**
 * A horizontal drag. A finger may also scroll the page. So nothing happens until the finger has moved horizontally or is lifted
 * in place. If the browser starts to scroll, the previous value is restored.
 */
export function useHorizontalDrag(
  follow: (event: PointerEvent) => void,
  begin: () => () => void,
): { readonly [on in 'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel']: Listener } {
  const drag = useRef<Drag | undefined>(undefined);
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || drag.current) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const isDrag = event.pointerType !== 'touch';
      drag.current = { x: event.clientX, y: event.clientY, undo: begin(), isDrag };
      if (isDrag) follow(event);
    },
    onPointerMove: (event) => {
      const now = drag.current;
      if (!now || !event.isPrimary) return;
      const [across, down] = [Math.abs(event.clientX - now.x), Math.abs(event.clientY - now.y)];
      now.isDrag ||= across > TAP_RADIUS && across > down;
      if (now.isDrag) follow(event);
    },
    onPointerUp: (event) => {
      const now = drag.current;
      if (!now || !event.isPrimary) return;
      drag.current = undefined;
      if (!now.isDrag && Math.hypot(event.clientX - now.x, event.clientY - now.y) <= TAP_RADIUS) follow(event);
    },
    onPointerCancel: (event) => {
      if (!event.isPrimary) return;
      drag.current?.undo();
      drag.current = undefined;
    },
  };
}
