import { barOf, excess } from './accuracy.js';
import { milliseconds, times } from './format.js';
import type { Measurement, WorkloadResult } from './results.js';
import { OVERHEAD, REGRET, SYRK, type Workload } from './workloads.js';

/** What was promised beside what was measured. */
export interface Verdict {
  readonly workload: string;
  readonly contender: string;
  readonly target: string;
  readonly measured: string;
  readonly verdict: 'met' | 'missed' | 'not measured';
  readonly remark: string;
}

/** How many times as far off the nearest may be where no contender is as accurate as the bar. */
const NEAREST = 10;

/**
 * The fastest whose answer is as accurate as scree promises to be. Where none is, the fastest of those nearest to it:
 * a comparison that is not to our advantage.
 */
export function bestOf(rivals: readonly Measurement[], workload: Workload, gap: number): Measurement | undefined {
  const bar = barOf(workload.type, gap);
  const nearest = Math.min(...rivals.map(({ errors }) => excess(errors, bar)));
  const limit = Math.max(1, NEAREST * (nearest > 1 ? nearest : 0));
  return fastest(rivals.filter(({ errors }) => excess(errors, bar) <= limit));
}

export function fastest(measurements: readonly Measurement[]): Measurement | undefined {
  return [...measurements].sort((a, b) => a.time.median - b.time.median)[0];
}

export function judge(workload: Workload, result: WorkloadResult): Verdict[] {
  const { measurements, gap } = result;
  const bar = barOf(workload.type, gap);
  const verdicts = workload.targets.map(({ engine, against, ratio, why }): Verdict => {
    const contender = `scree/${engine}`;
    const ours = measurements.find(({ name }) => name === contender);
    const rivals = measurements.filter(({ name }) => name.startsWith(against));
    const best = bestOf(rivals, workload, gap);
    const target = `≥ ${ratio}× ${against}’s best`;
    if (!(ours && best)) {
      const missing = ours ? against : contender;
      return { ...{ workload: workload.name, contender, target }, ...notMeasured(`${missing} did not run`) };
    }
    const measured = best.time.median / ours.time.median;
    const accurate = excess(ours.errors, bar) <= 1;
    const quickest = fastest(rivals) as Measurement;
    const remarks = [`its best is ${best.solver ?? best.name.slice(against.length + 1)}`];
    if (excess(best.errors, bar) > 1) remarks.push('none of its solvers is as accurate as ours');
    if (!accurate) remarks.push('OUR ANSWER IS NOT AS ACCURATE AS PROMISED');
    if (quickest !== best) {
      const name = quickest.solver ?? quickest.name.slice(against.length + 1);
      remarks.push(
        `${times(quickest.time.median / ours.time.median)} against its fastest, ${name}, which is less accurate`,
      );
    }
    const met = accurate && measured >= ratio;
    if (!met && why) remarks.push(why);
    return {
      ...{ workload: workload.name, contender, target, measured: times(measured), remark: remarks.join('; ') },
      verdict: met ? 'met' : 'missed',
    };
  });
  return [...verdicts, ...overSyrk(workload, result), ...(workload.name === OVERHEAD.workload ? overhead(result) : [])];
}

/** On dense data of up to 1000 columns and for up to 50 components blas should take little more than its syrk. */
function overSyrk({ name, rows, cols, type, k }: Workload, { measurements }: WorkloadResult): Verdict[] {
  if (cols > SYRK.cols || k > SYRK.k || rows < SYRK.rows || type !== 'float64') return [];
  const [ours, syrk] = ['scree/blas', 'OpenBLAS syrk'].map((start) =>
    measurements.find((m) => m.name.startsWith(start)),
  );
  if (!(ours && syrk)) return [];
  const over = ours.time.median / syrk.time.median;
  return [
    {
      ...{ workload: name, contender: 'scree/blas', target: `≤ ${SYRK.over}× the time of syrk alone` },
      ...{ measured: times(over), verdict: over <= SYRK.over ? 'met' : 'missed' },
      remark: over <= SYRK.over ? '' : 'packing, centring, the columns’ statistics and the eigenproblem beside it',
    },
  ];
}

function overhead({ measurements, start }: WorkloadResult): Verdict[] {
  const fit = measurements.find(({ name }) => name === 'scree/wasm')?.time.median;
  const limits = [
    {
      target: `≤ ${OVERHEAD.fitMicroseconds} µs a fit, warm`,
      limit: OVERHEAD.fitMicroseconds / 1000,
      measured: fit,
      why: OVERHEAD.why,
    },
    {
      target: `≤ ${OVERHEAD.startMilliseconds} ms from import to first model`,
      limit: OVERHEAD.startMilliseconds,
      measured: start?.median,
      why: '',
    },
  ];
  return limits.map(({ target, limit, measured, why }) => ({
    ...{ workload: OVERHEAD.workload, contender: 'scree/wasm', target },
    ...(measured === undefined
      ? notMeasured('')
      : measured <= limit
        ? { measured: milliseconds(measured), verdict: 'met', remark: '' }
        : { measured: milliseconds(measured), verdict: 'missed', remark: why }),
  }));
}

function notMeasured(remark: string): Pick<Verdict, 'measured' | 'verdict' | 'remark'> {
  return { measured: '', verdict: 'not measured', remark };
}

/** What the plan's choice lost against the best fixed solver on the same engine. */
export interface Regret {
  readonly engine: string;
  readonly chosen: string;
  readonly others: readonly Measurement[];
  readonly loss: number;
  readonly met: boolean;
}

export function regrets({ measurements }: WorkloadResult): Regret[] {
  return measurements
    .filter(({ group }) => group === 'scree')
    .map(({ engine, solver, time }) => {
      const others = measurements.filter((other) => other.group === 'solver' && other.engine === engine);
      const loss = Math.max(0, time.median / Math.min(time.median, ...others.map((o) => o.time.median)) - 1);
      return { engine: engine ?? '', chosen: solver ?? '', others, loss, met: loss <= REGRET };
    });
}
