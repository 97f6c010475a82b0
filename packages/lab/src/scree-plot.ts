import * as Plot from '@observablehq/plot';
import { percent } from './format.js';
import type { Fit } from './messages.js';

/** Share of the variance, component by component, and the sum so far. */
export function screePlot({ varianceRatios }: Fit, width: number): Element {
  let sum = 0;
  const bars = Array.from(varianceRatios, (ratio, i) => {
    sum += ratio;
    return { component: i + 1, ratio, sum };
  });
  const every = Math.ceil(bars.length / Math.max(1, Math.floor(width / 40)));
  const told = bars.slice(0, 5).map(({ component, ratio }) => `component ${component} ${percent(ratio)}`);
  return Plot.plot({
    width,
    height: 300,
    marginLeft: 44,
    marginTop: 28,
    marginBottom: 40,
    ariaLabel: `Share of the variance: ${told.join(', ')}. ${bars.length} together ${percent(sum)}.`,
    x: {
      type: 'band',
      label: 'component',
      padding: 0.2,
      ticks: bars.map(({ component }) => component).filter((component) => (component - 1) % every === 0),
    },
    // A sum of shares may round to a hair above 1.
    y: { label: 'share of variance', domain: [0, 1], clamp: true, tickFormat: '.0%', grid: true },
    marks: [
      Plot.barY(bars, { x: 'component', y: 'ratio', fill: 'var(--accent)' }),
      Plot.line(bars, { x: 'component', y: 'sum', stroke: 'var(--warm)', strokeWidth: 2 }),
      Plot.dot(bars, { x: 'component', y: 'sum', fill: 'var(--warm)', r: bars.length > 40 ? 0 : 3.5 }),
      Plot.ruleY([0]),
      Plot.tip(
        bars,
        Plot.pointerX({
          x: 'component',
          y: 'sum',
          maxRadius: 100,
          title: ({ component, ratio, sum }) =>
            `PC${component}: ${percent(ratio)}\nPC1 to PC${component}: ${percent(sum)}`,
        }),
      ),
    ],
  });
}
