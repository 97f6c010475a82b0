import { availableParallelism } from 'node:os';
import { type Matrix, type NumberArray, type PcaOptions, pca } from 'scree';
import { errorsOf, type Truth } from './accuracy.js';
import type { Contender, Fit } from './contender.js';
import { type Mixture, mixture } from './data.js';
import { count, scientific, table } from './format.js';
import { interleave, spread, trial } from './measure.js';
import { PythonProcess } from './python-process.js';
import { scree } from './scree.js';
import { readComponents } from './sklearn.js';
import { store } from './stored.js';
import { temporaryFolder } from './temporary.js';

/**
 * The table of docs/gpu.md: the webgpu engine beside wasm, blas, the plan's own choice and PyTorch on the same GPU, in one run, taking turns.
 * It runs by itself on a machine with a GPU and the package webgpu: `node bench/dist/gpu.js [row …]`. PyTorch is found where python3 has it;
 * errors are against its covariance in float64, or against the wasm engine's.
 */

interface Case extends Omit<Mixture, 'type' | 'offset'> {
  readonly name: string;
  readonly type: Mixture['type'] | 'uint8';
  readonly k: number;
}

const falling = (j: number): number => (j + 1) ** -0.5;
const overNoise = (j: number): number => Math.sqrt(1 / (j + 1) + 1e-3);
const embeddings = { cols: 1536, type: 'float32', k: 128, deviation: overNoise, unit: true } as const;
const CASES: readonly Case[] = [
  { name: 'embeddings', rows: 100_000, ...embeddings },
  { name: 'mnist', rows: 60_000, cols: 784, type: 'float64', k: 50, deviation: falling },
  { name: 'tall', rows: 1_000_000, cols: 100, type: 'float64', k: 10, deviation: falling },
  { name: 'bytes', rows: 60_000, cols: 784, type: 'uint8', k: 50, deviation: falling },
  { name: 'six-gigabytes', rows: 1_000_000, ...embeddings },
];
/** Contenders that took longer than so many seconds at first run once. */
const ONCE = 3;
const ROUNDS = { least: 5, most: 9, budget: 12 };

const ms = (value: number): string => count(Math.round(value));
const threads = availableParallelism();
const asked = process.argv.slice(2);
const lines: string[][] = [];
for (const one of CASES) {
  if (asked.length === 0 || asked.includes(one.name)) lines.push(await measure(one));
}
const head = ['data', 'k', 'torch', 'webgpu', `wasm, ${threads} threads`, 'blas', '`auto`', 'variances', 'subspace'];
console.log(`\n${process.version}, ${threads} cores; milliseconds: median (fastest–slowest)\n`);
console.log(table(head, lines).join('\n'));
process.exit();

async function measure({ name, k, ...shape }: Case): Promise<string[]> {
  console.error(name);
  const data = make(shape);
  const torch = await startTorch(data, k);
  const engines = ['webgpu', 'wasm', 'blas', 'auto'] as const;
  const contenders = [
    ...(torch ? [torch.contender] : []),
    ...engines.map((engine) => scree(data, k, { name: engine, threads, options: { engine, threads } as PcaOptions })),
  ];
  const entries: { contender: Contender; trial: Fit }[] = [];
  for (const contender of contenders) {
    const first = await trial(contender).catch((error: Error) => error);
    if (first instanceof Error) console.error(`  ${contender.name}: ${first.message}`);
    else entries.push({ contender, trial: first });
  }
  const judged = torch?.truth ?? (await ownTruth(data, k));
  const quick = entries.filter(({ trial: { seconds } }) => seconds < ONCE);
  const samples = await interleave(quick, ROUNDS, (round) => console.error(`  round ${round}`));
  const cell = (name: string): string => {
    const entry = entries.find(({ contender }) => contender.name === name);
    if (!entry) return '';
    const solver = entry.trial.solver ? `, ${entry.trial.solver}` : '';
    const own = samples[quick.indexOf(entry)];
    if (!own) return `${ms(1000 * entry.trial.seconds)} (once)${solver}`;
    return `${ms(spread(own).median)} (${ms(Math.min(...own))}–${ms(Math.max(...own))})${solver}`;
  };
  torch?.close();
  const gpu = entries.find(({ contender }) => contender.name === 'scree/webgpu');
  const errors = gpu ? errorsOf(gpu.trial, judged) : {};
  const { rows, cols, type } = shape;
  const chosen = await pca(data, { k, threads });
  const line = [
    ...[`${count(rows)} × ${count(cols)} ${type}`, `${k}`, cell('torch'), cell('scree/webgpu'), cell('scree/wasm')],
    ...[cell('scree/blas'), `${chosen.plan.engine}, ${cell('scree/auto')}`],
    ...[scientific(errors.variance), scientific(errors.angle)],
  ];
  console.error(`  ${line.join(' | ')}`);
  return line;
}

type Numbers = Matrix<NumberArray>;

function make({ type, ...shape }: Omit<Case, 'name' | 'k'>): Numbers {
  const matrix = mixture({ ...shape, type: type === 'float64' ? type : 'float32', offset: 0.1 });
  if (type !== 'uint8') return matrix;
  return { ...matrix, data: Uint8Array.from(matrix.data, (x) => Math.max(0, Math.min(255, 100 + 200 * x))) };
}

async function ownTruth(data: Numbers, k: number): Promise<Truth> {
  const { variances, components } = await pca(data, { k, engine: 'wasm', solver: 'covariance' });
  return { variances, components, by: 'wasm' };
}

/** PyTorch with the data and its own accurate answer; undefined where it is not there, or cannot read the type. */
async function startTorch(
  data: Numbers,
  k: number,
): Promise<{ readonly contender: Contender; readonly truth: Truth; close(): void } | undefined> {
  if (data.data instanceof Uint8Array) return undefined;
  const folder = temporaryFolder();
  store(folder, data as Matrix);
  const python = new PythonProcess('PyTorch', 'python3', 'torch_peer.py');
  try {
    const { device, torch } = await python.ask<{ device: string; torch: string }>('load', { folder });
    console.error(`  ${device}, PyTorch ${torch}`);
    const { variances } = await python.ask<{ variances: number[] }>('truth', { k });
    const truth = { variances, components: readComponents(folder, k), by: 'PyTorch, float64' };
    const fit = async (repeat: number): Promise<Fit> => {
      const found = await python.ask<{ seconds: number; variances: number[] }>('fit', { k, repeat });
      return { ...found, components: readComponents(folder, k) };
    };
    return { contender: { name: 'torch', group: 'ceiling', fit }, truth, close: () => python.close() };
  } catch (error) {
    console.error(`  no PyTorch: ${(error as Error).message}`);
    python.close();
    return undefined;
  }
}
