import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { percent } from '@scree/core/describe';

/** The share of the variance per component as bars, and the cumulative share as a line. */
export function screePlot(
  { varianceRatios }: Model,
  width: number,
  margin: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number },
): Element {
  let sum = 0;
  const bars = Array.from(varianceRatios, (ratio, i) => {
    sum += ratio;
    return { component: i + 1, ratio, sum: Math.min(1, sum) };
  });
  const count = bars.length;
  const every = Math.ceil(count / Math.max(1, Math.floor(width / 40)));
  const shares = bars.slice(0, 5).map(({ component, ratio }) => `component ${component} ${percent(ratio)}`);
  return Plot.plot({
    width,
    height: 220,
    marginLeft: margin.left,
    marginRight: margin.right,
    marginTop: margin.top,
    marginBottom: margin.bottom,
    ariaLabel: `Share of the variance: ${shares.join(', ')}. ${count} together ${percent(sum)}.`,
    x: {
      // Bar i ends at i, so that the handle at k has the first k components on its left.
      domain: [0, count],
      label: null,
      ticks: bars.map(({ component }) => component - 0.5).filter((_, i) => i % every === 0),
      tickFormat: (at: number) => String(at + 0.5),
      tickSize: 0,
    },
    y: { label: 'share of variance', domain: [0, 1], tickFormat: '.0%', grid: true, ticks: 5 },
    marks: [
      Plot.rectY(bars, {
        x1: ({ component }) => component - 0.88,
        x2: ({ component }) => component - 0.12,
        y: 'ratio',
        fill: 'var(--accent)',
      }),
      Plot.line(bars, { x: ({ component }) => component - 0.5, y: 'sum', stroke: 'var(--warm)', strokeWidth: 2 }),
      Plot.dot(bars, {
        x: ({ component }) => component - 0.5,
        y: 'sum',
        fill: 'var(--warm)',
        r: count > 30 ? 0 : 3.5,
      }),
      Plot.ruleY([0]),
    ],
  });
}
