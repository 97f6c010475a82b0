import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** An element and how wide it is: pictures are drawn in real pixels, so that text in them stays readable on a telephone. */
export function useWidth<Container extends HTMLElement = HTMLDivElement>(): readonly [
  RefObject<Container | null>,
  number,
] {
  const container = useRef<Container>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [container, width];
}

const narrow = matchMedia('(max-width: 40rem)');

/** Whether things stand below one another. Pictures draw again when their width changes, so that asking is enough. */
export const isNarrow = (): boolean => narrow.matches;
