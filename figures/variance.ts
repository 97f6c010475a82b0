import * as Plot from '@observablehq/plot';
import { pca } from 'scree';
import { iris } from './data.js';
import type { Draw } from './figure.js';
import { BLUE, DARK_ORANGE, FAINT, HEADLINE, INK, ORANGE, plot, sheet, WIDTH } from './svg.js';

const HEIGHT = 350;
/** Degrees between two directions that are tried. */
const FINENESS = 1;

/** A line through a cloud of points, in every direction: the variance that it keeps and the variance that it loses add up to a constant. */
export const drawVariance: Draw = async () => {
  const flowers = iris().map(([sepal, , petal]) => ({ sepal, petal }));
  const model = await pca(flowers, { k: 1 });
  const [meanSepal, meanPetal] = model.mean;
  const [along, up] = model.components.data;
  const best = (Math.atan2(up, along) * 180) / Math.PI;

  // From the definitions: the variance of the projections, and the squared distances to them.
  const turned = Array.from({ length: 180 / FINENESS + 1 }, (_, i) => {
    const degrees = i * FINENESS;
    const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    let [kept, lost] = [0, 0];
    for (const { sepal, petal } of flowers) {
      const [x, y] = [sepal - meanSepal, petal - meanPetal];
      const score = c * x + s * y;
      kept += score ** 2 / (flowers.length - 1);
      lost += ((x - score * c) ** 2 + (y - score * s) ** 2) / (flowers.length - 1);
    }
    return { degrees, kept, lost };
  });
  const most = turned.reduce((a, b) => (b.kept > a.kept ? b : a));
  const spread = Math.max(...turned.map(({ kept, lost }) => Math.abs(kept + lost - model.totalVariance)));

  const feet = flowers.map(({ sepal, petal }) => {
    const score = along * (sepal - meanSepal) + up * (petal - meanPetal);
    return { sepal, petal, footX: meanSepal + score * along, footY: meanPetal + score * up };
  });
  const cloud = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 40,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 46,
    x: { domain: [2.5, 9.5], label: 'length of the sepal, cm', labelAnchor: 'center', labelArrow: 'none' },
    y: { domain: [0.65, 7.14], label: 'length of the petal, cm', labelArrow: 'none' },
    marks: [
      Plot.link(feet, { x1: 'sepal', y1: 'petal', x2: 'footX', y2: 'footY', stroke: ORANGE, strokeWidth: 1.2 }),
      Plot.link([{ from: -3.4, to: 3.65 }], {
        x1: ({ from }) => meanSepal + from * along,
        y1: ({ from }) => meanPetal + from * up,
        x2: ({ to }) => meanSepal + to * along,
        y2: ({ to }) => meanPetal + to * up,
        stroke: BLUE,
        strokeWidth: 2.5,
      }),
      Plot.dot(feet, { x: 'sepal', y: 'petal', fill: INK, r: 2.2 }),
    ],
  });
  const curves = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 40,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 46,
    x: {
      domain: [0, 180],
      ticks: [0, 45, 90, 135, 180],
      tickFormat: (degrees: number) => `${degrees}°`,
      label: 'direction of the line',
      labelAnchor: 'center',
      labelArrow: 'none',
    },
    y: { domain: [0, 4.3], label: 'variance, cm²', labelArrow: 'none', grid: true },
    marks: [
      Plot.ruleY([model.totalVariance], { stroke: FAINT, strokeDasharray: '5 4' }),
      Plot.ruleX([best], { stroke: FAINT, strokeDasharray: '2 3' }),
      Plot.line(turned, { x: 'degrees', y: 'kept', stroke: BLUE, strokeWidth: 2.5 }),
      Plot.line(turned, { x: 'degrees', y: 'lost', stroke: ORANGE, strokeWidth: 2.5 }),
      Plot.text([{ x: 180, y: model.totalVariance }], {
        x: 'x',
        y: 'y',
        text: () => 'kept + lost',
        fill: FAINT,
        textAnchor: 'end',
        dy: -10,
      }),
      Plot.text([turned[140]], { x: 'degrees', y: 'kept', text: () => 'kept', fill: BLUE, dx: -24 }),
      Plot.text([turned[140]], { x: 'degrees', y: 'lost', text: () => 'lost', fill: DARK_ORANGE, dx: -22 }),
      Plot.text([{ x: best, y: model.totalVariance / 2 }], {
        x: 'x',
        y: 'y',
        text: () => `v₁: ${best.toFixed(1)}°`,
        fill: INK,
        stroke: 'white',
        strokeWidth: 6,
      }),
    ],
  });
  return {
    svg: sheet({
      title: 'What a line keeps and what it loses: 150 irises',
      description: `Left, the lengths of sepals and petals of 150 irises with the line of most variance through their mean, and from each flower the perpendicular to the line: what is lost. Right, for every direction of the line the variance kept and the variance lost. They always add up to ${model.totalVariance.toFixed(2)} square centimetres; the kept one is largest, and the lost one smallest, at ${best.toFixed(1)} degrees, the first principal component.`,
      height: HEADLINE + HEIGHT,
      parts: [
        { x: 0, y: HEADLINE, svg: cloud },
        { x: WIDTH / 2, y: HEADLINE, svg: curves },
      ],
    }),
    measurements: [
      `Most variance of all whole degrees at ${most.degrees}°, the first component at ${best.toFixed(2)}°.`,
      `Kept ${model.variances[0].toFixed(4)} of ${model.totalVariance.toFixed(4)} cm²; kept + lost differs from it by at most ${spread.toExponential(1)}.`,
    ],
  };
};
