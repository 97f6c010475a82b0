/** Times of frames: medians in milliseconds. */
export interface Frames {
  readonly interval: number;
  /** Time of scripts per frame. */
  readonly script: number;
  readonly longestScript: number;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Runs a function in every frame, and measures. The first frames warm up the machine and are not measured. */
async function watch(step: (frame: number) => void, count: number): Promise<Frames> {
  const intervals: number[] = [];
  const scripts: number[] = [];
  const ask = globalThis.requestAnimationFrame;
  let inFrame = 0;
  // All work in animation frames is measured.
  globalThis.requestAnimationFrame = (callback) =>
    ask((now) => {
      const start = performance.now();
      callback(now);
      inFrame += performance.now() - start;
    });
  try {
    let last = Number.NaN;
    for (let frame = 0; frame < count + 30; frame++) {
      const now = await new Promise<number>((resolve) => ask(resolve));
      if (frame > 30) {
        intervals.push(now - last);
        scripts.push(inFrame);
      }
      last = now;
      const start = performance.now();
      step(frame);
      inFrame = performance.now() - start;
    }
  } finally {
    globalThis.requestAnimationFrame = ask;
  }
  return { interval: median(intervals), script: median(scripts), longestScript: Math.max(...scripts) };
}

/** Drags the cloud. */
export async function framesWhileDragging(count: number): Promise<Frames> {
  const canvas = document.querySelector<HTMLCanvasElement>('.point-cloud canvas')!;
  const { left, top } = canvas.getBoundingClientRect();
  const fire = (type: string, x: number, y: number): void => {
    const [clientX, clientY] = [left + x, top + y];
    canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: 'mouse', clientX, clientY }));
  };
  // There is no real pointer that could be captured.
  canvas.setPointerCapture = () => {};
  fire('pointerdown', 300, 200);
  const frames = await watch((i) => {
    fire('pointermove', 300 + 100 * Math.sin(i / 10), 200 + 60 * Math.cos(i / 13));
  }, count);
  fire('pointerup', 300, 200);
  return frames;
}

/** The reference: a canvas of the same size that is cleared in every frame. */
export async function framesOfEmptyCanvas(count: number): Promise<Frames> {
  const { width, height } = document.querySelector<HTMLCanvasElement>('.point-cloud canvas')!;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  document.body.prepend(canvas);
  const gl = canvas.getContext('webgl2', { antialias: false, depth: false })!;
  const frames = await watch((i) => {
    gl.clearColor(0, 0, 0, (i % 2) / 2);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }, count);
  canvas.remove();
  return frames;
}
