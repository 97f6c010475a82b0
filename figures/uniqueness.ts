import * as Plot from '@observablehq/plot';
import { type Matrix, pca, principalAngles } from 'scree';
import type { Draw } from './figure.js';
import { BLUE, FAINT, GREEN, HEADLINE, INK, plot, powerOfTen, powersOfTen, RED, sheet, text, WIDTH } from './svg.js';

const HEIGHT = 350;
const STRETCHES = [
  { stretch: 1, colour: RED, at: 45, place: { dy: 13 } },
  { stretch: 1.1, colour: '#8a7300', at: 45, place: { dy: -12 } },
  { stretch: 1.5, colour: BLUE, at: 64, place: { textAnchor: 'start', dx: 8, dy: -4 } },
] as const;

/** With equal variances no axis is determined; with nearly equal ones it depends on the last digit of the data. */
export const drawUniqueness: Draw = async () => {
  const turned = STRETCHES.flatMap(({ stretch }) =>
    Array.from({ length: 181 }, (_, degrees) => ({
      stretch,
      degrees,
      kept: varianceAlong(ring(stretch, 0), (degrees * Math.PI) / 180),
    })),
  );

  // The same numbers with 53 and with 24 bits: how far the last digit of float32 turns the axis.
  const trials = [];
  for (let exponent = -1; exponent >= -9; exponent -= 0.5) {
    const data = ring(1 / Math.sqrt(1 - 10 ** exponent), 3);
    const fine = await pca(data, { k: 1, solver: 'svd' });
    const coarse = await pca({ ...data, data: Float32Array.from(data.data) }, { k: 1, solver: 'svd' });
    const { determined, noiseAngle } = coarse.uniqueness.axes[0];
    const [turn] = principalAngles(fine.components, coarse.components);
    trials.push({ gap: 10 ** exponent, turn, noiseAngle, determined });
  }
  const wrong = trials.filter(({ turn, noiseAngle }) => turn > noiseAngle).length;
  const last = trials.filter(({ determined }) => determined).pop();

  const flat = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 44,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 46,
    x: {
      domain: [0, 180],
      ticks: [0, 45, 90, 135, 180],
      tickFormat: (degrees: number) => `${degrees}°`,
      label: 'direction',
      labelAnchor: 'center',
      labelArrow: 'none',
    },
    y: { domain: [0.4, 1.25], label: null, grid: true },
    marks: STRETCHES.flatMap(({ stretch, colour, at, place }) => {
      const own = turned.filter((one) => one.stretch === stretch);
      return [
        Plot.line(own, { x: 'degrees', y: 'kept', stroke: colour, strokeWidth: 2.5 }),
        Plot.text([own[at]], {
          x: 'degrees',
          y: 'kept',
          text: () => (stretch === 1 ? 'a circle' : `stretched ${stretch} ×`),
          fill: colour,
          fontWeight: 600,
          ...place,
        }),
      ];
    }),
  });
  const log = (from: number, to: number, by: number) => ({
    type: 'log' as const,
    domain: [10 ** from, 10 ** to],
    ticks: powersOfTen(from, to, by),
    tickFormat: powerOfTen,
    labelArrow: 'none' as const,
  });
  const turns = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 50,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 46,
    x: { ...log(-9, -1, 2), reverse: true, label: 'gap (λ₁ − λ₂)/λ₁', labelAnchor: 'center' },
    y: { ...log(-9, 0.5, 2), label: 'turn of the axis, rad', grid: true },
    marks: [
      Plot.ruleY([0.1], { stroke: FAINT, strokeDasharray: '5 4' }),
      Plot.line(trials, { x: 'gap', y: 'noiseAngle', stroke: INK, strokeWidth: 1.5 }),
      Plot.dot(trials, {
        x: 'gap',
        y: (trial) => Math.max(trial.turn, 1e-9),
        fill: (trial) => (trial.determined ? GREEN : RED),
        r: 4.5,
      }),
    ],
  });
  const right = WIDTH / 2;
  return {
    svg: sheet({
      title: 'When no axis is better than another',
      description: `Left, the variance along every direction of three rings: of an exact circle it is the same along all of them, so that no axis is better than another; the more it is stretched the clearer the best one. Right, how far rounding the data to float32 turns the first axis, against the gap between the two variances: the smaller the gap the larger the turn, always below the predicted bound; from a bound of a tenth of a radian on the axis is called undetermined.`,
      height: HEADLINE + 20 + HEIGHT,
      parts: [
        text(20, HEADLINE + 16, 'Variance along every direction', { weight: 600 }),
        { x: 0, y: HEADLINE + 20, svg: flat },
        text(right + 10, HEADLINE + 16, 'Turn by the last digit of float32', { weight: 600 }),
        { x: right, y: HEADLINE + 20, svg: turns },
        text(WIDTH - 30, HEADLINE + HEIGHT - 100, '● measured, determined', { colour: GREEN, anchor: 'end' }),
        text(WIDTH - 30, HEADLINE + HEIGHT - 78, '● measured, undetermined', { colour: RED, anchor: 'end' }),
        text(WIDTH - 30, HEADLINE + HEIGHT - 56, '— predicted bound', { anchor: 'end' }),
      ],
    }),
    measurements: [
      `${trials.length} gaps from 1e-1 to 1e-9: the turn was above the predicted bound in ${wrong} of them.`,
      `The smallest gap at which the axis is called determined: ${last?.gap.toExponential(1)}, where it turned by ${last?.turn.toExponential(1)} rad and could by ${last?.noiseAngle.toExponential(1)}.`,
    ],
  };
};

/** 360 points of an ellipse, stretched along 30°, its middle at (offset, offset). */
function ring(stretch: number, offset: number): Matrix<Float64Array> {
  const [c, s] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
  const data = new Float64Array(720);
  for (let i = 0; i < 360; i++) {
    const angle = (i * Math.PI) / 180;
    const [along, across] = [stretch * Math.cos(angle), Math.sin(angle)];
    data[2 * i] = offset + c * along - s * across;
    data[2 * i + 1] = offset + s * along + c * across;
  }
  return { rows: 360, cols: 2, data };
}

/** Variance of points about the origin along a direction. */
function varianceAlong({ rows, data }: Matrix<Float64Array>, angle: number): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) sum += (data[2 * i] * Math.cos(angle) + data[2 * i + 1] * Math.sin(angle)) ** 2;
  return sum / (rows - 1);
}
