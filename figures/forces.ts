import * as Plot from '@observablehq/plot';
import { descend, neighbourForces } from '@scree/core/learn';
import { digits, iris } from './data.js';
import type { Draw } from './figure.js';
import { BLUE, DARK_ORANGE, FAINT, HEADLINE, INK, ORANGE, plot, sheet, text, WIDTH } from './svg.js';

const HEIGHT = 350;
/** Points on the left side, and the epoch at which they are drawn: groups have begun to separate. */
const [WATCHED, MOMENT] = [250, 14];
/** Points whose neighbours are sorted on the right side. */
const SORTED = 1000;
const BINS = 50;

/** Left: the points that pull and push one point. Right: the forces of all neighbours, from the nearest to the farthest. */
export const drawForces: Draw = async () => {
  const { images } = await digits(2000);
  const first = (rows: number) => ({ ...images, rows, data: images.data.subarray(0, rows * images.cols) });

  const { moved, others, reach } = watch(first(WATCHED));
  const arrow = (by: Float64Array, stroke: string) =>
    Plot.arrow([0], {
      x1: moved.x,
      y1: moved.y,
      x2: moved.x + reach * by[0],
      y2: moved.y + reach * by[1],
      stroke,
      strokeWidth: 3,
      headLength: 9,
    });
  const one = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 20,
    marginTop: 12,
    marginRight: 10,
    marginBottom: 46,
    x: { axis: null },
    y: { axis: null },
    marks: [
      Plot.frame({ stroke: '#bbb' }),
      Plot.dot(others, {
        x: 'x',
        y: 'y',
        r: (other) => 1.5 + 4 * Math.sqrt(Math.abs(other.coefficient)),
        fill: (other) => (other.coefficient < 0 ? BLUE : ORANGE),
        fillOpacity: 0.65,
      }),
      arrow(moved.attraction, BLUE),
      arrow(moved.repulsion, DARK_ORANGE),
      arrow(moved.net, INK),
      Plot.dot([moved], { x: 'x', y: 'y', r: 6, fill: 'white', stroke: INK, strokeWidth: 2.5 }),
    ],
  });

  const { bands, monotone } = sortNeighbours(first(SORTED));
  const sorted = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 40,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 46,
    x: {
      domain: [0, 100],
      ticks: [],
      label: null,
    },
    y: { label: 'coefficient Dˣ, mean ‖x‖² = 1', labelArrow: 'none', grid: true },
    marks: [
      Plot.areaY(bands, { x: 'share', y1: 'low', y2: 'high', fill: BLUE, fillOpacity: 0.2 }),
      Plot.areaY(bands, { x: 'share', y1: 'quarter', y2: 'threeQuarters', fill: BLUE, fillOpacity: 0.35 }),
      Plot.line(bands, { x: 'share', y: 'median', stroke: BLUE, strokeWidth: 2.5 }),
      Plot.ruleY([0], { stroke: INK }),
    ],
  });

  const shares = [
    ['150 irises', neighbourForces(iris())],
    ['2,000 digits', neighbourForces(images)],
  ] as const;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const top = HEADLINE + 20;
  return {
    svg: sheet({
      title: 'Forces: the nearest pull, the farthest mostly push',
      description: `Left, ${WATCHED} digits on their way at epoch ${MOMENT}. One of them is marked; those that pull it are blue, those that push it away orange, and arrows show the sum of each and the net force. Right, for ${SORTED} digits the coefficient of the force of every other digit, sorted from the nearest to the farthest: its median rises from pulling to pushing, but for most of the way the band of the middle 90 per cent is on both sides of zero: a tendency, no order.`,
      height: top + HEIGHT + 44,
      parts: [
        text(20, HEADLINE + 16, `One of ${WATCHED} digits at epoch ${MOMENT}`, { weight: 600 }),
        { x: 0, y: top, svg: one },
        text(20, top + HEIGHT - 22, 'these pull', { colour: BLUE, weight: 600 }),
        text(112, top + HEIGHT - 22, 'these push', { colour: DARK_ORANGE, weight: 600 }),
        text(208, top + HEIGHT - 22, 'arrows: sums, net'),
        text(20, top + HEIGHT + 2, 'larger dots, stronger forces', { colour: FAINT }),
        text(WIDTH / 2 + 10, HEADLINE + 16, `Neighbours of ${SORTED} digits, by distance`, { weight: 600 }),
        { x: WIDTH / 2, y: top, svg: sorted },
        text(WIDTH / 2 + 40, top + HEIGHT - 26, 'nearest'),
        text(WIDTH - 20, top + HEIGHT - 26, 'farthest', { anchor: 'end' }),
        text(WIDTH / 2 + 40, top + HEIGHT - 2, 'above 0 they push, below they pull', { colour: INK }),
        text(WIDTH / 2 + 40, top + HEIGHT + 20, 'median, middle half, middle 90 %', { colour: BLUE }),
      ],
    }),
    measurements: [
      ...shares.map(
        ([name, { meansOnly, doubleCentred }]) =>
          `${name}: nearest neighbours attract ${percent(doubleCentred.nearestAttract)} of the points, farthest repel ${percent(doubleCentred.farthestRepel)} (double centring); ${percent(meansOnly.nearestAttract)} and ${percent(meansOnly.farthestRepel)} with row and column means only.`,
      ),
      `Of ${SORTED} digits, for ${percent(monotone.exactly)} the coefficient grows with the distance throughout; rank correlation of the two ${monotone.median.toFixed(2)} in the median.`,
    ],
  };
};

type Watched = Parameters<typeof descend>[0];

/** The point with the largest net force at that epoch, and the forces of the others on it. */
function watch(data: Watched) {
  const run = descend(data, { rule: 'factored', exact: false });
  let state = run.next().value;
  while (state && state.epoch < MOMENT) state = run.next().value;
  if (!state) throw new Error(`The points came to rest before epoch ${MOMENT}.`);
  const at = state.scores().data;
  const forces = Array.from({ length: WATCHED }, (_, i) => (state as NonNullable<typeof state>).forces(i));
  const nets = forces.map(({ attraction, repulsion }) => attraction.map((value, c) => value + repulsion[c]));
  const lengths = nets.map(([x, y]) => Math.hypot(x, y));
  const i = lengths.indexOf(Math.max(...lengths));
  const { data: pull, embedding, attraction, repulsion } = forces[i];
  const coefficients = pull.map((value, j) => value - embedding[j]);
  const strongest = Math.max(...coefficients.map(Math.abs).filter((_, j) => j !== i));
  const others = Array.from({ length: WATCHED }, (_, j) => ({
    x: at[2 * j],
    y: at[2 * j + 1],
    coefficient: coefficients[j] / strongest,
  })).filter((_, j) => j !== i);
  const extent = Math.max(...at.map(Math.abs));
  const longest = Math.max(Math.hypot(...attraction), Math.hypot(...repulsion));
  const moved = { x: at[2 * i], y: at[2 * i + 1], attraction, repulsion, net: nets[i] };
  return { moved, others, reach: (0.6 * extent) / longest };
}

/** The coefficients Dˣ of every point's neighbours, sorted by distance, and their rank correlation with it. */
function sortNeighbours(data: Watched) {
  const [start] = descend(data, { rule: 'factored', exact: false });
  const rows = Array.from({ length: SORTED }, (_, i) => start.forces(i).data);
  // −2⟨xᵢ, xⱼ⟩: the diagonal has the lengths.
  const lengths = rows.map((row, i) => -row[i] / 2);
  const mean = lengths.reduce((sum, length) => sum + length / SORTED, 0);
  const bins: number[][] = Array.from({ length: BINS }, () => []);
  const correlations: number[] = [];
  let exactly = 0;
  rows.forEach((row, i) => {
    const distance = (j: number): number => lengths[i] + lengths[j] + row[j];
    const order = Array.from(row.keys())
      .filter((j) => j !== i)
      .sort((a, b) => distance(a) - distance(b));
    order.forEach((j, place) => {
      bins[Math.floor((place * BINS) / order.length)].push(row[j] / mean);
    });
    if (order.every((j, place) => place === 0 || row[j] >= row[order[place - 1]])) exactly++;
    correlations.push(rankCorrelation(order.map((j) => row[j])));
  });
  const bands = bins.map((values, bin) => {
    values.sort((a, b) => a - b);
    const at = (share: number): number => values[Math.floor(share * (values.length - 1))];
    const [low, quarter, median, threeQuarters, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map(at);
    return { share: (100 * (bin + 0.5)) / BINS, low, quarter, median, threeQuarters, high };
  });
  correlations.sort((a, b) => a - b);
  return { bands, monotone: { exactly: exactly / SORTED, median: correlations[SORTED / 2] } };
}

/** Spearman's rank correlation of values with their positions. */
function rankCorrelation(values: readonly number[]): number {
  const n = values.length;
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const squares = order.reduce((sum, place, rank) => sum + (place - rank) ** 2, 0);
  return 1 - (6 * squares) / (n * (n * n - 1));
}
