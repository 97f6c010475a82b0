import { execFileSync, spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as scree from 'scree';
import { readArguments } from './arguments.js';
import { fillPage } from './fill-page.js';
import { count, table } from './format.js';
import { random } from './random.js';
import { save, saved } from './results.js';
import {
  type Check,
  type Cost,
  crossing,
  krylovCost,
  momentsCost,
  type PythonRates,
  type Rates,
  type ScaleResult,
  type ScreeRates,
  type Setting,
  sketchCost,
  type Used,
} from './scale-model.js';
import { simulate } from './scale-simulation.js';
import { python, setUp } from './setup.js';
import { temporaryFolder } from './temporary.js';

/**
 * Measures what one core does, simulates clusters of such cores, compares the simulation with `scree moments` on 1, 2 and 4 partitions, and writes
 * the tables of docs/scale.md. Rates are per CPU second, so that other work on the machine changes them little.
 */

const program = fileURLToPath(new URL('../../packages/scree/dist/bin/scree.js', import.meta.url));
const K = 20;
/** A cluster as data centres have it: 10 Gbit/s per executor, tasks of unequal length, and a straggler among a hundred. */
const CLUSTER = { bandwidth: 1.25e9, dispatch: 0.01, spread: 0.1, stragglers: { share: 0.01, factor: 3 } } as const;
/** Bytes per second that reach one core: 25 Gbit/s from storage, shared by the 16 cores of a machine. */
const STORAGE = 2e8;
const CHECK = { rows: 100_000, cols: 200 } as const;

const folder = temporaryFolder();
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Units per CPU second: the median of three, after one that is not counted. */
async function rate(units: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  const used: number[] = [];
  for (let i = 0; i < 3; i++) {
    const start = cpuSeconds();
    await work();
    used.push(cpuSeconds() - start);
  }
  return units / median(used);
}

function matrix(rows: number, cols: number, seed = 1): { rows: number; cols: number; data: Float64Array } {
  const { normal } = random(seed);
  return { rows, cols, data: Float64Array.from({ length: rows * cols }, normal) };
}

async function writeParquet(name: string, rows: number, cols: number, seed = 1): Promise<string> {
  const path = `${folder}/${name}.parquet`;
  const writer = await scree.createFile(path, { cols });
  await writer.write(matrix(rows, cols, seed));
  await writer.close();
  return path;
}

async function screeRates(parquet: string): Promise<ScreeRates> {
  const engine = await scree.wasmEngine({ threads: 1 });
  if (!engine) throw new Error('there is no WebAssembly here');
  const { rows: n, cols: d, data } = matrix(8192, 1000);
  const frame = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  const block = await engine.load({ kind: 'dense', rows: n, cols: d, stride: d, data });
  const vectors = matrix(30, d).data;
  const gram = await rate(n * d * d, async () => block.gram(frame, new Float64Array(d * d), () => {}));
  const normal = await rate(4 * n * d * 30, async () =>
    block.normal(frame, vectors, 30, new Float64Array(30 * d), () => {}),
  );
  block.release();
  const decode = await rate(CHECK.rows * CHECK.cols, async () => {
    const file = await scree.openFile(parquet);
    for await (const _ of file.source.blocks());
    await file.close();
  });
  const part = matrix(20_000, CHECK.cols);
  const summarize = await rate(part.rows, () => scree.summarize(part, { engine, threads: 1 }));
  const summaries = await Promise.all(
    [1, 2, 3, 4].map(async (i) =>
      (await scree.summarize(matrix(50 + i, CHECK.cols), { engine, threads: 1 })).toBinary(),
    ),
  );
  const merge = await rate(4, async () =>
    scree.TableSummary.merge(await Promise.all(summaries.map((bytes) => scree.TableSummary.fromBinary(bytes)))),
  );
  return { decode, gram, normal, summarize, merge, loopback: await rate(1 << 29, () => throughLoopback(1 << 29)) };
}

/** Sends bytes to a server in this process. */
function throughLoopback(bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let got = 0;
    const server = createServer((socket) => {
      socket.on('data', (chunk) => {
        got += chunk.length;
        if (got === bytes) server.close(() => resolve());
      });
      socket.on('end', () => socket.end());
    });
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
      const chunk = Buffer.alloc(1 << 20);
      let left = bytes;
      const send = (): void => {
        while (left > 0) {
          left -= chunk.length;
          if (!socket.write(chunk)) return;
        }
        socket.end();
      };
      socket.on('error', reject).on('connect', send).on('drain', send);
    });
  });
}

/** CPU seconds and elapsed seconds of a line of the shell, with all processes that it starts. */
function measured(line: string): Used {
  const { status, stderr } = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S %R'; time { ${line}; }`], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, SCREE: program },
  });
  if (status !== 0) throw new Error(`${line} failed: ${stderr}`);
  const [user, system, elapsed] = (stderr.trim().split('\n').pop() as string).split(' ').map(Number);
  return { cpu: user + system, elapsed };
}

const moments = (name: string): string =>
  `node "$SCREE" moments ${name}.parquet -q --threads 1 --engine wasm -o ${name}.moments`;

/** The same table in 1, 2 and 4 files: what the model predicts, and what `xargs -P 2` takes. */
async function check(rates: ScreeRates): Promise<Check[]> {
  for (const [i, name] of ['small', 'other'].entries()) await writeParquet(name, 5, CHECK.cols, i);
  const starts = [1, 2, 3].map(() => measured(moments('small')).cpu);
  measured(moments('other'));
  const start = median(starts);
  const startMerge = median(
    [1, 2, 3].map(() => measured('node "$SCREE" merge small.moments other.moments -q -o two.moments').cpu),
  );
  const checks: Check[] = [];
  for (const parts of [1, 2, 4]) {
    const rows = CHECK.rows / parts;
    const names = Array.from({ length: parts }, (_, i) => `part-${parts}-${i}`);
    for (const [i, name] of names.entries()) await writeParquet(name, rows, CHECK.cols, i);
    const task = start + (rows * CHECK.cols) / rates.decode + rows / rates.summarize;
    const merging = parts === 1 ? 0 : startMerge + (parts - 2) / rates.merge;
    const cluster = {
      executors: 2,
      bandwidth: Number.POSITIVE_INFINITY,
      dispatch: 0,
      spread: 0,
      stragglers: { share: 0, factor: 1 },
    };
    const job = { tasks: parts, taskSeconds: task, resultBytes: 0, addSeconds: 0 };
    const { seconds } = simulate(job, cluster, 'driver', 1);
    const parted = measured(`printf '%s\\n' ${names.join(' ')} | xargs -P 2 -I{} ${moments('{}')}`);
    const list = names.map((name) => `${name}.moments`).join(' ');
    const merged = parts === 1 ? undefined : measured(`node "$SCREE" merge ${list} -q -o all-${parts}.moments`);
    checks.push({
      parts,
      predicted: { parts: parts * task, merge: merging, elapsed: seconds + merging },
      parted,
      merged,
    });
  }
  return checks;
}

const si = (value: number, unit: string): string => {
  const steps = [
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const;
  const [size, letter] = steps.find(([least]) => value >= least) ?? [1, ''];
  return `${Number((value / size).toPrecision(3))} ${letter}${unit}`;
};
const duration = (seconds: number): string =>
  seconds < 0.01
    ? '< 0.01 s'
    : seconds < 120
      ? `${Number(seconds.toPrecision(2))} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : seconds < 172_800
          ? `${Number((seconds / 3600).toPrecision(2))} h`
          : `${Math.round(seconds / 86_400)} d`;

function sections({ conditions, python, scree: own, checks }: ScaleResult): Record<string, string[]> {
  const rates: Rates = { ...python, decode: Math.min(python.decode, STORAGE / 8) };
  const wide: Rates = { ...rates, normal: python.normalWide };
  const ownRates: Rates = { ...rates, ...own, decode: Math.min(own.decode, STORAGE / 8) };
  const at = (executors: number, rates: Rates, merge: Setting['merge'] = 'tree'): Setting => ({
    ...CLUSTER,
    executors,
    rates,
    merge,
    waves: 4,
    seeds: 9,
  });
  const sizes = [10, 100, 1000];
  const row = (name: string, costs: readonly Cost[]): string[] => [
    name,
    String(costs[0].passes),
    si(costs[0].read, 'B'),
    si(costs[0].operations, ''),
    si(costs[0].sumBytes, 'B'),
    si(costs[2].moved, 'B'),
    `${count(Math.round(costs[0].coreSeconds / 3600))} h`,
    ...costs.map(({ seconds }) => duration(seconds)),
  ];
  const heads = [
    'method',
    'passes',
    'decoded',
    'operations',
    'one sum',
    'moved, 1,000 executors',
    'of one core',
    ...sizes.map((each) => `${count(each)} executors`),
  ];
  const [tall, broad] = [
    { n: 1e9, d: 1000 },
    { n: 1e8, d: 100_000 },
  ];
  return {
    rates: table(
      ['one core, per CPU second', 'NumPy and pyarrow', 'scree (WebAssembly, DuckDB)'],
      [
        ['numbers of a Parquet file decoded', si(python.decode, ''), si(own.decode, '')],
        ['`gram`, n·d² products, d = 1,000', si(python.gram, ''), si(own.gram, '')],
        ['`normal`, 4·n·d·30 operations, d = 1,000', si(python.normal, ''), si(own.normal, '')],
        ['`normal`, 4·n·d·30 operations, d = 20,000', si(python.normalWide, ''), ''],
        ['numbers of two sums added', si(python.add, ''), ''],
        [`rows of ${CHECK.cols} columns summed up by \`scree moments\``, '', si(own.summarize, '')],
        ['bytes through TCP on the same machine, both ends', '', si(own.loopback, 'B')],
      ],
    ),
    tall: table(heads, [
      row(
        'moments',
        sizes.map((each) => momentsCost(tall, at(each, rates))),
      ),
      row(
        'moments by `scree moments`',
        sizes.map((each) => momentsCost(tall, at(each, ownRates))),
      ),
      row(
        `Krylov, k = ${K}, decoded in every pass`,
        sizes.map((each) => krylovCost(tall, K, false, at(each, rates))),
      ),
      row(
        `Krylov, k = ${K}, rows in memory`,
        sizes.map((each) => krylovCost(tall, K, true, at(each, rates))),
      ),
    ]),
    broad: table(heads, [
      row(
        'moments',
        sizes.map((each) => momentsCost(broad, at(each, rates))),
      ),
      row(
        `Krylov, k = ${K}, decoded in every pass`,
        sizes.map((each) => krylovCost(broad, K, false, at(each, wide))),
      ),
      row(
        `Krylov, k = ${K}, rows in memory`,
        sizes.map((each) => krylovCost(broad, K, true, at(each, wide))),
      ),
      row(
        `sketch, k = ${K}`,
        sizes.map((each) => sketchCost(broad, K, at(each, wide))),
      ),
    ]),
    merges: table(
      ['columns', 'one sum', ...sizes.flatMap((each) => [`${count(each)} executors: driver`, 'combine', 'tree'])],
      [100, 1000, 5000, 16_384].map((d) => {
        const ends = sizes.flatMap((each) =>
          (['driver', 'combine', 'tree'] as const).map((merge) => {
            const job = { tasks: 4 * each, taskSeconds: 60, resultBytes: 8 * d * d, addSeconds: (d * d) / rates.add };
            const { seconds, computed } = simulate(job, { ...CLUSTER, executors: each }, merge, 1);
            return duration(seconds - computed);
          }),
        );
        return [count(d), si(8 * d * d, 'B'), ...ends];
      }),
    ),
    crossing: table(
      ['components', 'decoded in every pass', 'rows in memory'],
      [5, 20, 100].map((k) => [
        String(k),
        ...[false, true].map((cached) => `${count(Number(crossing(wide, k, cached).toPrecision(2)))} columns`),
      ]),
    ),
    check: table(
      [
        'partitions',
        'CPU of all parts: predicted',
        'measured',
        'CPU of the merge: predicted',
        'measured',
        'elapsed on two free cores: predicted',
        'measured here',
      ],
      checks.map(({ parts, predicted, parted, merged }) => [
        String(parts),
        `${predicted.parts.toFixed(2)} s`,
        `${parted.cpu.toFixed(2)} s`,
        merged ? `${predicted.merge.toFixed(2)} s` : '',
        merged ? `${merged.cpu.toFixed(2)} s` : '',
        `${predicted.elapsed.toFixed(2)} s`,
        `${(parted.elapsed + (merged?.elapsed ?? 0)).toFixed(2)} s`,
      ]),
    ),
    conditions: [
      `${conditions} The simulation: ${si(STORAGE, 'B')}/s from storage and 10 Gbit/s to other machines per executor, ${CLUSTER.dispatch * 1000} ms between tasks, times of tasks with a standard deviation of ${100 * CLUSTER.spread} %, one straggler in a hundred that takes three times as long, four partitions per executor, the median of nine runs.`,
    ],
  };
}

async function measureAll(): Promise<ScaleResult> {
  const problem = setUp();
  if (problem) throw new Error(problem);
  const parquet = await writeParquet('rates', CHECK.rows, CHECK.cols);
  const script = fileURLToPath(new URL('../scale_rates.py', import.meta.url));
  const rates = JSON.parse(execFileSync(python, [script, parquet], { encoding: 'utf8' })) as PythonRates;
  const own = await screeRates(parquet);
  const checks = await check(own);
  const conditions = `Measured on ${new Date().toISOString().slice(0, 10)} on ${cpus()[0].model.trim()}, ${cpus().length} cores, with a load average of ${loadavg()[0].toFixed(1)}; Node ${process.version}, ${rates.versions}.`;
  return { conditions, python: rates, scree: own, checks };
}

const { quick, reportOnly } = readArguments(process.argv.slice(2));
const known = reportOnly ? saved<ScaleResult>('scale', quick) : undefined;
const result = known ?? (await measureAll());
save('scale', result, quick);
fillPage(sections(result), quick);
