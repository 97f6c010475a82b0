import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A ref and the width of its element. Figures are drawn in real pixels, so that text in them stays readable on a phone. */
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

/** Whether the layout has one column. Figures draw again when their width changes, so this need not be a signal. */
export const isNarrow = (): boolean => narrow.matches;
