import type { FloatType } from './data.js';
import type { Environment } from './environment.js';
import { eventLoopTable } from './event-loop-report.js';
import { filesTable } from './files-report.js';
import { count, megabytes, milliseconds, percent, scientific, table, times } from './format.js';
import { labTable } from './lab-report.js';
import { regretTable } from './plan-report.js';
import {
  type EventLoopResult,
  type FilesResult,
  type GrowthResult,
  type KernelResult,
  type LabResult,
  type LearningResult,
  type Measurement,
  type RegretResult,
  type ResamplingResult,
  type ScalingResult,
  type StreamingResult,
  saved,
  type WorkloadResult,
} from './results.js';
import { bestOf, judge, regrets } from './targets.js';
import { KERNEL, LEARNING, REGRET, RESAMPLING, STREAMING, type Workload, workloads } from './workloads.js';

/** docs/benchmarks.md, from the latest result of every workload; undefined when there is none. */
export function report(quick: boolean): string | undefined {
  const measured = workloads.flatMap((workload) => {
    const result = saved<WorkloadResult>(workload.name, quick);
    return result ? [{ workload, result }] : [];
  });
  const growth = saved<GrowthResult>('growth', quick);
  const kernels = saved<KernelResult>('kernels', quick);
  const scaling = saved<ScalingResult>('scaling', quick);
  const regret = saved<RegretResult>('regret', quick);
  const eventLoop = saved<EventLoopResult>('event-loop', quick);
  const streaming = saved<StreamingResult>('streaming', quick);
  const learning = saved<LearningResult>('learning', quick);
  const resampling = saved<ResamplingResult>('resampling', quick);
  const files = saved<FilesResult>('files', quick);
  const lab = saved<LabResult>('lab', quick);
  const environments = [
    ...measured.map(({ result }) => result.environment),
    ...[growth, kernels, scaling, regret, eventLoop, streaming, learning, resampling, files, lab].flatMap(
      (r) => r?.environment ?? [],
    ),
  ];
  const latest = environments.reduce<Environment | undefined>((a, b) => (a && a.date >= b.date ? a : b), undefined);
  if (!latest) return undefined;
  const missing = workloads.filter((workload) => !measured.some((one) => one.workload === workload));
  const { python, ...alone } = latest;
  // What has no peer says nothing about scikit-learn.
  const differs = (environment: Environment): string[] =>
    describe(environment) === describe(environment.python && python ? latest : alone)
      ? []
      : ['', `Measured apart: ${describe(environment)}.`];
  return [
    '# Benchmarks',
    '',
    ...(quick ? ['**A quick run, to see that everything works: one round each. These are not results.**', ''] : []),
    'Made by `npm run bench` ([bench/README.md](../bench/README.md)). In each workload everybody fits the same data for the same',
    'k with the same number of threads in one run, taking turns. Times are of the fit alone: medians and the middle half of the runs.',
    '',
    `${describe(latest)}.`,
    '',
    'Spark ML and dask-ml are compared [on another page](scale.md#beside-spark-ml-and-dask-ml), by `npm run bench -- cluster`.',
    '',
    ...(missing.length > 0 ? [`Not measured yet: ${missing.map(({ name }) => name).join(', ')}.`, ''] : []),
    ...skippedLines([
      ...measured.map(({ result }) => result),
      growth,
      kernels,
      streaming,
      learning,
      resampling,
      files,
      lab,
    ]),
    '## Targets',
    '',
    ...targetTable(measured),
    '',
    'The best of a peer is its fastest solver that is as accurate as scree promises to be: variances within 1e-10 of λ₁ and the',
    'subspace within 1e-10/gap (1e-6 for float32 data), where gap is (λ_k − λ_{k+1})/λ₁. Ours must be within the same bounds.',
    '',
    '## Workloads',
    '',
    '"×" is the time of scikit-learn’s best over this time. "Of syrk" is the time of OpenBLAS forming the smaller of XᵀX and XXᵀ,',
    'and nothing else, over this time: a bound for solvers that form it, which others may pass. "Variances" is the largest',
    'error of a variance as a share of λ₁, "subspace" the largest principal angle to the accurate answer in radians. "Memory" is',
    'how far a fit raises the peak of its process above the loaded data. Contenders that were far slower in their first run ran only once.',
    ...measured.flatMap(({ workload, result }) => [...section(workload, result), ...differs(result.environment)]),
    '',
    '## The plan',
    '',
    `The loss of the plan’s choice of solver against the best solver on the same engine. The aim is at most ${percent(REGRET)}. Solvers that`,
    'would cost ten times as much by the plan’s own estimate are not tried.',
    '',
    ...planTable(measured),
    ...(regret ? ['', ...regretTable(regret), ...differs(regret.environment)] : []),
    ...(growth ? ['', '## Growth', '', ...growthTable(growth), ...differs(growth.environment)] : []),
    ...(kernels ? ['', '## Kernels', '', ...kernelTable(kernels), ...differs(kernels.environment)] : []),
    ...(scaling ? ['', '## On more cores', '', ...scalingTable(scaling), ...differs(scaling.environment)] : []),
    ...(eventLoop
      ? ['', '## The event loop', '', ...eventLoopTable(eventLoop), ...differs(eventLoop.environment)]
      : []),
    ...(streaming ? ['', '## Streaming', '', ...streamingTable(streaming), ...differs(streaming.environment)] : []),
    ...(learning ? ['', '## Learning', '', ...learningTable(learning), ...differs(learning.environment)] : []),
    ...(resampling
      ? ['', '## Bootstrap and permutation', '', ...resamplingTable(resampling), ...differs(resampling.environment)]
      : []),
    ...(files ? ['', '## Files', '', ...filesTable(files), ...differs(files.environment)] : []),
    ...(lab ? ['', '## Lab', '', ...labTable(lab), ...differs(lab.environment)] : []),
    '',
  ].join('\n');
}

interface Measured {
  readonly workload: Workload;
  readonly result: WorkloadResult;
}

function describe({ date, machine, cores, threads, node, scree, mlPca, druidjs, python }: Environment): string {
  const peers = python
    ? `scikit-learn ${python['scikit-learn']}, NumPy ${python.numpy}, SciPy ${python.scipy}, ${python.blas}, Python ${python.python}`
    : 'no scikit-learn';
  return `${date} · ${machine}, ${cores} cores, ${threads} threads · Node ${node} · scree ${scree} · ${peers} · ml-pca ${mlPca} · druidjs ${druidjs}`;
}

function skippedLines(results: readonly ({ readonly skipped: readonly string[] } | undefined)[]): string[] {
  const all = new Set(results.flatMap((result) => result?.skipped ?? []));
  return all.size === 0 ? [] : ['Left out:', '', ...[...all].map((why) => `- ${why}`), ''];
}

function targetTable(measured: readonly Measured[]): string[] {
  const verdicts = measured.flatMap(({ workload, result }) => judge(workload, result));
  return table(
    ['workload', 'contender', 'target', 'measured', '', 'remark'],
    verdicts.map(({ workload, contender, target, measured, verdict, remark }) => [
      workload,
      contender,
      target,
      measured,
      verdict === 'met' ? 'met' : `**${verdict}**`,
      remark,
    ]),
  );
}

function section(workload: Workload, { measurements, gap, truth, start, environment }: WorkloadResult): string[] {
  const { name, what, rows, cols, type, k } = workload;
  const best = bestOf(
    measurements.filter(({ group }) => group === 'scikit-learn'),
    workload,
    gap,
  );
  const ceiling = measurements.find(({ group }) => group === 'ceiling');
  const shown = measurements.filter(({ group }) => group !== 'solver');
  const over = (other: Measurement | undefined, { time }: Measurement, show: (ratio: number) => string): string =>
    other ? show(other.time.median / time.median) : '';
  return [
    '',
    `### ${name}`,
    '',
    `${count(rows)} × ${count(cols)}, ${type}, k = ${k}: ${what}. Accurate answer: ${truth}; gap ${gap.toExponential(1)}. ${environment.date}.`,
    '',
    ...table(
      ['contender', 'solver', 'median', 'middle half', 'runs', '×', 'of syrk', 'variances', 'subspace', 'memory'],
      shown.map((one) => [
        one === best ? `**${one.name}** (its best)` : one.name,
        one.solver ?? '',
        milliseconds(one.time.median) + (one.note ? ' *' : ''),
        one.time.runs > 1 ? `${milliseconds(one.time.low)} – ${milliseconds(one.time.high)}` : '',
        `${one.time.runs}`,
        over(best, one, times),
        over(ceiling, one, percent),
        scientific(one.errors.variance),
        scientific(one.errors.angle),
        one.memory === undefined ? '' : megabytes(one.memory),
      ]),
    ),
    ...shown.flatMap(({ name, note }) => (note ? ['', `\\* ${name}: ${note}.`] : [])),
    ...(start
      ? [
          '',
          `From \`import('@scree/core')\` to the first model in a fresh process: ${milliseconds(start.median)} (${milliseconds(start.low)} – ${milliseconds(start.high)}, ${start.runs} processes).`,
        ]
      : []),
  ];
}

function planTable(measured: readonly Measured[]): string[] {
  return table(
    ['workload', 'engine', 'chosen', 'other solvers', 'loss', ''],
    measured.flatMap(({ workload, result }) =>
      regrets(result).map(({ engine, chosen, others, loss, met }) => [
        workload.name,
        engine,
        `${chosen} ${milliseconds(result.measurements.find(({ name }) => name === `scree/${engine}`)!.time.median)}`,
        others.map(({ solver, time }) => `${solver} ${milliseconds(time.median)}`).join(', ') || 'none worth trying',
        percent(loss),
        met ? 'met' : '**missed**',
      ]),
    ),
  );
}

function growthTable({ curves }: GrowthResult): string[] {
  return [
    'Time grows like size to this power, by least squares in logarithms over the medians shown; float64, variances like 1/j. The',
    'solver is named when it changes.',
    '',
    ...table(
      ['contender', 'varied', 'power', 'fixed', 'medians'],
      curves.map(({ contender, varied, exponent, fixed, points }) => [
        contender,
        varied,
        exponent.toFixed(2),
        fixed,
        points
          .map(({ size, milliseconds: time, solver }, i) =>
            [`${count(size)}: ${milliseconds(time)}`, solver !== points[i - 1]?.solver ? ` (${solver})` : ''].join(''),
          )
          .join(', '),
      ]),
    ),
  ];
}

/**
 * Milliseconds on 16 cores of an Intel server, by scaling.ts: one thread, 16, and 16 with data on a `SharedArrayBuffer`; blas on 16; NumPy's covariance and
 * eigenvectors in the same run; version 0.1.0 on 16, on another machine of that kind.
 */
interface OnSixteen {
  readonly one: number;
  readonly all: number;
  readonly shared: number;
  readonly blas: number;
  readonly before: number;
  readonly numpy?: number;
}

const ON_SIXTEEN: Readonly<Record<string, OnSixteen>> = {
  mnist: { one: 859, all: 150, shared: 152, blas: 449, before: 262, numpy: 201 },
  tall: { one: 1010, all: 196, shared: 162, blas: 468, before: 199, numpy: 449 },
  embeddings: { one: 12_000, all: 1440, shared: 1380, blas: 2750, before: 2050, numpy: 579 },
  wide: { one: 2220, all: 447, shared: 481, blas: 1070, before: 1151 },
  square: { one: 1420, all: 369, shared: 356, blas: 652, before: 829 },
};
/** The aims for mnist and embeddings: speed-up on 16 cores, and share of the time in which one thread works alone. */
const SIXTEEN_TIMES = 8;
const ALONE = 0.03;

/** The share of a workload's time on one thread in which, of two, only one works. */
function shareAlone(phases: ScalingResult['phases'], name: string): number {
  const own = phases.filter(({ workload }) => workload === name);
  const sum = (part: 'one' | 'alone'): number => own.reduce((total, each) => total + each[part], 0);
  return sum('alone') / sum('one');
}

function scalingTable({ phases }: ScalingResult): string[] {
  const workloads = [...new Set(phases.map(({ workload }) => workload))];
  const line = (workload: string, phase: string, one: number, alone: number): string[] => [
    ...[workload, phase, milliseconds(one), percent(alone / one)],
    ...[4, 8, 16, 32].map((threads) => milliseconds(alone + (one - alone) / threads)),
  ];
  return [
    'The wasm engine. "One alone" is the share of the time on one thread in which, of two threads, only one works, by the workers’ own clocks. From it follow',
    'the times on more cores, t(T) = alone + (t(1) − alone)/T: a bound, because cores also share memory.',
    '',
    ...table(
      ['workload', 'phase', '1 thread', 'one alone', '4 cores', '8', '16', '32'],
      workloads.flatMap((workload) => {
        const own = phases.filter((each) => each.workload === workload);
        const sum = (part: 'one' | 'alone'): number => own.reduce((total, each) => total + each[part], 0);
        return [
          line(`**${workload}**`, '', sum('one'), sum('alone')),
          ...own.filter(({ one }) => one >= 1).map(({ phase, one, alone }) => line('', phase, one, alone)),
        ];
      }),
    ),
    '',
    `The aim for the time of one thread alone is ${percent(ALONE)}: ${['mnist', 'embeddings'].map((name) => `${name} ${percent(shareAlone(phases, name))}, ${shareAlone(phases, name) <= ALONE ? 'met' : '**missed**'}`).join('; ')}.`,
    '',
    `Measured on 16 cores of an Intel server, by \`scaling.js\` on data of the same shapes; machines of that kind differ by a third from day to day. The aim was ${SIXTEEN_TIMES}× for mnist and embeddings.`,
    'One thread copies rows into WebAssembly memory unless they are on a `SharedArrayBuffer`; of mnist, whose zeros leave little to multiply, the eigenvectors take 50 of the 150 ms, most of it one thread alone. From one thread to 16,',
    'the covariance of mnist (float64) becomes 7.5 times as fast and that of embeddings (float32) 9.5 times; the aim was 10. The blas engine packs rows on one thread, which is what it waits for on 16 cores; `auto` takes wasm there.',
    '',
    ...table(
      ['workload', '1 thread', '16 threads', 'speed-up', 'data shared', 'blas, 16', 'NumPy, 16', 'version 0.1.0'],
      Object.entries(ON_SIXTEEN).map(([workload, { one, all, shared, blas, before, numpy }]) => [
        ...[workload, milliseconds(one), milliseconds(all), times(one / all), milliseconds(shared)],
        ...[milliseconds(blas), numpy ? milliseconds(numpy) : '', milliseconds(before)],
      ]),
    ),
  ];
}

function kernelTable({ kernels }: KernelResult): string[] {
  const ours = (type: FloatType, threads: number): number | undefined =>
    kernels.find((kernel) => kernel.name.startsWith('scree') && kernel.type === type && kernel.threads === threads)
      ?.gflops;
  const verdicts = (['float64', 'float32'] as const).flatMap((type) => {
    const [one, two] = [ours(type, 1), ours(type, 2)];
    if (one === undefined || two === undefined) return [];
    const word = (met: boolean): string => (met ? 'met' : '**missed**');
    return [
      `- ${type}: ${one.toFixed(1)} GFLOP/s on one thread, the aim is ${KERNEL[type]}: ${word(one >= KERNEL[type])}; ${(two / one).toFixed(2)} times as much on two, the aim is ${KERNEL.twice}: ${word(two / one >= KERNEL.twice)}.`,
    ];
  });
  return [
    'S = BᵀB of 20,000 × 512, in GFLOP/s (n·d² operations); ours centres on the way.',
    '',
    ...table(
      ['kernel', 'numbers', 'threads', 'GFLOP/s'],
      kernels.map(({ name, type, threads, gflops }) => [name, type, `${threads}`, gflops.toFixed(1)]),
    ),
    '',
    ...verdicts,
    '',
    'The products of panels alone, from a cache, run at 23.7 and 47 GFLOP/s a thread; what is missing is copying the data in and packing',
    'them, and on two threads that one of them does the copying.',
  ];
}

function streamingTable({ rules }: StreamingResult): string[] {
  const { rows, cols, over } = STREAMING;
  return [
    `A model of ${count(rows)} × ${cols} float64 numbers for k = 10 by one reading, from moments and from a sketch of 30 rows; the last reads`,
    `the rows once more to measure its answer. The aim for sketches is ${over} times the time of moments.`,
    '',
    ...table(
      ['kept', 'median', 'middle half', 'of moments', ''],
      rules.map(({ name, time, ratio }, i) => [
        name,
        milliseconds(time.median),
        time.runs > 1 ? `${milliseconds(time.low)} – ${milliseconds(time.high)}` : '',
        times(ratio),
        i === 0 ? '' : ratio <= over ? 'met' : '**missed**',
      ]),
    ),
  ];
}

function learningTable({ epochs }: LearningResult): string[] {
  const { rows, over, rate } = LEARNING;
  const [passes, points, hebbian] = epochs.map(({ time }) => time.median);
  const seen = (1000 * rows) / hebbian;
  const word = (met: boolean): string => (met ? 'met' : '**missed**');
  return [
    `An epoch on ${count(rows)} × 784 digits in float64, on wasm; points with k = 2, the others with k = 10.\nBatches of hebbian learning are of 256 rows where nothing else is said; one pass is all there is of it, from the first row to the model.`,
    '',
    ...table(
      ['epoch', 'median', 'middle half', 'rows a second'],
      epochs.map(({ name, time }) => [
        name,
        milliseconds(time.median),
        time.runs > 1 ? `${milliseconds(time.low)} – ${milliseconds(time.high)}` : '',
        count(Math.round((1000 * rows) / time.median)),
      ]),
    ),
    '',
    `- An epoch of points takes ${times(points / passes)} of its two passes; the aim is at most ${over}: ${word(points / passes <= over)}.`,
    `- Hebbian learning in batches of 512 sees ${count(Math.round(seen))} rows a second; the aim is ${count(rate)}: ${word(seen >= rate)}.`,
  ];
}

function resamplingTable({ rows }: ResamplingResult): string[] {
  const { over } = RESAMPLING;
  return [
    'Against the loop that people write in NumPy: draw the rows (or permute every column), centre, scale, correlation matrix, eigenvectors.',
    `The aim is ${over} times its speed on the larger tables. scree also computes the angles, swaps and intervals of loadings, which the loop does not.`,
    '',
    ...table(
      ['work', 'scree', 'middle half', 'NumPy', 'times as fast', 'limit'],
      rows.map(({ name, time, loop, target }) => [
        name,
        milliseconds(time.median),
        time.runs > 1 ? `${milliseconds(time.low)} – ${milliseconds(time.high)}` : '',
        loop ? milliseconds(loop.median) : '',
        loop ? times(loop.median / time.median) : '',
        target === undefined ? '' : `${target} s: ${time.median <= 1000 * target ? 'met' : '**missed**'}`,
      ]),
    ),
  ];
}
