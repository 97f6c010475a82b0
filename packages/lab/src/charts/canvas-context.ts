/** The 2-D context of a canvas. Throws if the canvas has a context of another kind already. */
export function context2d(
  canvas: HTMLCanvasElement,
  settings?: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', settings);
  if (!context) throw new Error('The browser offers no 2-D drawing here.');
  return context;
}
