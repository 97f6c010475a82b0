import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { componentsFor, knownRatios, percent, several, show, tick } from '@scree/core/describe';
import { type Figure, plot } from './figure.js';

/** Most bars that fit side by side. */
const MOST_BARS = 60;
/** Most rows of the table. */
const MOST_ROWS = 200;
const MARKS = [0.8, 0.9, 0.95] as const;

/** Running sums. */
function cumulative(ratios: ArrayLike<number>): number[] {
  let sum = 0;
  return Array.from(ratios, (ratio) => {
    sum += ratio;
    return Math.min(1, sum);
  });
}

/** Share of the variance of each component, as bars. */
export function screeFigure(model: Model): Figure {
  const { k, d } = model;
  const ratios = Array.from(model.varianceRatios.subarray(0, MOST_BARS));
  const bars = ratios.map((ratio, i) => ({ component: i + 1, share: 100 * ratio }));
  const rest = k < d && model.totalVariance > 0 ? (100 * model.noiseVariance) / model.totalVariance : undefined;
  const top = Math.max(...bars.map(({ share }) => share), 1e-9);
  const line = rest !== undefined && rest >= top / 200;
  const totals = cumulative(model.varianceRatios);
  const height = 280;
  const body = plot({
    height,
    marginLeft: 46,
    marginBottom: 42,
    marginTop: 28,
    marginRight: 12,
    x: { type: 'band', label: 'component', ticks: ticks(bars.length), padding: bars.length > 30 ? 0.1 : 0.2 },
    y: { label: '% of the variance', grid: true, domain: [0, top * 1.08], ticks: 5, tickFormat: tick },
    marks: [
      Plot.barY(bars, {
        x: 'component',
        y: 'share',
        fill: 'var(--accent)',
        title: (bar) => `PC${bar.component}: ${percent(bar.share / 100)}`,
      }),
      ...(bars.length <= 12
        ? [Plot.text(bars, { x: 'component', y: 'share', text: (bar) => bar.share.toFixed(1), dy: -8, fontSize: 12 })]
        : []),
      ...(!line ? [] : [Plot.ruleY([rest], { stroke: 'var(--second)', strokeDasharray: '4 3' })]),
      Plot.ruleY([0]),
    ],
  });
  const shown = k > bars.length ? ` The first ${bars.length} of ${k} components are drawn.` : '';
  return {
    name: 'scree',
    title: 'Scree plot: the variance of each component',
    description: `Bars fall from ${percent(model.varianceRatios[0])} of the variance for the first component to ${percent(ratios[ratios.length - 1])} for component ${ratios.length}.${shown}`,
    caption: `Where the bars stop falling steeply, components begin to describe detail or noise.${line ? ' The dashed line is the mean of those left out.' : ''}${shown}`,
    height,
    body,
    table: {
      columns: ['component', 'variance', 'share', 'together'],
      rows: Array.from(model.variances.subarray(0, MOST_ROWS), (variance, i) => [
        String(i + 1),
        show(variance, 6),
        percent(model.varianceRatios[i]),
        percent(totals[i]),
      ]),
      ...(k > MOST_ROWS ? { note: `The first ${MOST_ROWS} of ${k} components.` } : {}),
    },
  };
}

/** Running total of the variance, with lines at the usual shares. */
export function cumulativeFigure(model: Model): Figure {
  const { k } = model;
  const totals = cumulative(model.varianceRatios);
  const points = [
    { components: 0, share: 0 },
    ...totals.map((share, i) => ({ components: i + 1, share: 100 * share })),
  ];
  const ratios = knownRatios(model);
  const reached = MARKS.map((mark) => ({ mark: 100 * mark, components: componentsFor(ratios, mark) }));
  const crossings = reached.filter(
    (entry): entry is { mark: number; components: number } => entry.components !== undefined && entry.components <= k,
  );
  const height = 280;
  const body = plot({
    height,
    marginLeft: 46,
    marginBottom: 42,
    marginTop: 28,
    marginRight: 18,
    x: { label: 'components', domain: [0, k], ticks: ticks(k), tickFormat: String },
    y: { label: '% of the variance, together', grid: true, domain: [0, 100], ticks: 5 },
    marks: [
      Plot.areaY(points, { x: 'components', y: 'share', curve: 'linear', fill: 'var(--accent)', fillOpacity: 0.12 }),
      Plot.ruleY(reached, { y: 'mark', stroke: 'var(--second)', strokeDasharray: '3 3', strokeOpacity: 0.7 }),
      Plot.lineY(points, { x: 'components', y: 'share', stroke: 'var(--accent)', strokeWidth: 2 }),
      ...(k <= 40 ? [Plot.dot(points.slice(1), { x: 'components', y: 'share', fill: 'var(--accent)', r: 2.6 })] : []),
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
            components === undefined ? `${mark} %: not reached` : `${mark} %: ${several(components, 'component')}`,
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
  return {
    name: 'cumulative-variance',
    title: 'Variance kept by the first components together',
    description: `${several(k, 'component keeps', 'components together keep')} ${percent(totals[k - 1])} of the variance. ${reached
      .map(({ mark, components }) =>
        components === undefined ? `${mark} % is not reached.` : `${mark} % takes ${components}.`,
      )
      .join(' ')}`,
    caption: `${several(k, 'component keeps', 'components keep')} ${percent(totals[k - 1])}.`,
    height,
    body,
    table: {
      columns: ['share of the variance', 'components'],
      rows: [
        ...reached.map(({ mark, components }) => [
          `${mark} %`,
          components === undefined ? `more than ${k}` : String(components),
        ]),
        [percent(totals[k - 1]), `${k} (all that were kept)`],
      ],
    },
  };
}

/** Integers from 1 to `most`, few enough to be read. */
function ticks(most: number): number[] {
  if (most <= 12) return Array.from({ length: most }, (_, i) => i + 1);
  const step = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((size) => most / size <= 10) ?? most;
  return [1, ...Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step)];
}
