export interface Size {
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen to one of the style sheet. */
  readonly ratio: number;
}

/** Tells how large an element is, at once and whenever it or the screen's resolution changed. Returns how to stop. */
export function watchSize(element: Element, tell: (size: Size) => void): () => void {
  let resolution: MediaQueryList | undefined;
  let told: Size | undefined;
  const measure = (): void => {
    const size = { width: element.clientWidth, height: element.clientHeight, ratio: devicePixelRatio };
    resolution?.removeEventListener('change', measure);
    resolution = matchMedia(`(resolution: ${size.ratio}dppx)`);
    resolution.addEventListener('change', measure);
    if (size.width === told?.width && size.height === told.height && size.ratio === told.ratio) return;
    told = size;
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
