import * as Plot from '@observablehq/plot';
import { degrees, formatNumber, powerOfTen, runs } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { type Figure, type FigureTable, legend, moved, plot } from './figure.js';

const MOST = 60;
const MOST_ROWS = 200;
/** Smaller angles are drawn here. */
const MIN_ANGLE = 1e-14;
/** An axis that rounding can turn by more than this is not unique in the sample: 0.1 rad, in degrees. */
const UNIQUE_LIMIT = (0.1 * 180) / Math.PI;

/** How far rounding could turn each component: that of the data, and that of the computation. It says nothing about other samples. */
export function uniquenessFigure(model: Model): Figure {
  const { certificate, uniqueness, k } = model;
  const shown = Math.min(k, MOST);
  const toDegrees = (radians: number): number => Math.max(MIN_ANGLE, (radians * 180) / Math.PI);
  const points = Array.from({ length: shown }, (_, i) => [
    {
      component: i + 1,
      angle: toDegrees(uniqueness.axes[i].noiseAngle),
      colour: 'var(--accent)',
      radians: uniqueness.axes[i].noiseAngle,
    },
    {
      component: i + 1,
      angle: toDegrees(certificate.angleBounds[i]),
      colour: 'var(--second)',
      radians: certificate.angleBounds[i],
    },
  ]).flat();
  const key = legend([
    ['by rounding the data', 'var(--accent)'],
    ['by computing, at most', 'var(--second)'],
  ]);
  const height = 280;
  const body = plot({
    height,
    marginLeft: 54,
    marginBottom: 42,
    marginTop: 26,
    marginRight: 12,
    x: { type: 'point', label: 'component', ticks: tickList(shown), padding: 0.6 },
    y: {
      type: 'log',
      label: 'degrees',
      grid: true,
      domain: [MIN_ANGLE, 180],
      ticks: [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1, 90],
      tickFormat: (value) => (value === 90 ? '90' : powerOfTen(value)),
    },
    marks: [
      Plot.ruleY([UNIQUE_LIMIT], { stroke: 'var(--alarm)', strokeDasharray: '4 3' }),
      Plot.text([UNIQUE_LIMIT], {
        y: (y) => y,
        frameAnchor: 'left',
        text: () => 'above: not unique',
        textAnchor: 'start',
        dx: 4,
        dy: 9,
        fontSize: 12,
        fill: 'var(--alarm)',
        stroke: 'var(--paper)',
        strokeWidth: 4,
      }),
      Plot.ruleX(
        Array.from({ length: shown }, (_, i) => i + 1),
        { stroke: 'var(--line)', strokeOpacity: 0.6 },
      ),
      Plot.dot(points, {
        x: 'component',
        y: 'angle',
        fill: 'colour',
        r: shown > 30 ? 3 : 4,
        title: ({ component, radians }) => `PC${component}: ${degrees(radians)}`,
      }),
    ],
  });
  const loose = uniqueness.axes.flatMap(({ determined }, i) => (determined ? [] : [i + 1]));
  return {
    name: 'uniqueness',
    title: 'How far rounding could turn each component',
    description:
      loose.length === 0
        ? `${k === 1 ? 'The component is' : `All ${k} components are`} unique in this sample.`
        : `Not unique in this sample: ${loose.length === 1 ? 'component' : 'components'} ${runs(loose)} of ${k}.`,
    caption: `Rounding alone, on a logarithmic scale: other samples are another question. An axis that half a unit in the last ${model.dtype} place could turn by more than ${formatNumber(UNIQUE_LIMIT, 2)}° is not unique in this sample.${k > shown ? ` The first ${shown} of ${k}.` : ''}`,
    height: key.height + height,
    body: key.svg + moved(0, key.height, body),
    table: tableOf(model),
  };
}

function tableOf({ certificate, uniqueness, k }: Model): FigureTable {
  return {
    columns: [
      'component',
      'unique in this sample',
      'gap to the nearest variance',
      'turn by rounding the data',
      'variance known to ±',
      'turn by the computation',
      'residual',
    ],
    rows: uniqueness.axes
      .slice(0, MOST_ROWS)
      .map(({ determined, gap, noiseAngle }, i) => [
        String(i + 1),
        determined ? 'yes' : 'no',
        gap === null ? '(no other)' : formatNumber(gap),
        degrees(noiseAngle),
        formatNumber(certificate.varianceBounds[i], 2),
        degrees(certificate.angleBounds[i]),
        formatNumber(certificate.residuals[i], 2),
      ]),
    ...(k > MOST_ROWS ? { note: `The first ${MOST_ROWS} of ${k} components.` } : {}),
  };
}

function tickList(most: number): number[] {
  const step = most <= 12 ? 1 : most <= 30 ? 5 : 10;
  return Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step);
}
