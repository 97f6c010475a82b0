/** A position in the picture, in CSS pixels. */
export interface PixelPosition {
  readonly x: number;
  readonly y: number;
}

/** What gestures of mouse, touch and keyboard do. */
export interface GestureListener {
  readonly tool: 'move' | 'lasso';
  /** `shift`: pan in 3-D too, where a plain drag rotates. */
  drag(dx: number, dy: number, shift: boolean): void;
  pinch(factor: number, at: PixelPosition, dx: number, dy: number): void;
  /** Returns whether anything changed; if not, the wheel scrolls the page. */
  zoom(factor: number, at: PixelPosition | undefined): boolean;
  reset(): void;
  hover(at: PixelPosition | undefined): void;
  click(at: PixelPosition, adds: boolean): void;
  /** The line drawn so far, x and y alternating; undefined when the lasso is cancelled. */
  lasso(line: readonly number[] | undefined): void;
  lassoed(line: readonly number[], adds: boolean): void;
  clear(): void;
}

/** A pointer that moved no farther than this has clicked; fingers are less steady than a mouse. */
const STEADY = { mouse: 3, touch: 8 };
/** After this many milliseconds without a wheel event, the next one starts a new gesture. */
const STILL_SCROLLING = 250;
const KEY_STEP = 40;
const KEY_ZOOM = 1.3;

interface Pointer extends PixelPosition {
  readonly startX: number;
  readonly startY: number;
}

/**
 * Translates events on the canvas into gestures. Returns a function that stops listening. The browser focuses a canvas that
 * was clicked or tapped; a focused canvas receives keys and, on a touch screen, all moves of one finger (see the style sheet).
 */
export function listenForGestures(canvas: HTMLCanvasElement, to: GestureListener): () => void {
  const stop = new AbortController();
  const pointers = new Map<number, Pointer>();
  let line: number[] | undefined;
  let moved = false;

  const positionOf = (event: MouseEvent): PixelPosition => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void): void =>
    canvas.addEventListener(name, listener, { signal: stop.signal, passive: false });
  const giveUpLine = (): void => {
    if (line) to.lasso(undefined);
    line = undefined;
  };

  on('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const position = positionOf(event);
    pointers.set(event.pointerId, { ...position, startX: position.x, startY: position.y });
    to.hover(undefined);
    if (pointers.size > 1) {
      giveUpLine();
      moved = true;
      return;
    }
    moved = false;
    if (to.tool === 'lasso') line = [position.x, position.y];
  });

  on('pointermove', (event) => {
    const position = positionOf(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== 'touch') to.hover(position);
      return;
    }
    pointers.set(event.pointerId, { ...before, ...position });
    if (pointers.size === 2) {
      const [, other] = [...pointers].find(([id]) => id !== event.pointerId) ?? [event.pointerId, before];
      const distance = (at: PixelPosition): number => Math.max(10, Math.hypot(at.x - other.x, at.y - other.y));
      const middle = { x: (position.x + other.x) / 2, y: (position.y + other.y) / 2 };
      to.pinch(distance(position) / distance(before), middle, (position.x - before.x) / 2, (position.y - before.y) / 2);
      return;
    }
    if (pointers.size > 2) return;
    const isTouch = event.pointerType === 'touch';
    const [across, down] = [Math.abs(position.x - before.startX), Math.abs(position.y - before.startY)];
    const isShort = Math.hypot(across, down) <= (isTouch ? STEADY.touch : STEADY.mouse);
    // The browser needs a moment to detect that a finger scrolls the page (see the style sheet); the picture waits for that.
    const mayScroll = isTouch && to.tool === 'move' && document.activeElement !== canvas && down >= across;
    if (!moved && (isShort || mayScroll)) {
      // Short moves are ignored, and made up for when a longer one follows.
      pointers.set(event.pointerId, before);
      return;
    }
    moved = true;
    if (line) {
      // All positions since the last frame, so that quickly drawn lines stay smooth.
      const events = event.getCoalescedEvents?.() ?? [];
      for (const { x, y } of events.length > 0 ? events.map(positionOf) : [position]) line.push(x, y);
      to.lasso(line);
    } else to.drag(position.x - before.x, position.y - before.y, event.shiftKey);
  });

  on('pointerup', (event) => {
    const pointer = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (!pointer) return;
    if (!moved) {
      giveUpLine();
      to.click(pointer, event.shiftKey);
      // A finger cannot hover: what it taps is shown until the next touch.
      if (event.pointerType === 'touch') to.hover(pointer);
    } else if (line) {
      to.lassoed(line, event.shiftKey);
      line = undefined;
    }
  });

  on('pointercancel', (event) => {
    pointers.delete(event.pointerId);
    giveUpLine();
  });
  on('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch') to.hover(undefined);
  });

  // A page that is scrolling goes on scrolling while the picture passes under the pointer.
  let scrolled = Number.NEGATIVE_INFINITY;
  const scrolls = ({ target, timeStamp }: Event): void => {
    if (target !== canvas) scrolled = timeStamp;
  };
  addEventListener('wheel', scrolls, { signal: stop.signal, passive: true });

  on('wheel', (event) => {
    if (!event.ctrlKey && event.timeStamp - scrolled < STILL_SCROLLING) {
      scrolled = event.timeStamp;
      return;
    }
    const pixels = event.deltaY * [1, 20, 400][event.deltaMode];
    // A pinch on a touchpad arrives as wheel events with the control key, in small steps.
    const factor = Math.exp(-Math.max(-200, Math.min(200, pixels)) * (event.ctrlKey ? 0.01 : 0.002));
    if (to.zoom(factor, positionOf(event)) || event.ctrlKey) event.preventDefault();
    else scrolled = event.timeStamp;
  });

  on('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, () => void> = {
      ArrowLeft: () => to.drag(KEY_STEP, 0, event.shiftKey),
      ArrowRight: () => to.drag(-KEY_STEP, 0, event.shiftKey),
      ArrowUp: () => to.drag(0, KEY_STEP, event.shiftKey),
      ArrowDown: () => to.drag(0, -KEY_STEP, event.shiftKey),
      '+': () => to.zoom(KEY_ZOOM, undefined),
      '=': () => to.zoom(KEY_ZOOM, undefined),
      '-': () => to.zoom(1 / KEY_ZOOM, undefined),
      '0': () => to.reset(),
      Escape: () => {
        pointers.clear();
        if (line) giveUpLine();
        else to.clear();
      },
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  });

  return () => stop.abort();
}
