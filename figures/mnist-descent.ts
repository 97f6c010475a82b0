import * as Plot from '@observablehq/plot';
import { rotatedOnto } from '@scree/core/learn';
import { type Epoch, pca } from 'scree';
import { digits } from './data.js';
import type { Draw } from './figure.js';
import { pointCloud, type Window } from './point-cloud.js';
import {
  BLUE,
  COLOURS,
  FAINT,
  HEADLINE,
  legend,
  type Part,
  plot,
  powerOfTen,
  powersOfTen,
  RED,
  sheet,
  text,
  WIDTH,
} from './svg.js';

/** The largest principal angle to the exact plane that is good enough, in radians. */
const GOOD = 1e-4;
/** Misfits at which a panel is drawn. */
const LEFT = [0.5, 0.15] as const;

/**
 * Gradient descent on 60,000 points in the plane, which start at random and move until their inner products are those of 60,000
 * images. Drawn at several epochs, coloured by digit, next to the exact answer.
 */
export const drawDescent: Draw = async (progress) => {
  const { images, labels } = await digits();
  const start = performance.now();
  progress.show(0, 'the exact answer');
  const exact = await pca(images, { k: 2 });
  const epochs: Epoch[] = [];
  const frames: Float32Array[] = [];
  let length = 1;
  const begun = performance.now();
  const model = await pca(images, {
    k: 2,
    solver: 'points',
    learn: {
      exact: exact.components,
      onEpoch: (epoch, { points = new Float64Array(0), unit = 1 }) => {
        length = unit;
        epochs.push(epoch);
        frames.push(Float32Array.from(points));
        const { angle = 1 } = epoch;
        const share = Math.log((epochs[0].angle ?? 1) / angle) / Math.log(1 / GOOD / 10);
        progress.show(share, `epoch ${epoch.epoch} · angle ${angle.toExponential(1)} rad · ${seconds(begun)} s`);
      },
    },
  });
  progress.clear();
  const descended = seconds(begun);
  const angle = epochs[epochs.length - 1].angle ?? Number.NaN;

  const deviation = Math.sqrt(exact.variances[0]);
  const scores = Float64Array.from((await exact.transform(images)).data, (score) => score / deviation);
  const unit = length / deviation;
  const moments = frames.map((frame, epoch) => {
    const points = rotatedOnto(
      Float64Array.from(frame, (value) => value * unit),
      scores,
      images.rows,
      2,
    );
    return { epoch, points, misfit: misfit(points, scores) };
  });
  const last = moments[moments.length - 1];
  const smallest = moments.reduce((least, one) => (extent(one) < extent(least) ? one : least));
  const shown = [
    moments[0],
    smallest,
    ...LEFT.map((left) => moments.find(({ epoch, misfit }) => epoch > smallest.epoch && misfit <= left) ?? last),
  ];
  const window: Window = { x: [-2.6, 4], y: [-3.3, 3.3] };
  const panels = [
    ...shown.map(({ epoch, points }) => ({ title: epoch === 0 ? 'the start: chance' : `epoch ${epoch}`, points })),
    { title: `epoch ${last.epoch}, the last`, points: last.points },
    { title: 'the exact answer', points: scores },
  ];
  const size = WIDTH / 3;
  const parts: Part[] = [
    legend(
      16,
      HEADLINE + 16,
      COLOURS.map((colour, digit) => [String(digit), colour]),
    ),
    ...panels.flatMap(({ title, points }, i) =>
      panel(title, points, labels, window, (i % 3) * size, HEADLINE + 30 + Math.floor(i / 3) * (size + 14), size),
    ),
  ];
  const below = HEADLINE + 30 + 2 * (size + 14) + 50;
  const drawn = [...shown, last].map(({ epoch }) => epoch);
  parts.push(
    text(32, below - 38, 'in standard deviations of the first component; each panel turned to the exact axes', {
      colour: FAINT,
    }),
    text(16, below, 'Loss above its minimum', { weight: 600 }),
    {
      x: 0,
      y: below + 4,
      svg: curve(epochs, (epoch) => epoch.loss - leastLoss(exact.singularValues, length, epoch), drawn, BLUE),
    },
    text(WIDTH / 2 + 16, below, 'Angle to the exact plane, rad', { weight: 600 }),
    { x: WIDTH / 2, y: below + 4, svg: curve(epochs, (epoch) => epoch.angle ?? 0, drawn, RED) },
  );
  const measurements = [
    `${images.rows} digits of ${images.cols} pixels; the descent took ${last.epoch} epochs and ${descended} s, the whole figure ${seconds(start)} s.`,
    `Final principal angle to the exact plane: ${angle.toExponential(2)} rad; it must be below ${GOOD}.`,
    `The points are the exact scores, turned, but for ${last.misfit.toExponential(2)} of their size.`,
    `Panels: epochs ${drawn.join(', ')}; misfits: ${[...shown, last].map(({ misfit }) => misfit.toPrecision(2)).join(', ')}. Warnings: ${model.warnings.map(({ message }) => message).join(' ') || 'none'}.`,
  ];
  return {
    svg: sheet({
      title: 'PCA by gradient descent on the points: 60,000 digits of MNIST',
      description: `Six scatter plots of the same 60,000 handwritten digits, coloured by digit. They begin as a shapeless cloud, spread, take on the shape of the exact answer, and after ${last.epoch} epochs match it. Below, the loss above its minimum and the principal angle to the exact plane fall by many powers of ten; the angle ends at ${angle.toExponential(1)} rad.`,
      height: below + 4 + CURVE_HEIGHT,
      parts,
    }),
    measurements,
    ...(angle < GOOD ? {} : { failure: `The final angle ${angle} is not below ${GOOD}.` }),
  };
};

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

/** ‖Y − Z‖/‖Z‖: how far points are from those they should be. */
function misfit(y: Float64Array, z: Float64Array): number {
  let [square, size] = [0, 0];
  for (let at = 0; at < y.length; at++) {
    square += (y[at] - z[at]) ** 2;
    size += z[at] ** 2;
  }
  return Math.sqrt(square / size);
}

/** Sum of the squares of all coordinates. */
function extent({ points }: { readonly points: Float64Array }): number {
  return points.reduce((sum, value) => sum + value * value, 0);
}

/** The least loss there is: of 4·‖S‖² what the first components leave, in the units of the epoch's. */
function leastLoss(singularValues: Float64Array, unit: number, { terms }: Epoch): number {
  return singularValues.reduce((left, sigma) => left - 4 * (sigma / unit) ** 4, terms.data);
}

function panel(
  title: string,
  points: Float64Array,
  labels: Uint8Array,
  window: Window,
  x: number,
  y: number,
  size: number,
): Part[] {
  const [left, top, right, bottom] = [32, 22, 6, 24];
  const inner = size - left - right;
  const axes = plot({
    width: size,
    height: top + inner + bottom,
    marginLeft: left,
    marginTop: top,
    marginRight: right,
    marginBottom: bottom,
    x: { domain: [...window.x], label: null, ticks: [-2, 0, 2], tickFormat: String, tickSize: 3 },
    y: { domain: [...window.y], label: null, ticks: [-2, 0, 2], tickFormat: String, tickSize: 3 },
    marks: [Plot.frame({ stroke: '#bbb' })],
  });
  return [
    { x: x + left, y: y + top, svg: pointCloud(points, labels, window, inner, inner) },
    { x, y, svg: axes },
    text(x + left, y + 15, title, { weight: 600 }),
  ];
}

const CURVE_HEIGHT = 230;

function curve(epochs: readonly Epoch[], value: (epoch: Epoch) => number, drawn: number[], colour: string): string {
  const points = epochs.map((epoch) => ({ epoch: epoch.epoch, value: value(epoch) })).filter((one) => one.value > 0);
  const least = Math.floor(Math.log10(Math.min(...points.map((one) => one.value))));
  return plot({
    width: WIDTH / 2,
    height: CURVE_HEIGHT,
    marginLeft: 50,
    marginRight: 24,
    marginTop: 12,
    marginBottom: 44,
    x: { label: 'epochs', labelAnchor: 'center', labelArrow: 'none' },
    y: {
      type: 'log',
      domain: [10 ** least, 10],
      label: null,
      ticks: powersOfTen(least, 1, least < -8 ? 3 : 1),
      tickFormat: powerOfTen,
      grid: true,
    },
    marks: [
      Plot.line(points, { x: 'epoch', y: 'value', stroke: colour, strokeWidth: 2 }),
      Plot.dot(
        points.filter(({ epoch }) => drawn.includes(epoch)),
        { x: 'epoch', y: 'value', fill: colour, stroke: 'white', r: 4.5 },
      ),
    ],
  });
}
