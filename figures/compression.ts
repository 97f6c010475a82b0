import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import * as Plot from '@observablehq/plot';
import { compressFile, type Matrix, neighbourRecall, openCompressed, pca, type Quantiser, type RowSource } from 'scree';
import { digits } from './data.js';
import { embeddings } from './embeddings.js';
import type { Draw } from './figure.js';
import type { ProgressBar } from './progress-bar.js';
import { BLUE, FAINT, GREEN, HEADLINE, INK, legend, ORANGE, plot, RED, sheet, text, WIDTH } from './svg.js';

const VARIANCES = [0.8, 0.9, 0.95, 0.99] as const;
const HEIGHT = 330;
const COLOURS = { uniform: BLUE, int8: ORANGE, float16: GREEN, raw: INK } as const;

interface Outcome {
  readonly name: string;
  readonly kind: Quantiser | 'raw';
  readonly k?: number;
  readonly bytes: number;
  readonly ratio: number;
  readonly rmsError: number;
  readonly relativeError: number;
  readonly recall: number;
  readonly seconds?: readonly [write: number, read: number];
}

interface Set {
  readonly title: string;
  readonly matrix: Matrix<Uint8Array> | Matrix<Float32Array>;
  readonly metric: 'cosine' | 'euclidean';
}

/** Compression ratio against error, for MNIST and embeddings and several methods. */
export const drawCompression: Draw = async (progress) => {
  const folder = mkdtempSync(join(tmpdir(), 'scree-compression-'));
  try {
    const sets: readonly Set[] = [
      { title: 'MNIST, 60,000 × 784, uint8', matrix: (await digits()).images, metric: 'euclidean' },
      { title: 'Embeddings (synthetic), 20,000 × 1536, float32', matrix: embeddings(20_000, 1536), metric: 'cosine' },
    ];
    const outcomes: Outcome[][] = [];
    for (const [i, set] of sets.entries()) {
      const steps = progressIn(progress, i / sets.length, 1 / sets.length);
      outcomes.push([...(await plainly(set, steps)), ...(await compressed(set, join(folder, 'x.scree'), steps))]);
    }
    progress.clear();
    const best = outcomes.map((all) => all.find(({ name }) => name.startsWith('95 %, uniform')) as Outcome);
    return {
      svg: draw(sets, outcomes),
      measurements: best.map(
        ({ ratio, relativeError, recall, seconds = [0, 0] }, i) =>
          `${sets[i].title}: ${ratio.toFixed(1)} times smaller at 95 % of the variance, relative error ${relativeError.toFixed(3)}, recall@10 ${recall.toFixed(3)}; ${seconds[0].toFixed(1)} s to write, ${seconds[1].toFixed(1)} s to read.`,
      ),
      page: {
        file: 'compression.md',
        text: sets.map(({ title, metric }, i) => table(title, metric, outcomes[i])).join('\n\n'),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

type Step = (share: number, what: string) => void;

function progressIn(progress: ProgressBar, from: number, width: number): Step {
  return (share, what) => progress.show(from + width * share, what);
}

function sourceFromMatrix({ rows, cols, data }: Set['matrix']): RowSource {
  return {
    rows,
    cols,
    dtype: 'float32',
    rereadable: true,
    resident: true,
    blocks: () => [{ kind: 'dense', rows, cols, stride: cols, data }],
  };
}

/** With scree: four shares of the variance, and three ways of rounding. */
async function compressed({ matrix, metric }: Set, path: string, progress: Step): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [i, variance] of VARIANCES.entries()) {
    progress(0.2 + 0.2 * i, `${100 * variance} % of the variance`);
    const model = await pca(matrix, { k: variance });
    for (const quantise of ['uniform', 'int8', 'float16'] as const) {
      const start = performance.now();
      const { k, bytes, ratio, rmsError, relativeError } = await compressFile({
        source: sourceFromMatrix(matrix),
        model,
        path,
        quantise,
      });
      const written = performance.now();
      const file = await openCompressed(path);
      for await (const block of file.source.blocks()) if (block.rows === 0) break;
      const read = performance.now();
      const { recall } = await neighbourRecall(matrix, file.source, { metric });
      await file.close();
      const seconds = [(written - start) / 1000, (read - written) / 1000] as const;
      const name = `${100 * variance} %, ${quantise}`;
      outcomes.push({ name, kind: quantise, k, bytes, ratio, rmsError, relativeError, recall, seconds });
    }
  }
  return outcomes;
}

/** Without scree: gzip; and for floats also float16 and int8, scaled from the smallest to the largest value of each column. */
async function plainly({ matrix, metric }: Set, progress: Step): Promise<Outcome[]> {
  const { rows, cols, data } = matrix;
  const packed = async (bytes: Uint8Array): Promise<number> => (await promisify(gzip)(bytes)).length;
  const original = data.byteLength;
  const whole = { kind: 'raw', rmsError: 0, relativeError: 0, recall: 1 } as const;
  progress(0, 'gzip');
  const gzipped = await packed(new Uint8Array(data.buffer, data.byteOffset, original));
  const outcomes: Outcome[] = [
    { ...whole, name: 'as it is', bytes: original, ratio: 1 },
    { ...whole, name: 'gzip', bytes: gzipped, ratio: original / gzipped },
  ];
  if (data instanceof Uint8Array) return outcomes;
  progress(0.1, 'float16 and int8 of the data themselves');
  const [low, high] = [new Float32Array(cols).fill(Infinity), new Float32Array(cols).fill(-Infinity)];
  data.forEach((value, i) => {
    low[i % cols] = Math.min(low[i % cols], value);
    high[i % cols] = Math.max(high[i % cols], value);
  });
  const codes = Uint8Array.from(data, (value, i) =>
    Math.round((255 * (value - low[i % cols])) / (high[i % cols] - low[i % cols])),
  );
  const bytes = Float32Array.from(codes, (code, i) => low[i % cols] + (code * (high[i % cols] - low[i % cols])) / 255);
  const halves = data.map((value) => {
    // float16 keeps eleven bits of each number. Subnormal numbers, which have fewer, do not occur in these data.
    const unit = 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(value)))) - 10);
    return Math.round(value / unit) * unit;
  });
  const both = [
    { name: 'float16 of the data', back: halves, bytes: 2 * data.length },
    { name: 'int8 of the data', back: bytes, bytes: data.length + 8 * cols },
    { name: 'int8 of the data, gzip', back: bytes, bytes: (await packed(codes)) + 8 * cols },
  ];
  for (const { name, back, bytes: size } of both) {
    const { recall } = await neighbourRecall(matrix, { rows, cols, data: back }, { metric });
    outcomes.push({ name, kind: 'raw', bytes: size, ratio: original / size, ...errors(matrix, back), recall });
  }
  return outcomes;
}

function errors(
  { rows, cols, data }: Set['matrix'],
  back: Float32Array,
): { readonly rmsError: number; readonly relativeError: number } {
  const mean = new Float64Array(cols);
  for (let i = 0; i < data.length; i++) mean[i % cols] += data[i] / rows;
  let [error, spread] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    error += (data[i] - back[i]) ** 2;
    spread += (data[i] - mean[i % cols]) ** 2;
  }
  return { rmsError: Math.sqrt(error / data.length), relativeError: Math.sqrt(error / spread) };
}

function table(title: string, metric: string, outcomes: readonly Outcome[]): string {
  const number = (value: number): string => (value === 0 ? '0' : value.toPrecision(3));
  const lines = outcomes.map(
    ({ name, k, bytes, ratio, rmsError, relativeError, recall }) =>
      `| ${name} | ${k ?? ''} | ${(bytes / 1e6).toFixed(2)} | ${ratio.toFixed(1)} | ${number(rmsError)} | ${number(relativeError)} | ${recall.toFixed(3)} |`,
  );
  return [
    `**${title}**`,
    '',
    `| what | k | MB | ratio | RMS error | relative error | recall@10 (${metric}) |`,
    '|---|---:|---:|---:|---:|---:|---:|',
    ...lines,
  ].join('\n');
}

function draw(sets: readonly Set[], outcomes: readonly (readonly Outcome[])[]): string {
  const panels = outcomes.map((all) => {
    const lossy = all.filter(({ relativeError }) => relativeError > 0);
    const gzipped = all.find(({ name }) => name === 'gzip') as Outcome;
    return plot({
      width: WIDTH / 2,
      height: HEIGHT,
      marginLeft: 44,
      marginTop: 26,
      marginRight: 16,
      marginBottom: 46,
      x: {
        domain: [0, 0.5],
        label: 'relative error',
        labelAnchor: 'center',
        labelArrow: 'none',
        ticks: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
      },
      y: {
        type: 'log',
        domain: [1, 120],
        ticks: [1, 2, 5, 10, 20, 50, 100],
        tickFormat: String,
        label: 'times smaller',
        labelArrow: 'none',
        grid: true,
      },
      marks: [
        Plot.ruleY([gzipped.ratio], { stroke: FAINT, strokeDasharray: '5 4' }),
        Plot.text([gzipped], {
          x: () => 0.5,
          y: 'ratio',
          text: () => 'gzip, no error',
          fill: FAINT,
          textAnchor: 'end',
          dy: -9,
        }),
        ...(['uniform', 'int8', 'float16'] as const).map((kind) =>
          Plot.line(
            lossy.filter((one) => one.kind === kind),
            { x: 'relativeError', y: 'ratio', stroke: COLOURS[kind], strokeWidth: 2.5, marker: 'circle' },
          ),
        ),
        Plot.dot(
          lossy.filter(({ kind }) => kind === 'raw'),
          { x: 'relativeError', y: 'ratio', fill: RED, r: 5, symbol: 'square' },
        ),
        Plot.text(
          lossy.filter(({ kind }) => kind === 'uniform'),
          {
            x: 'relativeError',
            y: 'ratio',
            text: ({ name }: Outcome) => name.split(',')[0],
            fill: BLUE,
            dy: -12,
            dx: -8,
          },
        ),
      ],
    });
  });
  const described = outcomes.map((all, i) => {
    const one = all.find(({ name }) => name.startsWith('95 %, uniform')) as Outcome;
    return `${sets[i].title}: ${one.ratio.toFixed(1)} times smaller with a relative error of ${one.relativeError.toFixed(2)}`;
  });
  return sheet({
    title: 'How much smaller, for what error',
    description: `The size of the data over the size of the compressed file, against the relative error, for 80, 90, 95 and 99 percent of the variance and three ways of rounding the scores. At 95 percent, with one step for all: ${described.join('; ')}.`,
    height: HEADLINE + 56 + HEIGHT,
    parts: [
      legend(16, HEADLINE + 14, [
        ['uniform', COLOURS.uniform],
        ['int8', COLOURS.int8],
        ['float16', COLOURS.float16],
        ['float16 and int8 of the data', RED],
      ]),
      ...sets.map(({ title }, i) =>
        text((i * WIDTH) / 2 + 16, HEADLINE + 44, title.split(',').slice(0, 1).join(), { weight: 600 }),
      ),
      ...panels.map((svg, i) => ({ x: (i * WIDTH) / 2, y: HEADLINE + 56, svg })),
    ],
  });
}
