import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fail } from '../state/data.js';

interface Props {
  /** Draws at a width, once what draws is loaded; called again when the width or anything it closes over changes. */
  readonly draw: (width: number) => Promise<Element>;
  /** What the picture is, to whom it is not shown; Plot's own ariaLabel when left out. */
  readonly label?: string;
  readonly class?: string;
}

/** A chart by Observable Plot, as wide as its place. Plot is loaded by who draws, and so after the scores, which need none of it. */
export function Chart({ draw, label, class: name = '' }: Props) {
  const home = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = home.current!;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width === 0) return;
    let current = true;
    draw(width).then((figure) => {
      if (!current) return;
      const svg = figure.matches('svg') ? figure : figure.querySelector(':scope > svg');
      svg?.setAttribute('role', 'img');
      if (label) svg?.setAttribute('aria-label', label);
      // The picture has one name; Plot's names for its parts ("dot", "rule") say nothing more.
      for (const part of svg?.querySelectorAll('g[aria-label]') ?? []) part.removeAttribute('aria-label');
      home.current?.replaceChildren(figure);
    }, fail);
    return () => {
      current = false;
    };
  }, [draw, width, label]);
  return <div class={`chart ${name}`} ref={home} />;
}
