import * as Plot from '@observablehq/plot';
import { ConvergenceError, type LearnOptions, pca, principalAngles, referenceEngine, type SolverName } from 'scree';
import { digits } from './data.js';
import type { Draw } from './figure.js';
import type { ProgressBar } from './progress-bar.js';
import { COLOURS, FAINT, HEADLINE, INK, type Part, plot, powerOfTen, powersOfTen, sheet, text, WIDTH } from './svg.js';

const reference = referenceEngine();

/** Few enough that all pairs can be looked at. */
const DIGITS = 2000;
const K = 2;
/** Residual at which those that iterate may stop. */
const TOLERANCE = 1e-9;
const EPOCHS = 1500;

interface Runner {
  readonly name: string;
  readonly solver: SolverName;
  readonly learn?: LearnOptions;
  readonly dashed?: boolean;
}

/** Who runs. Those with `learn` are drawn as lines, epoch by epoch, the others as one mark each, where they arrive. */
const RUNNERS: readonly Runner[] = [
  { name: 'points, plain', solver: 'points', learn: { descent: 'plain' } },
  { name: 'points, momentum', solver: 'points', learn: {} },
  { name: 'points by pairs, momentum', solver: 'points', learn: { rule: 'pairwise' }, dashed: true },
  { name: 'autoencoder, plain', solver: 'autoencoder', learn: { descent: 'plain' } },
  { name: 'autoencoder, momentum', solver: 'autoencoder', learn: {} },
  { name: 'autoencoder, Adam', solver: 'autoencoder', learn: { descent: 'adam' } },
  { name: 'autoencoder, batches of 128', solver: 'autoencoder', learn: { batch: 128 } },
  { name: 'Oja’s subspace rule', solver: 'hebbian', learn: {} },
  { name: 'Sanger’s rule', solver: 'hebbian', learn: { rule: 'sanger' } },
  { name: 'Oja, steps that decay', solver: 'hebbian', learn: { decay: 1, epochs: 300 }, dashed: true },
  { name: 'covariance', solver: 'covariance' },
  { name: 'refined', solver: 'refined' },
  { name: 'dual', solver: 'dual' },
  { name: 'svd', solver: 'svd' },
  { name: 'krylov', solver: 'krylov' },
  { name: 'streaming', solver: 'streaming' },
];

interface Place {
  readonly epoch: number;
  readonly seconds: number;
  readonly angle: number;
}

/** All roads on one data set: how far from the exact plane they are, against seconds and against epochs. */
export const drawRace: Draw = async (progress) => {
  const { images } = await digits(DIGITS);
  progress.show(0, 'the exact plane, by the reference engine');
  const { components: exact } = await pca(images, { k: K, solver: 'svd', engine: reference });
  // Whoever comes first would otherwise pay for compiling and for starting threads.
  await pca(images, { k: K, solver: 'covariance' });
  const runs: { readonly runner: Runner; readonly places: readonly Place[]; readonly colour: string }[] = [];
  for (const [i, runner] of RUNNERS.entries()) {
    const colour = runner.learn ? COLOURS[i % COLOURS.length] : INK;
    runs.push({ runner, places: await run(runner, images, exact, i / RUNNERS.length, progress), colour });
  }
  progress.clear();

  const learned = runs.filter(({ runner }) => runner.learn);
  const arrived = runs
    .filter(({ runner }) => !runner.learn)
    .map(({ runner, places }) => ({ ...runner, ...places[0] }))
    .sort((a, b) => a.seconds - b.seconds);
  const log = (from: number, to: number, by: number) => ({
    type: 'log' as const,
    domain: [10 ** from, 10 ** to],
    ticks: powersOfTen(from, to, by),
    labelArrow: 'none' as const,
    labelAnchor: 'center' as const,
  });
  const side = (by: 'seconds' | 'epoch', width: number) => {
    const all = learned.flatMap(({ places }) => places).filter((place) => place[by] > 0);
    const most = Math.max(...all.map((place) => place[by]));
    const least = Math.min(
      ...all.map((place) => place[by]),
      ...(by === 'seconds' ? arrived.map((one) => one.seconds) : []),
    );
    return plot({
      width,
      height: HEIGHT,
      marginLeft: 48,
      marginTop: 10,
      marginRight: 22,
      marginBottom: 46,
      x: {
        ...log(Math.log10(least * 0.8), Math.log10(most * 1.3), 1),
        ticks: powersOfTen(Math.ceil(Math.log10(least * 0.8)), Math.floor(Math.log10(most * 1.3))),
        tickFormat: String,
        label: by === 'seconds' ? 'seconds' : 'epochs',
      },
      y: { ...log(-16, 0.5, 1), ticks: powersOfTen(-16, 0, 4), tickFormat: powerOfTen, grid: true, label: null },
      marks: [
        ...learned.map(({ runner, places, colour }) =>
          Plot.line(
            places.filter((place) => place[by] > 0),
            {
              x: by,
              y: 'angle',
              stroke: colour,
              strokeWidth: 2,
              ...(runner.dashed ? { strokeDasharray: '5 4' } : {}),
            },
          ),
        ),
        ...(by === 'epoch'
          ? []
          : [
              Plot.dot(arrived, { x: 'seconds', y: 'angle', symbol: 'star', fill: INK, r: 5 }),
              // Names above and below in turn, because some arrive together.
              ...arrived.map((one, i) =>
                Plot.text([one], {
                  x: 'seconds',
                  y: 'angle',
                  text: 'name',
                  fill: INK,
                  stroke: 'white',
                  dy: i % 2 === 0 ? -14 : 15,
                }),
              ),
            ]),
      ],
    });
  };
  const top = HEADLINE + 26;
  const told = runs.map(({ runner, places }) => {
    const end = places[places.length - 1];
    const reached = places.find(({ angle }) => angle < 1e-6);
    const line = `${runner.name.padEnd(26)} ${end.seconds.toFixed(3).padStart(8)} s`;
    if (!runner.learn) return `${line}              ${end.angle.toExponential(1)} rad`;
    const when = reached ? `1e-6 after ${reached.epoch} epochs, ${reached.seconds.toFixed(2)} s` : 'never below 1e-6';
    return `${line} ${String(end.epoch).padStart(6)} epochs ${end.angle.toExponential(1)} rad; ${when}`;
  });
  return {
    svg: sheet({
      title: `A race of all roads: ${DIGITS.toLocaleString('en')} digits, ${K} components`,
      description: `Two plots of the principal angle to the exact plane on logarithmic scales, against seconds and against epochs, for ten ways of learning; the exact roads, and streaming, are marks where they arrive. ${told.join('; ')}.`,
      height: top + HEIGHT + 10 + 22 * Math.ceil(learned.length / 2) + 40,
      parts: [
        text(16, HEADLINE + 16, 'Angle to the exact plane, rad, against seconds', { weight: 600 }),
        { x: 0, y: top, svg: side('seconds', WIDTH / 2 + 20) },
        text(WIDTH / 2 + 40, HEADLINE + 16, 'and against epochs', { weight: 600 }),
        { x: WIDTH / 2 + 20, y: top, svg: side('epoch', WIDTH / 2 - 20) },
        ...names(learned, top + HEIGHT + 16),
        text(
          16,
          top + HEIGHT + 16 + 22 * Math.ceil(learned.length / 2) + 8,
          '★ exact roads, and streaming after one reading. One run on two shared cores: times are as noisy as that. Tolerance 1e-9.',
          {
            colour: FAINT,
          },
        ),
      ],
    }),
    told,
  };
};

const HEIGHT = 420;

/** Runs one road and notes where it is after every epoch. Angles are measured afterwards, and copying is not counted. */
async function run(
  { name, solver, learn }: Runner,
  images: Parameters<typeof pca>[0] & { readonly cols: number },
  exact: Parameters<typeof principalAngles>[0],
  share: number,
  progress: ProgressBar,
): Promise<Place[]> {
  const seen: { readonly epoch: number; readonly seconds: number; readonly rows: Float64Array }[] = [];
  let aside = 0;
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start - aside) / 1000;
  const fit = pca(images, {
    k: K,
    solver,
    tolerance: TOLERANCE,
    ...(learn && {
      learn: {
        epochs: EPOCHS,
        ...learn,
        onEpoch: ({ epoch }, { rows }) => {
          const stopped = performance.now();
          seen.push({ epoch, seconds: elapsed(), rows: rows.slice() });
          if (epoch % 10 === 0) progress.show(share, `${name}: epoch ${epoch}`);
          aside += performance.now() - stopped;
        },
      },
    }),
  });
  // Some never come as far as they are asked to: how far they came is the picture.
  const model = await fit.catch((error: unknown) => {
    if (error instanceof ConvergenceError) return error.best;
    throw error;
  });
  if (!learn) seen.push({ epoch: 0, seconds: elapsed(), rows: model.components.data });
  return seen.map(({ epoch, seconds, rows }) => {
    const angles = principalAngles({ rows: K, cols: images.cols, data: rows }, exact);
    return { epoch, seconds, angle: Math.max(angles[angles.length - 1], 1e-16) };
  });
}

/** The names of the lines, in two columns. */
function names(learned: readonly { readonly runner: Runner; readonly colour: string }[], y: number): Part[] {
  const each = Math.ceil(learned.length / 2);
  return learned.map(({ runner, colour }, i) => ({
    x: 16 + (WIDTH / 2) * Math.floor(i / each),
    y: y + 22 * (i % each),
    svg: `<line x2="30" y1="-5" y2="-5" stroke="${colour}" stroke-width="3"${runner.dashed ? ' stroke-dasharray="5 4"' : ''}/>${text(0, 0, runner.name).svg.replace('<text', '<text x="40"')}`,
  }));
}
