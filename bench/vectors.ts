import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeVector, loadQueryModel, reduceVectors } from '@scree/analysis/vectors';
import { identityScaler } from '@scree/core/data';
import { pca, wasmEngine } from 'scree';
import { mixture } from './data.js';
import { PythonProcess } from './python-process.js';
import { temporaryFolder } from './temporary.js';

/**
 * Embeddings, 100,000 × 1,536: `reduceVectors` beside the fit alone, brute-force neighbours beside the engine's float32 rate, NumPy and FAISS,
 * and the time of one query. `node bench/dist/vectors.js [rows]`. NumPy and FAISS are used where python3, or SCREE_PYTHON, has them.
 */

const rows = Number(process.argv[2] ?? 100_000);
const [cols, queries, at] = [1536, 1000, 10];
const { data } = mixture({
  rows,
  cols,
  type: 'float32',
  deviation: (j) => Math.sqrt(1 / (j + 1) + 1e-3),
  offset: 0.01,
  unit: true,
});
const matrix = { rows, cols, data: data as Float32Array };
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

const k = cols / 2;
const fit = await seconds(() => pca(matrix, { k }));
print(`fit alone, k = ${k}: ${fit.toFixed(2)} s`);

const phases = new Map<string, number>();
let last: { readonly phase: string; readonly since: number } | undefined;
const onProgress = ({ phase }: { readonly phase: string }): void => {
  const now = performance.now();
  if (last) phases.set(last.phase, (phases.get(last.phase) ?? 0) + (now - last.since) / 1000);
  last = { phase, since: now };
};
let reduced: Awaited<ReturnType<typeof reduceVectors>> | undefined;
const all = await seconds(async () => {
  reduced = await reduceVectors(matrix, { recall: 0.95, queries, at, onProgress });
});
print(`reduceVectors: ${all.toFixed(2)} s, ${(all / fit).toFixed(2)} times the fit (aim: 3)`);
for (const [phase, time] of phases) print(`  ${phase}: ${time.toFixed(2)} s`);
print(String(reduced));

const exact = phases.get('exact neighbours') ?? Number.NaN;
const engine = await wasmEngine();
const part = matrix.data.subarray(0, Math.min(rows, 16_384) * cols);
const block = await (engine?.float32 ?? engine)?.load({
  kind: 'dense',
  rows: part.length / cols,
  cols,
  stride: cols,
  data: part,
});
const scatter = new Float64Array(cols * cols);
await block?.gram(identityScaler(cols), scatter, () => {});
const gram = await seconds(async () => block?.gram(identityScaler(cols), scatter, () => {}));
const rate = ((part.length / cols) * cols * cols) / gram / 1e9;
const own = (2 * rows * queries * cols) / exact / 1e9;
print(
  `exact neighbours: ${own.toFixed(1)} GFLOP/s, ${((100 * own) / rate).toFixed(0)} % of the engine's float32 gram, ${rate.toFixed(1)} (aim: 60 %)`,
);

const small = await reduceVectors(matrix, { k: 256, store: 'int8', queries: 100, write: () => {} });
const model = loadQueryModel(small.queryModel);
const times = Array.from({ length: 3000 }, (_, i) => {
  const vector = matrix.data.subarray((i % rows) * cols, ((i % rows) + 1) * cols);
  const start = performance.now();
  encodeVector(model, vector);
  return 1000 * (performance.now() - start);
}).sort((a, b) => a - b);
print(`encodeVector 1,536 → 256: ${times[1500].toFixed(1)} µs, fastest ${times[0].toFixed(1)} µs (aim: 50)`);

const path = join(temporaryFolder(), 'data.f32');
writeFileSync(path, Buffer.from(matrix.data.buffer, matrix.data.byteOffset, matrix.data.byteLength));
try {
  const peer = new PythonProcess('Python', process.env.SCREE_PYTHON ?? 'python3', 'vectors_peer.py');
  const found = await peer.ask<Record<string, number>>('neighbours', { path, cols, queries, at });
  for (const [name, time] of Object.entries(found)) print(`${name}: ${time.toFixed(2)} s`);
} catch (error) {
  print(`without NumPy and FAISS: ${(error as Error).message}`);
}
process.exit();
