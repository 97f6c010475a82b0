/** A position in the picture, in CSS pixels. */
export interface PixelPosition {
  readonly x: number;
  readonly y: number;
}

/** Handlers of the gestures of mouse, touch and keyboard. */
export interface GestureListener {
  readonly tool: 'move' | 'lasso';
  /** A drag pans in 2-D and rotates in 3-D. With `shift` it pans in 3-D too. */
  drag(dx: number, dy: number, shift: boolean): void;
  pinch(factor: number, at: PixelPosition, dx: number, dy: number): void;
  /** Returns false if nothing changed: then the wheel scrolls the page. */
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
  const listen: Listen = (name, listener) =>
    canvas.addEventListener(name, listener, { signal: stop.signal, passive: false });
  const pointers = new PointerGestures(canvas, to);
  listen('pointerdown', (event) => pointers.down(event));
  listen('pointermove', (event) => pointers.move(event));
  listen('pointerup', (event) => pointers.up(event));
  listen('pointercancel', ({ pointerId }) => pointers.cancel(pointerId));
  listen('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch') to.hover(undefined);
  });
  listenForWheel(canvas, to, listen, stop.signal);
  listen('keydown', (event) => pressKey(event, to, pointers));
  return () => stop.abort();
}

type Listen = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void) => void;

function positionOn(canvas: HTMLCanvasElement, event: MouseEvent): PixelPosition {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

/** Gestures of mouse and fingers: clicks, drags, pinches and the lasso. */
class PointerGestures {
  readonly #canvas: HTMLCanvasElement;
  readonly #to: GestureListener;
  readonly #pointers = new Map<number, Pointer>();
  /** The lasso that is being drawn. */
  #line: number[] | undefined;
  #moved = false;

  constructor(canvas: HTMLCanvasElement, to: GestureListener) {
    this.#canvas = canvas;
    this.#to = to;
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#canvas.setPointerCapture(event.pointerId);
    const position = positionOn(this.#canvas, event);
    this.#pointers.set(event.pointerId, { ...position, startX: position.x, startY: position.y });
    this.#to.hover(undefined);
    if (this.#pointers.size > 1) {
      this.#cancelLine();
      this.#moved = true;
      return;
    }
    this.#moved = false;
    if (this.#to.tool === 'lasso') this.#line = [position.x, position.y];
  }

  move(event: PointerEvent): void {
    const position = positionOn(this.#canvas, event);
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== 'touch') this.#to.hover(position);
      return;
    }
    this.#pointers.set(event.pointerId, { ...before, ...position });
    if (this.#pointers.size === 2) this.#pinch(event.pointerId, before, position);
    if (this.#pointers.size > 1) return;
    if (!this.#moved && this.#isUndecided(event, before, position)) {
      // Short moves are ignored. A longer move includes them.
      this.#pointers.set(event.pointerId, before);
      return;
    }
    this.#moved = true;
    if (this.#line) this.#extendLine(this.#line, event, position);
    else this.#to.drag(position.x - before.x, position.y - before.y, event.shiftKey);
  }

  up(event: PointerEvent): void {
    const pointer = this.#pointers.get(event.pointerId);
    this.#pointers.delete(event.pointerId);
    if (!pointer) return;
    if (!this.#moved) {
      this.#cancelLine();
      this.#to.click(pointer, event.shiftKey);
      // A finger cannot hover: the tapped point stays hovered until the next touch.
      if (event.pointerType === 'touch') this.#to.hover(pointer);
    } else if (this.#line) {
      this.#to.lassoed(this.#line, event.shiftKey);
      this.#line = undefined;
    }
  }

  cancel(pointerId: number): void {
    this.#pointers.delete(pointerId);
    this.#cancelLine();
  }

  /** Ends all gestures. Returns true if a lasso was being drawn. */
  end(): boolean {
    this.#pointers.clear();
    const isDrawing = this.#line !== undefined;
    this.#cancelLine();
    return isDrawing;
  }

  #pinch(pointerId: number, before: Pointer, position: PixelPosition): void {
    const [, other] = [...this.#pointers].find(([id]) => id !== pointerId) ?? [pointerId, before];
    const distance = (at: PixelPosition): number => Math.max(10, Math.hypot(at.x - other.x, at.y - other.y));
    const middle = { x: (position.x + other.x) / 2, y: (position.y + other.y) / 2 };
    const [dx, dy] = [(position.x - before.x) / 2, (position.y - before.y) / 2];
    this.#to.pinch(distance(position) / distance(before), middle, dx, dy);
  }

  /** True while a move may still be a click, or a scroll of the page. */
  #isUndecided(event: PointerEvent, before: Pointer, position: PixelPosition): boolean {
    const isTouch = event.pointerType === 'touch';
    const [across, down] = [Math.abs(position.x - before.startX), Math.abs(position.y - before.startY)];
    const isShort = Math.hypot(across, down) <= (isTouch ? STEADY.touch : STEADY.mouse);
    // The browser needs a moment to detect that a finger scrolls the page (see the style sheet), so the picture does not move yet.
    const mayScroll = isTouch && this.#to.tool === 'move' && document.activeElement !== this.#canvas && down >= across;
    return isShort || mayScroll;
  }

  #extendLine(line: number[], event: PointerEvent, position: PixelPosition): void {
    // All positions since the last frame, so that quickly drawn lines stay smooth.
    const events = event.getCoalescedEvents?.() ?? [];
    const positions = events.length > 0 ? events.map((each) => positionOn(this.#canvas, each)) : [position];
    for (const { x, y } of positions) line.push(x, y);
    this.#to.lasso(line);
  }

  #cancelLine(): void {
    if (this.#line) this.#to.lasso(undefined);
    this.#line = undefined;
  }
}

/** Zooms with the wheel, unless the page is being scrolled. */
function listenForWheel(canvas: HTMLCanvasElement, to: GestureListener, listen: Listen, signal: AbortSignal): void {
  // A page that scrolls goes on scrolling while the picture passes under the pointer.
  let scrolled = Number.NEGATIVE_INFINITY;
  const scrolls = ({ target, timeStamp }: Event): void => {
    if (target !== canvas) scrolled = timeStamp;
  };
  addEventListener('wheel', scrolls, { signal, passive: true });
  listen('wheel', (event) => {
    if (!event.ctrlKey && event.timeStamp - scrolled < STILL_SCROLLING) {
      scrolled = event.timeStamp;
      return;
    }
    const pixels = event.deltaY * [1, 20, 400][event.deltaMode];
    // A pinch on a touchpad arrives as wheel events with the control key, in small steps.
    const factor = Math.exp(-Math.max(-200, Math.min(200, pixels)) * (event.ctrlKey ? 0.01 : 0.002));
    if (to.zoom(factor, positionOn(canvas, event)) || event.ctrlKey) event.preventDefault();
    else scrolled = event.timeStamp;
  });
}

/** Moves, zooms and resets the picture with keys. Escape ends the lasso, or else the selection. */
function pressKey(event: KeyboardEvent, to: GestureListener, pointers: PointerGestures): void {
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
      if (!pointers.end()) to.clear();
    },
  };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  step();
}
