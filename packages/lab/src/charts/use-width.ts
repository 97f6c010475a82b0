import { signal } from '@preact/signals';
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

/** True if the layout has one column. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => (isNarrow.value = narrow.matches));
