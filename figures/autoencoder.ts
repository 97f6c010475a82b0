import * as Plot from '@observablehq/plot';
import { autoencoderTerms } from '@scree/core/learn';
import { type Epoch, type Matrix, pca } from 'scree';
import { digits } from './data.js';
import type { Draw } from './figure.js';
import {
  BLUE,
  FAINT,
  GREEN,
  HEADLINE,
  INK,
  ORANGE,
  type Part,
  plot,
  powerOfTen,
  powersOfTen,
  RED,
  sheet,
  text,
  WIDTH,
} from './svg.js';

const SIDE = 330;
const CURVES = 190;
const WEIGHTS = [
  { alpha: 0, colour: RED },
  { alpha: 0.25, colour: BLUE },
  { alpha: 0.5, colour: GREEN },
] as const;

/** Left: rows of W moved by the orthonormality term alone. Right: its weight α changes how learning proceeds, not where it ends. */
export const drawAutoencoder: Draw = async (progress) => {
  const { images } = await digits(2000);
  const exact = await pca(images, { k: 2 });
  const runs: (Epoch & { readonly alpha: number })[] = [];
  for (const [i, { alpha }] of WEIGHTS.entries()) {
    progress.show(i / WEIGHTS.length, `autoencoder, α = ${alpha}`);
    await pca(images, {
      k: 2,
      solver: 'autoencoder',
      learn: {
        alpha,
        descent: 'plain',
        exact: exact.components,
        onEpoch: (epoch) => runs.push({ ...epoch, alpha }),
      },
    });
  }
  progress.clear();
  const ends = WEIGHTS.map(({ alpha }) => runs.filter((run) => run.alpha === alpha).pop() as Epoch);
  const lost = ojaAndGradient(exact.components, images.data.subarray(0, exact.d));

  const curve = (value: 'defect' | 'angle', least: number) =>
    plot({
      width: WIDTH / 2,
      height: CURVES,
      marginLeft: 50,
      marginTop: 10,
      marginRight: 24,
      marginBottom: 44,
      x: { label: 'epochs', labelAnchor: 'center', labelArrow: 'none' },
      y: {
        type: 'log',
        label: null,
        domain: [10 ** least, 2],
        ticks: powersOfTen(least, 0, 2),
        tickFormat: powerOfTen,
        grid: true,
      },
      marks: WEIGHTS.map(({ alpha, colour }) =>
        Plot.line(
          runs.filter((run) => run.alpha === alpha && (run[value] ?? 0) > 10 ** least),
          { x: 'epoch', y: value, stroke: colour, strokeWidth: 2 },
        ),
      ),
    });
  const right = WIDTH / 2;
  const top = HEADLINE + 22;
  return {
    svg: sheet({
      title: 'Orthonormal rows: rods that turn one another to right angles',
      description: `Left, three vectors from the centre of a sphere. Two begin 25 degrees apart and are pushed apart, one begins at an obtuse angle and is drawn closer; they end at right angles on the sphere. Right, a linear autoencoder on 2,000 digits with orthonormality weights of 0, 0.25 and 0.5: how far its rows are from orthonormal and its plane from the exact one, both falling to almost nothing for every weight, for 0 too.`,
      height: top + 2 * (CURVES + 26) + 4,
      parts: [
        text(20, HEADLINE + 16, 'The orthonormality term alone', { weight: 600 }),
        ...sphere(SIDE / 2 + 14, top + SIDE / 2 + 10, 0.42 * SIDE),
        text(20, top + SIDE + 32, '○ start   ● end, at 90° to one another'),
        text(20, top + SIDE + 54, 'no charges: an obtuse angle closes', { colour: FAINT }),
        text(right, HEADLINE + 16, 'How far the rows are from orthonormal', { weight: 600 }),
        { x: right, y: top, svg: curve('defect', -12) },
        text(right, top + CURVES + 18, 'Angle to the exact plane, rad', { weight: 600 }),
        { x: right, y: top + CURVES + 24, svg: curve('angle', -6) },
        ...WEIGHTS.map(({ alpha, colour }, i) =>
          text(right + 50 + 100 * i, top + 2 * CURVES + 40, `α = ${alpha}`, { colour, weight: 600 }),
        ),
      ],
    }),
    measurements: [
      ...WEIGHTS.map(
        ({ alpha }, i) =>
          `α = ${alpha}: ${ends[i].epoch} epochs, then ${ends[i].defect.toExponential(1)} from orthonormal and ${(ends[i].angle ?? 0).toExponential(1)} rad from the exact plane.`,
      ),
      `On orthonormal W the autoencoder's gradient and −2 times Oja's step differ by ${lost.toExponential(1)} of their size.`,
    ],
  };
};

/** How far ∂L_AE/∂W is from −2(yxᵀ − yyᵀW), relative to its largest entry. */
function ojaAndGradient(weights: Matrix<Float64Array>, x: Uint8Array): number {
  const { y, xRec, reconstructionGradient } = autoencoderTerms(weights, x);
  // yyᵀW = y·x_recᵀ.
  const oja = reconstructionGradient.map((_, at) => {
    const [row, column] = [Math.floor(at / x.length), at % x.length];
    return y[row] * (x[column] - xRec[column]);
  });
  const largest = Math.max(...reconstructionGradient.map(Math.abs));
  return Math.max(...oja.map((step, at) => Math.abs(reconstructionGradient[at] + 2 * step))) / largest;
}

/** The paths of three rows that descend on ‖I − WWᵀ‖², seen from outside the unit sphere. */
function sphere(x: number, y: number, radius: number): Part[] {
  const degrees = (angle: number): number => (angle * Math.PI) / 180;
  const at = (longitude: number, latitude: number): number[] => [
    Math.cos(degrees(latitude)) * Math.cos(degrees(longitude)),
    Math.cos(degrees(latitude)) * Math.sin(degrees(longitude)),
    Math.sin(degrees(latitude)),
  ];
  const rows = Float64Array.from([...at(-20, 0), ...at(5, 12), ...at(128, 15)]);
  const paths: number[][][] = [[], [], []];
  for (let step = 0; step <= 800; step++) {
    if (step % 8 === 0)
      for (const [row, path] of paths.entries()) path.push(Array.from(rows.subarray(3 * row, 3 * row + 3)));
    const { orthogonalityGradient } = autoencoderTerms({ rows: 3, cols: 3, data: rows }, [0, 0, 0]);
    for (let entry = 0; entry < rows.length; entry++) rows[entry] -= 0.01 * orthogonalityGradient[entry];
  }
  // Seen from longitude 50°, latitude 25°.
  const [c, s, up, down] = [Math.cos(degrees(50)), Math.sin(degrees(50)), Math.cos(degrees(25)), Math.sin(degrees(25))];
  const seen = ([a, b, h]: readonly number[]): string => {
    const [across, toward] = [-s * a + c * b, c * a + s * b];
    return `${(radius * across).toFixed(1)},${(-radius * (up * h - down * toward)).toFixed(1)}`;
  };
  const circle = (point: (angle: number) => number[]): string =>
    `<polyline points="${Array.from({ length: 73 }, (_, i) => seen(point(5 * i))).join(' ')}" fill="none" stroke="#ccc"/>`;
  const globe = [
    `<circle r="${radius}" fill="#f6f8fb" stroke="#aaa"/>`,
    ...[-45, 0, 45].map((latitude) => circle((angle) => at(angle, latitude))),
    ...[0, 45, 90, 135].map((longitude) => circle((angle) => at(longitude, angle))),
  ];
  const colours = [BLUE, ORANGE, GREEN];
  const drawn = paths.map((path, row) => {
    const [start, end] = [seen(path[0]), seen(path[path.length - 1])];
    const [startX, startY] = start.split(',');
    const [endX, endY] = end.split(',');
    return [
      `<line x2="${startX}" y2="${startY}" stroke="${colours[row]}" stroke-dasharray="4 4"/>`,
      `<line x2="${endX}" y2="${endY}" stroke="${colours[row]}" stroke-width="3"/>`,
      `<polyline points="${path.map(seen).join(' ')}" fill="none" stroke="${colours[row]}" stroke-width="2"/>`,
      `<circle cx="${startX}" cy="${startY}" r="6" fill="white" stroke="${colours[row]}" stroke-width="2.5"/>`,
      `<circle cx="${endX}" cy="${endY}" r="7" fill="${colours[row]}"/>`,
      `<text x="${Number(endX) * 1.2}" y="${Number(endY) * 1.2 + 5}" font-size="15" fill="${INK}" text-anchor="middle">w${'₁₂₃'[row]}</text>`,
    ].join('');
  });
  return [{ x, y, svg: [...globe, ...drawn].join('') }];
}
