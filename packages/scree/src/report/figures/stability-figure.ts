import * as Plot from '@observablehq/plot';
import { percent, plural, STABLE_ANGLE } from '@scree/analysis/describe';
import type { Stability } from '@scree/core';
import { type Figure, figureText, legend, moved, plot, WIDTH } from './figure.js';

/** Components that are drawn, and those in the table. */
const MOST = 20;
const MOST_ROWS = 200;
const STABLE = inDegrees(STABLE_ANGLE);
const LINE = 26;
const TOP = 30;
const BOTTOM = 42;
const RIGHT = 66;

/** How far components turn in other samples: each of them, and the first ones together; and how often neighbours swap. */
export function stabilityFigure(stability: Stability): Figure {
  const k = stability.angles.length;
  const shown = Math.min(k, MOST);
  const spread = (angles: Stability['angles']): Turn[] =>
    angles.slice(0, shown).map(({ median, q95 }, i) => ({
      component: `PC${i + 1}`,
      median: inDegrees(median),
      q95: inDegrees(q95),
    }));
  const axes = spread(stability.angles);
  // All components of as many columns span the whole space, in every sample.
  const whole = stability.loadings.low.length === k * k;
  const spaces = spread(whole ? stability.subspaceAngles.slice(0, k - 1) : stability.subspaceAngles);
  const height = TOP + shown * LINE + BOTTOM;
  const key = legend([
    ['each component', 'var(--accent)'],
    ['it and those before it, together', 'var(--second)'],
  ]);
  const body = plot({
    height,
    marginLeft: 50,
    marginRight: RIGHT,
    marginTop: TOP,
    marginBottom: BOTTOM,
    x: { domain: [0, 90], ticks: [0, 15, 30, 45, 60, 75, 90], label: 'degrees', grid: true },
    y: { type: 'band', domain: axes.map(({ component }) => component), label: null, tickSize: 0 },
    marks: [
      Plot.ruleX([STABLE], { stroke: 'var(--alarm)', strokeDasharray: '4 3' }),
      Plot.text([STABLE], {
        x: STABLE,
        frameAnchor: 'top',
        text: () => 'stable to the left',
        textAnchor: 'end',
        dx: -4,
        dy: -10,
        fontSize: 12,
        fill: 'var(--alarm)',
      }),
      ...turns(spaces, 'var(--second)', 6),
      ...turns(axes, 'var(--accent)', -4),
    ],
  });
  const swaps = stability.swaps.slice(0, shown - 1);
  const beside = [
    figureText(WIDTH - 4, TOP - 12, 'swaps', { size: 12, anchor: 'end', colour: 'var(--faint)' }),
    ...swaps.map((share, i) =>
      figureText(WIDTH - 4, TOP + (i + 1) * LINE + 4, `⇅ ${rounded(share)}`, {
        size: 12,
        anchor: 'end',
        colour: share >= 0.05 ? 'var(--ink)' : 'var(--faint)',
      }),
    ),
  ];
  return {
    name: 'stability',
    title: 'How far components turn in other samples',
    description: `${axes.map(({ component, median, q95 }) => `${component}: half of the samples turn it by more than ${roundedAngle(median)}, one in twenty by more than ${roundedAngle(q95)}`).join('; ')}.`,
    caption:
      `Of ${plural(stability.replicates, 'bootstrap sample')}: the dot is the median angle, and 95 % of the samples stay left of the tick. ${k > 1 ? '⇅: in how many of them the two components swap. ' : ''}${k > shown ? `The first ${shown} of ${k}.` : ''}`.trim(),
    height: key.height + height,
    body: key.svg + moved(0, key.height, body + (swaps.length > 0 ? beside.join('') : '')),
    table: {
      columns: ['component', 'turn, median', 'turn, 95 %', 'with those before: median', '95 %', 'swaps with the next'],
      rows: stability.angles
        .slice(0, MOST_ROWS)
        .map(({ median, q95 }, i) => [
          `PC${i + 1}`,
          precise(median),
          precise(q95),
          whole && i === k - 1 ? '' : precise(stability.subspaceAngles[i].median),
          whole && i === k - 1 ? '' : precise(stability.subspaceAngles[i].q95),
          i < k - 1 ? percent(stability.swaps[i]) : '',
        ]),
      ...(k > MOST_ROWS ? { note: `The first ${MOST_ROWS} of ${k} components.` } : {}),
    },
  };
}

interface Turn {
  readonly component: string;
  readonly median: number;
  readonly q95: number;
}

/** A dot at the median and a line to the 95th percentile. */
function turns(data: readonly Turn[], stroke: string, dy: number): Plot.Markish[] {
  return [
    Plot.ruleY(data, { y: 'component', x1: 0, x2: 'q95', stroke, strokeWidth: 2, strokeOpacity: 0.55, dy }),
    Plot.tickX(data, { x: 'q95', y: 'component', stroke, strokeWidth: 2, inset: 8, dy }),
    Plot.dot(data, {
      x: 'median',
      y: 'component',
      fill: stroke,
      r: 3.8,
      dy,
      title: ({ component, median, q95 }: Turn) =>
        `${component}: ${roundedAngle(median)}, 95 % within ${roundedAngle(q95)}`,
    }),
  ];
}

function inDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

function roundedAngle(degrees: number): string {
  return `${degrees >= 2 ? Math.round(degrees) : Number(degrees.toPrecision(1))}°`;
}

function precise(radians: number): string {
  return `${Number(inDegrees(radians).toPrecision(3))}°`;
}

function rounded(share: number): string {
  return share > 0 && share < 0.005 ? '< 1 %' : `${Math.round(100 * share)} %`;
}
