import * as Plot from '@observablehq/plot';
import { percent } from '@scree/analysis/describe';
import type { Model } from '@scree/core';

/** The numbers of the chart: the share of each component, and the numbers of components that criteria advise. */
export interface Scree {
  readonly model: Model;
  readonly ratios: Float64Array;
  readonly marks?:
    | {
        /** The recommended number, and the name of the criterion that decides it. */
        readonly k: number;
        readonly title: string;
        readonly elbow: number | null;
        /** The variance per component that simulated tables without structure reach. */
        readonly thresholds?: readonly number[] | undefined;
      }
    | undefined;
}

/** The share of the variance per component as bars, the cumulative share as a line, and the numbers of components that criteria advise. */
export function screeChart(
  { model, ratios, marks }: Scree,
  width: number,
  margin: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number },
): Element {
  let sum = 0;
  const bars = Array.from(ratios, (ratio, i) => {
    sum += ratio;
    return { component: i + 1, ratio, sum: Math.min(1, sum) };
  });
  const count = bars.length;
  const every = Math.ceil(count / Math.max(1, Math.floor(width / 40)));
  const shares = bars.slice(0, 5).map(({ component, ratio }) => `component ${component} ${percent(ratio)}`);
  const advised = marks ? labels(marks) : [];
  const noise = Array.from(marks?.thresholds?.slice(0, count) ?? [], (threshold, i) => ({
    x1: i + 0.04,
    x2: i + 0.96,
    share: Math.min(1, threshold / model.totalVariance),
  }));
  return Plot.plot({
    width,
    height: 248,
    marginLeft: margin.left,
    marginRight: margin.right,
    marginTop: margin.top,
    marginBottom: margin.bottom,
    ariaLabel: `Share of the variance: ${shares.join(', ')}. ${count} together ${percent(sum)}.${advised.map(({ text }) => ` Advised by ${text}.`).join('')}`,
    x: {
      // Bar i ends at i, so that the handle at k has the first k components on its left.
      domain: [0, count],
      label: 'component',
      labelAnchor: 'right',
      labelArrow: 'none',
      ticks: bars.map(({ component }) => component - 0.5).filter((_, i) => i % every === 0),
      tickFormat: (at: number) => String(at + 0.5),
      tickSize: 0,
    },
    y: { label: 'share of variance', domain: [0, 1], tickFormat: '.0%', grid: true, ticks: 5 },
    marks: [
      Plot.rectY(bars, {
        x1: ({ component }) => component - (count > 100 ? 1 : 0.88),
        x2: ({ component }) => component - (count > 100 ? 0 : 0.12),
        y: 'ratio',
        fill: 'var(--accent)',
      }),
      Plot.ruleY(noise, { x1: 'x1', x2: 'x2', y: 'share', stroke: 'var(--text)', strokeDasharray: '3,2' }),
      Plot.line(bars, { x: ({ component }) => component - 0.5, y: 'sum', stroke: 'var(--warm)', strokeWidth: 2 }),
      Plot.dot(bars, {
        x: ({ component }) => component - 0.5,
        y: 'sum',
        fill: 'var(--warm)',
        r: count > 30 ? 0 : 3.5,
      }),
      Plot.ruleY([0]),
      ...advised.flatMap(({ k, text, line }) => [
        Plot.ruleX([k], { stroke: 'var(--muted)', strokeDasharray: '2,3' }),
        // Above the handle, and beside it.
        Plot.text([k], {
          x: (at: number) => at,
          text: () => text,
          frameAnchor: 'top',
          textAnchor: k > count / 2 ? 'end' : 'start',
          dx: k > count / 2 ? -12 : 12,
          dy: -24 - 14 * line,
          fill: 'var(--muted)',
        }),
      ]),
    ],
  });
}

/** The advised numbers of components with their labels, on one line of text each. */
function labels({ k, title, elbow }: NonNullable<Scree['marks']>): { k: number; text: string; line: number }[] {
  if (k === elbow) return [{ k, text: `${title}, elbow: ${k}`, line: 0 }];
  return [
    { k, text: `${title}: ${k}`, line: 0 },
    ...(elbow === null ? [] : [{ k: elbow, text: `elbow: ${elbow}`, line: 1 }]),
  ];
}
