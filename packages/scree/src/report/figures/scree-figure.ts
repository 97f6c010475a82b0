import * as Plot from '@observablehq/plot';
import { criteriaByImportance, criterionTitle, noiseTested } from '@scree/analysis/criteria';
import { formatNumber, knownRatios, percent, tick } from '@scree/analysis/describe';
import type { Choice, Model } from '@scree/core';
import { type Figure, type FigureTable, legend, moved, plot } from './figure.js';

/** Most bars that fit side by side; more variances become a line over a logarithmic axis. */
const MOST_BARS = 40;
/** Most rows of the table. */
const MOST_ROWS = 200;
/** Bars wide enough for their percentages. */
const NUMBERED_BARS = 9;
const HEIGHT = 250;
/** Height of the line of a criterion. */
const LINE = 18;
/** The position of zero components on a logarithmic axis. */
const LOG_ZERO = 0.7;

/** The shares of all known variances: those of the solver, or those that the criteria computed. */
export function allRatios(model: Model): Float64Array {
  const known = knownRatios(model);
  const { choice, totalVariance, varianceRatios } = model;
  if (!choice || choice.spectrum.length <= known.length || !(totalVariance > 2 ** -1000)) return known;
  return Float64Array.from(choice.spectrum, (variance, i) => varianceRatios[i] ?? variance / totalVariance);
}

/** The share of every component, and below it how many components each criterion would keep. */
export function screeFigure(model: Model): Figure {
  const { choice, stability, k } = model;
  const ratios = allRatios(model);
  const x = axisOf(ratios.length, choice);
  const noise = noiseLine(model, ratios.length);
  const whiskers = stability
    ? stability.ratios.map(([low, high], i) => ({ component: i + 1, low: 100 * low, high: 100 * high }))
    : [];
  // The caps of whiskers are less wide than bars.
  const caps = Math.max(0, 90 / (ratios.length + 1) - 1.5);
  const bars = Array.from(ratios, (ratio, i) => ({ component: i + 1, share: 100 * ratio }));
  const top = Math.max(1e-9, ...bars.map(({ share }) => share), ...whiskers.map(({ high }) => high));
  const drawnNoise = noise?.shares.map((share, i) => ({ component: i + 1, share })).filter(({ share }) => share <= top);
  const key = legend([
    ...(k < ratios.length
      ? ([
          ['in the model', 'var(--accent)'],
          ['left out', 'var(--other)'],
        ] as const)
      : []),
    ...(noise ? ([[`noise, 95 % (${criterionTitle(noise.name).short})`, 'var(--second)']] as const) : []),
  ]);
  const keyHeight = k < ratios.length || noise ? key.height : 0;
  const colour = ({ component }: { component: number }): string => (component <= k ? 'var(--accent)' : 'var(--other)');
  const name = ({ component, share }: { component: number; share: number }): string =>
    `PC${component}: ${percent(share / 100)}`;
  const body = plot({
    height: HEIGHT,
    ...x.margins,
    marginTop: 24,
    marginBottom: 42,
    x: { ...x.scale, label: 'component' },
    y: { label: '% of the variance', grid: true, domain: [0, 1.1 * top], ticks: 5, tickFormat: tick },
    marks: [
      ...kept(choice, x),
      ...(x.logarithmic
        ? [
            Plot.lineY(bars, { x: 'component', y: 'share', stroke: 'var(--other)', strokeWidth: 1.2 }),
            Plot.dot(bars, { x: 'component', y: 'share', fill: colour, r: 2.2, title: name }),
          ]
        : [Plot.barY(bars, { x: 'component', y: 'share', fill: colour, title: name })]),
      ...(drawnNoise && drawnNoise.length > 0
        ? [
            Plot.lineY(drawnNoise, { x: 'component', y: 'share', stroke: 'var(--second)', strokeWidth: 1.8 }),
            ...(x.logarithmic
              ? []
              : [Plot.dot(drawnNoise, { x: 'component', y: 'share', fill: 'var(--second)', r: 2.2 })]),
          ]
        : []),
      Plot.ruleX(x.logarithmic && whiskers.length > MOST_BARS ? [] : whiskers, {
        x: 'component',
        y1: 'low',
        y2: 'high',
        stroke: 'var(--ink)',
        strokeWidth: 1.3,
      }),
      ...(x.logarithmic
        ? []
        : (['low', 'high'] as const).map((y) =>
            Plot.tickY(whiskers, { x: 'component', y, stroke: 'var(--ink)', strokeWidth: 1.3, inset: caps }),
          )),
      ...(bars.length <= NUMBERED_BARS
        ? [
            Plot.text(bars, {
              x: 'component',
              y: ({ component, share }) => Math.max(share, whiskers[component - 1]?.high ?? 0),
              text: ({ share }) => share.toFixed(1),
              dy: -8,
              fontSize: 12,
              stroke: 'var(--paper)',
              strokeWidth: 3,
              fill: 'var(--ink)',
            }),
          ]
        : []),
      Plot.ruleY([0]),
    ],
  });
  const strip = choice ? criteriaStrip(choice, x) : { svg: '', height: 0 };
  return {
    name: 'scree',
    title: choice ? 'Scree plot: how many each criterion would keep' : 'Scree plot: the variance of each component',
    description: `${x.logarithmic ? 'A line falls' : 'Bars fall'} from ${percent(ratios[0])} of the variance for the first component to ${percent(ratios[ratios.length - 1])} for component ${ratios.length}.${choice ? ` ${describeChoice(choice)}` : ''}`,
    caption: captionOf(model, noise, ratios.length),
    height: keyHeight + HEIGHT + strip.height,
    body: (keyHeight > 0 ? key.svg : '') + moved(0, keyHeight, body) + moved(0, keyHeight + HEIGHT, strip.svg),
    table: tableOf(model, ratios, noise),
  };
}

/** `shown` is the number of variances in the figure. */
function captionOf(model: Model, noise: Noise | undefined, shown: number): string {
  const { choice, stability, k } = model;
  const beyond = model.d > shown && shown === k && !model.spectrum;
  return [
    ...(choice ? ['A dot below the plot says how many components a criterion would keep.'] : []),
    ...(noise
      ? [
          `The orange line: at each component, 95 % of tables without structure stay below it (${criterionTitle(noise.name).short}).`,
        ]
      : []),
    ...(stability && stability.ratios.length > 0 ? ['Whiskers are 95 % intervals from the bootstrap.'] : []),
    ...(choice || noise ? [] : ['Where the bars stop falling steeply, components begin to describe detail or noise.']),
    ...(beyond ? [`The solver computed the first ${k} only.`] : []),
  ].join(' ');
}

interface Axis {
  readonly logarithmic: boolean;
  readonly scale: Plot.ScaleOptions;
  readonly margins: { readonly marginLeft: number; readonly marginRight: number };
  /** The position of a number of components, which may be 0. */
  at(components: number): number;
  readonly most: number;
}

function axisOf(most: number, choice: Choice | undefined): Axis {
  const margins = { marginLeft: choice ? 132 : 46, marginRight: 16 };
  if (most > MOST_BARS) {
    // Other ticks would have no label on a logarithmic axis.
    const ticks = [1, 2, 10, 20, 100, 200, 1000, 2000, 10000].filter((value) => value <= most);
    return {
      logarithmic: true,
      scale: { type: 'log', domain: [choice ? LOG_ZERO * 0.93 : 0.93, 1.08 * most], ticks, tickFormat: String },
      margins,
      at: (components) => (components === 0 ? LOG_ZERO : components),
      most,
    };
  }
  const from = choice ? 0 : 1;
  return {
    logarithmic: false,
    scale: {
      type: 'band',
      domain: Array.from({ length: most + 1 - from }, (_, i) => i + from),
      ticks: [...(from === 0 ? [0] : []), ...integerTicks(most)],
      padding: most > 25 ? 0.1 : 0.2,
    },
    margins,
    at: (components) => components,
    most,
  };
}

/** A stripe behind the number that is recommended. */
function kept(choice: Choice | undefined, x: Axis): Plot.Markish[] {
  if (!choice) return [];
  const width = x.logarithmic ? 7 : Math.min(26, 300 / (x.most + 1));
  return [Plot.ruleX([x.at(choice.k)], { stroke: 'var(--fine)', strokeOpacity: 0.22, strokeWidth: width })];
}

/** One line per criterion: its name, and a dot at the number that it would keep. */
function criteriaStrip(choice: Choice, x: Axis): { svg: string; height: number } {
  const all = criteriaByImportance(choice);
  const lines = [
    { title: 'recommended', k: choice.k as number | null, main: true },
    ...[...all.filter(({ k }) => k !== null), ...all.filter(({ k }) => k === null)].map(({ name, k }) => ({
      title: criterionTitle(name).short,
      k,
      main: false,
    })),
  ];
  const applied = lines.flatMap((line) => (line.k === null ? [] : [{ ...line, k: line.k }]));
  const height = lines.length * LINE + 6;
  const isRight = ({ k }: { k: number }): boolean =>
    x.logarithmic ? k > 0.4 * x.most : k > 0.8 * x.most && x.most > 3;
  const numbers = (lines: typeof applied, side: 1 | -1): Plot.Markish =>
    Plot.text(lines, {
      x: ({ k }) => x.at(k),
      y: 'title',
      text: ({ k }) => String(k),
      dx: 9 * side,
      textAnchor: side === 1 ? 'start' : 'end',
      fontSize: 12,
      fill: 'var(--ink)',
    });
  const svg = plot({
    height,
    ...x.margins,
    marginTop: 0,
    marginBottom: 6,
    x: { ...x.scale, axis: null },
    y: { domain: lines.map(({ title }) => title), label: null, tickSize: 0, type: 'point', padding: 0.5 },
    marks: [
      ...kept(choice, x),
      Plot.ruleY(lines, { y: 'title', stroke: 'var(--line)', strokeWidth: 0.7 }),
      Plot.dot(applied, {
        x: ({ k }) => x.at(k),
        y: 'title',
        r: 4.5,
        fill: ({ main }) => (main ? 'var(--fine)' : 'var(--ink)'),
        title: ({ title, k }) => `${title}: ${k}`,
      }),
      numbers(
        applied.filter((line) => !isRight(line)),
        1,
      ),
      numbers(applied.filter(isRight), -1),
      Plot.text(
        lines.filter(({ k }) => k === null),
        {
          y: 'title',
          frameAnchor: 'left',
          textAnchor: 'start',
          dx: 6,
          text: () => 'does not apply here',
          fontSize: 12,
          fill: 'var(--faint)',
          stroke: 'var(--paper)',
          strokeWidth: 4,
        },
      ),
    ],
  });
  return { svg, height };
}

interface Noise {
  readonly name: string;
  /** In per cent of the variance. */
  readonly shares: readonly number[];
}

/** The 95 % quantiles of tables without structure. */
function noiseLine({ choice, totalVariance }: Model, most: number): Noise | undefined {
  const found = choice?.criteria.find(({ name, thresholds, k }) => noiseTested(name) && thresholds && k !== null);
  if (!found?.thresholds || !(totalVariance > 0)) return undefined;
  return { name: found.name, shares: found.thresholds.slice(0, most).map((value) => (100 * value) / totalVariance) };
}

function describeChoice(choice: Choice): string {
  return criteriaByImportance(choice)
    .map(({ name, k }) => `${criterionTitle(name).short}: ${k === null ? 'does not apply' : k}`)
    .join('; ')
    .concat('.');
}

function tableOf(model: Model, ratios: Float64Array, noise: Noise | undefined): FigureTable {
  const { stability, spectrum, choice, variances } = model;
  const all = [spectrum, choice?.spectrum, variances].find((values) => values?.length === ratios.length) ?? variances;
  let together = 0;
  return {
    columns: [
      'component',
      'variance',
      'share',
      'together',
      ...(stability ? ['95 % interval of the share'] : []),
      ...(noise ? ['noise, 95 %'] : []),
    ],
    rows: Array.from(ratios.subarray(0, MOST_ROWS), (ratio, i) => {
      together = Math.min(1, together + ratio);
      const interval = stability?.ratios[i];
      const threshold = noise?.shares[i];
      return [
        String(i + 1),
        formatNumber(variances[i] ?? all[i], 6),
        percent(ratio),
        percent(together),
        ...(stability ? [interval ? `${percent(interval[0])} to ${percent(interval[1])}` : ''] : []),
        ...(noise ? [threshold === undefined ? '' : percent(threshold / 100)] : []),
      ];
    }),
    ...(ratios.length > MOST_ROWS ? { note: `The first ${MOST_ROWS} of ${ratios.length} components.` } : {}),
  };
}

/** Integers from 1 to `most`, few enough to be read. */
export function integerTicks(most: number): number[] {
  if (most <= 12) return Array.from({ length: most }, (_, i) => i + 1);
  const step = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((size) => most / size <= 10) ?? most;
  return [1, ...Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step)];
}
