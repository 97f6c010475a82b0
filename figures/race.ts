import * as Plot from '@observablehq/plot';
import { ConvergenceError, type LearnOptions, pca, principalAngles, referenceEngine, type SolverName } from 'scree';
import { digits } from './data.js';
import type { Draw } from './figure.js';
import type { ProgressBar } from './progress-bar.js';
import { COLOURS, FAINT, HEADLINE, INK, type Part, plot, powerOfTen, powersOfTen, sheet, text, WIDTH } from './svg.js';

const reference = referenceEngine();

/** Few enough for forces between all pairs. */
const DIGITS = 2000;
const K = 2;
/** Residual at which iterative solvers may stop. */
const TOLERANCE = 1e-9;
const EPOCHS = 1500;

interface Contender {
  readonly name: string;
  readonly solver: SolverName;
  readonly learn?: LearnOptions;
  readonly dashed?: boolean;
}

/** Solvers with `learn` are drawn as lines, epoch by epoch, the others as one mark each, at the time they finish. */
const CONTENDERS: readonly Contender[] = [
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

interface Moment {
  readonly epoch: number;
  readonly seconds: number;
  readonly angle: number;
}

/** All solvers on one data set: their angle to the exact plane, against seconds and against epochs. */
export const drawRace: Draw = async (progress) => {
  const { images } = await digits(DIGITS);
  progress.show(0, 'the exact plane, by the reference engine');
  const { components: exact } = await pca(images, { k: K, solver: 'svd', engine: reference });
  // Otherwise the first solver would pay for compiling and for starting threads.
  await pca(images, { k: K, solver: 'covariance' });
  const runs: { readonly runner: Contender; readonly moments: readonly Moment[]; readonly colour: string }[] = [];
  for (const [i, runner] of CONTENDERS.entries()) {
    const colour = runner.learn ? COLOURS[i % COLOURS.length] : INK;
    runs.push({ runner, moments: await run(runner, images, exact, i / CONTENDERS.length, progress), colour });
  }
  progress.clear();

  const learned = runs.filter(({ runner }) => runner.learn);
  const arrived = runs
    .filter(({ runner }) => !runner.learn)
    .map(({ runner, moments }) => ({ ...runner, ...moments[0] }))
    .sort((a, b) => a.seconds - b.seconds);
  const log = (from: number, to: number, by: number) => ({
    type: 'log' as const,
    domain: [10 ** from, 10 ** to],
    ticks: powersOfTen(from, to, by),
    labelArrow: 'none' as const,
    labelAnchor: 'center' as const,
  });
  const side = (by: 'seconds' | 'epoch', width: number) => {
    const all = learned.flatMap(({ moments }) => moments).filter((moment) => moment[by] > 0);
    const most = Math.max(...all.map((moment) => moment[by]));
    const least = Math.min(
      ...all.map((moment) => moment[by]),
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
        ...learned.map(({ runner, moments, colour }) =>
          Plot.line(
            moments.filter((moment) => moment[by] > 0),
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
              // Names above and below in turn, because some finish together.
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
  const measurements = runs.map(({ runner, moments }) => {
    const end = moments[moments.length - 1];
    const reached = moments.find(({ angle }) => angle < 1e-6);
    const line = `${runner.name.padEnd(26)} ${end.seconds.toFixed(3).padStart(8)} s`;
    if (!runner.learn) return `${line}              ${end.angle.toExponential(1)} rad`;
    const when = reached ? `1e-6 after ${reached.epoch} epochs, ${reached.seconds.toFixed(2)} s` : 'never below 1e-6';
    return `${line} ${String(end.epoch).padStart(6)} epochs ${end.angle.toExponential(1)} rad; ${when}`;
  });
  return {
    svg: sheet({
      title: `A race of all solvers: ${DIGITS.toLocaleString('en')} digits, ${K} components`,
      description: `Two plots of the principal angle to the exact plane on logarithmic scales, against seconds and against epochs, for ten learning rules; the exact solvers, and streaming, are marks at the time they finish. ${measurements.join('; ')}.`,
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
          '★ exact solvers, and streaming after one pass. One run on two shared cores, so times are noisy. Tolerance 1e-9.',
          {
            colour: FAINT,
          },
        ),
      ],
    }),
    measurements,
  };
};

const HEIGHT = 420;

/** Runs one solver and records its rows after every epoch. Angles are measured afterwards, and copying is not counted. */
async function run(
  { name, solver, learn }: Contender,
  images: Parameters<typeof pca>[0] & { readonly cols: number },
  exact: Parameters<typeof principalAngles>[0],
  share: number,
  progress: ProgressBar,
): Promise<Moment[]> {
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
  // Some never reach the tolerance: the figure shows how far they came.
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
function names(learned: readonly { readonly runner: Contender; readonly colour: string }[], y: number): Part[] {
  const each = Math.ceil(learned.length / 2);
  return learned.map(({ runner, colour }, i) => ({
    x: 16 + (WIDTH / 2) * Math.floor(i / each),
    y: y + 22 * (i % each),
    svg: `<line x2="30" y1="-5" y2="-5" stroke="${colour}" stroke-width="3"${runner.dashed ? ' stroke-dasharray="5 4"' : ''}/>${text(0, 0, runner.name).svg.replace('<text', '<text x="40"')}`,
  }));
}
