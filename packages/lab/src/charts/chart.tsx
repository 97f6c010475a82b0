import { useLayoutEffect } from 'preact/hooks';
import { reportProblem } from '../state/data.js';
import { useWidth } from './use-width.js';

interface Props {
  /** Draws at a width, once what draws is loaded; called again when the width or anything it closes over changes. */
  readonly draw: (width: number) => Promise<Element>;
}

/** A chart by Observable Plot, as wide as its place. Plot is loaded by who draws, and so after the scores, which need none of it. */
export function Chart({ draw }: Props) {
  const [home, width] = useWidth();
  useLayoutEffect(() => {
    if (width === 0) return;
    let current = true;
    draw(width).then((figure) => {
      if (!current) return;
      const svg = figure.matches('svg') ? figure : figure.querySelector(':scope > svg');
      svg?.setAttribute('role', 'img');
      // The picture has one name; Plot's names for its parts ("dot", "rule") say nothing more.
      for (const part of svg?.querySelectorAll('g[aria-label]') ?? []) part.removeAttribute('aria-label');
      home.current?.replaceChildren(figure);
    }, reportProblem);
    return () => {
      current = false;
    };
  }, [home, draw, width]);
  return <div class="chart" ref={home} />;
}
