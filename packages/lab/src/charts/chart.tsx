import { useLayoutEffect } from 'preact/hooks';
import { reportProblem } from '../state/data.js';
import { useWidth } from './use-width.js';

interface Props {
  /** Loads the drawing code and draws at a width; called again when the width or the function changes. */
  readonly draw: (width: number) => Promise<Element>;
}

/** A chart by Observable Plot, as wide as its container. Plot is loaded when the first chart is drawn. The scores do not need it, so they come first. */
export function Chart({ draw }: Props) {
  const [home, width] = useWidth();
  useLayoutEffect(() => {
    if (width === 0) return;
    let current = true;
    draw(width).then((figure) => {
      if (!current) return;
      const svg = figure.matches('svg') ? figure : figure.querySelector(':scope > svg');
      svg?.setAttribute('role', 'img');
      // The chart has one label; Plot's labels for its parts ("dot", "rule") add nothing.
      for (const part of svg?.querySelectorAll('g[aria-label]') ?? []) part.removeAttribute('aria-label');
      home.current?.replaceChildren(figure);
    }, reportProblem);
    return () => {
      current = false;
    };
  }, [home, draw, width]);
  return <div class="chart" ref={home} />;
}
