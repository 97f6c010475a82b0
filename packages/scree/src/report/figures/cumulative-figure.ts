import * as Plot from '@observablehq/plot';
import { componentsFor, hasAllComponents, percent, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { type Figure, plot } from './figure.js';
import { allRatios, integerTicks } from './scree-figure.js';

const MARKS = [0.8, 0.9, 0.95] as const;

/** Running sums. */
function cumulative(ratios: ArrayLike<number>): number[] {
  let sum = 0;
  return Array.from(ratios, (ratio) => {
    sum += ratio;
    return Math.min(1, sum);
  });
}

/** Cumulative variance of all known components, with lines at the usual shares. */
export function cumulativeFigure(model: Model): Figure {
  const { k } = model;
  const ratios = allRatios(model);
  const most = ratios.length;
  const totals = cumulative(ratios);
  const points = [
    { components: 0, share: 0 },
    ...totals.map((share, i) => ({ components: i + 1, share: 100 * share })),
  ];
  const reached = MARKS.map((mark) => ({ mark: 100 * mark, components: componentsFor(ratios, mark) }));
  const crossings = reached.filter(
    (entry): entry is { mark: number; components: number } => entry.components !== undefined,
  );
  const height = 280;
  const body = plot({
    height,
    marginLeft: 46,
    marginBottom: 42,
    marginTop: 28,
    marginRight: 18,
    x: { label: 'components', domain: [0, most], ticks: integerTicks(most), tickFormat: String },
    y: { label: '% of the variance, together', grid: true, domain: [0, 100], ticks: 5 },
    marks: [
      Plot.areaY(points, { x: 'components', y: 'share', curve: 'linear', fill: 'var(--accent)', fillOpacity: 0.12 }),
      Plot.ruleY(reached, { y: 'mark', stroke: 'var(--second)', strokeDasharray: '3 3', strokeOpacity: 0.7 }),
      Plot.lineY(points, { x: 'components', y: 'share', stroke: 'var(--accent)', strokeWidth: 2 }),
      ...(most <= 40
        ? [Plot.dot(points.slice(1), { x: 'components', y: 'share', fill: 'var(--accent)', r: 2.6 })]
        : []),
      ...(k < most
        ? [
            Plot.ruleX([k], { y1: 0, y2: 100 * totals[k - 1], stroke: 'var(--ink)', strokeDasharray: '2 3' }),
            Plot.dot([k], { x: k, y: 100 * totals[k - 1], stroke: 'var(--ink)', strokeWidth: 1.5, r: 6 }),
          ]
        : []),
      Plot.dot(crossings, {
        x: 'components',
        y: (entry) => 100 * totals[entry.components - 1],
        fill: 'var(--second)',
        r: 4.5,
        title: (entry) => `${entry.mark} % with ${entry.components}`,
      }),
      ...reached.map(({ mark, components }, i) =>
        Plot.text([mark], {
          frameAnchor: 'bottom-right',
          text: () =>
            components === undefined ? `${mark} %: not reached` : `${mark} %: ${plural(components, 'component')}`,
          dx: -8,
          dy: 17 * (i - reached.length) + 9,
          fill: 'var(--second)',
          stroke: 'var(--paper)',
          strokeWidth: 4,
        }),
      ),
      Plot.ruleY([0]),
    ],
  });
  const whole = percent(totals[k - 1]);
  // For any data, all components together keep all variance, so that sentence would say nothing.
  const all = hasAllComponents(model);
  return {
    name: 'cumulative-variance',
    title: 'Variance kept by the first components together',
    description: [
      ...(all ? [] : [`${plural(k, 'component keeps', 'components together keep')} ${whole} of the variance.`]),
      ...reached.map(({ mark, components }) =>
        components === undefined ? `${mark} % is not reached.` : `${mark} % takes ${components}.`,
      ),
    ].join(' '),
    ...(all
      ? {}
      : { caption: `${plural(k, 'component keeps', 'components keep')} ${whole}${k < most ? ': the circle' : ''}.` }),
    height,
    body,
    table: {
      columns: ['share of the variance', 'components'],
      rows: [
        ...reached.map(({ mark, components }) => [
          `${mark} %`,
          components === undefined ? `more than ${most}` : String(components),
        ]),
        ...(all ? [] : [[whole, `${k} (those of the model)`]]),
      ],
    },
  };
}
