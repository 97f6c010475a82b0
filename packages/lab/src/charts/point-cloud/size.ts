export interface Size {
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/** Calls `tell` with the size of an element, now and after every change of the size or of the screen's resolution. Returns a function that stops this. */
export function watchSize(element: Element, tell: (size: Size) => void): () => void {
  let resolution: MediaQueryList | undefined;
  let reported: Size | undefined;
  const measure = (): void => {
    const size = { width: element.clientWidth, height: element.clientHeight, ratio: devicePixelRatio };
    resolution?.removeEventListener('change', measure);
    resolution = matchMedia(`(resolution: ${size.ratio}dppx)`);
    resolution.addEventListener('change', measure);
    if (size.width === reported?.width && size.height === reported.height && size.ratio === reported.ratio) return;
    reported = size;
    tell(size);
  };
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  measure();
  return () => {
    observer.disconnect();
    resolution?.removeEventListener('change', measure);
  };
}
