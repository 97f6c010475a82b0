import { formatNumber } from '@scree/analysis/describe';
import { isNarrow } from '../../charts/use-width.js';
import { small } from '../shared/format.js';
import { Formula, Live, num, op, Piece, row, sub, sup, word } from '../shared/formula.js';
import { LineChart } from '../shared/line-chart.js';
import { FOUND, type Runner } from './lanes.js';

/** A lane, and the index of its epoch that is shown. */
export interface Shown {
  readonly runner: Runner;
  readonly at: number;
}

/** The exact solution, for comparison. */
export interface ExactSolve {
  readonly milliseconds: number;
  /** Angle to the singular value decomposition; to the nearest subspace if several are equally good. */
  readonly angle: number;
}

/** The smallest angle on the axis, a little below the angle at which the race ends. */
const LEAST = FOUND / 10;

interface ChartProps {
  readonly lanes: readonly Shown[];
  readonly byTime: boolean;
  readonly rounds: number;
  readonly exact: ExactSolve | undefined;
}

/** The angle of every lane against epochs or milliseconds. */
export function RaceChart({ lanes, byTime, rounds, exact }: ChartProps) {
  const longest = lanes.reduce((most, { runner }) => Math.max(most, runner.milliseconds.at(-1) ?? 0), 1);
  const timeLabel = isNarrow.value ? 'ms (line: exact)' : 'milliseconds of computing (the line: the exact solve)';
  return (
    <LineChart
      series={lanes.map(({ runner, at }, i) => ({
        name: runner.lane.name,
        class: `row-${i % 6}`,
        points: runner.angles
          .slice(0, at + 1)
          .map((angle, j) => [byTime ? runner.milliseconds[j] : runner.epochs[j], angle] as const),
      }))}
      x={byTime ? [0.1, Math.max(10, longest)] : [0, Math.max(40, rounds)]}
      y={[LEAST, 2]}
      logX={byTime}
      logY
      {...(byTime && exact ? { now: exact.milliseconds } : {})}
      xLabel={byTime ? timeLabel : 'epochs'}
      yLabel="angle to the exact subspace, rad"
      room={142}
      height={isNarrow.value ? 320 : 400}
      label={`Angles to the exact subspace. ${lanes.map(({ runner, at }) => `${runner.lane.name}: ${small(runner.angles[at] ?? 0)} rad`).join('; ')}.`}
    />
  );
}

/** Epochs, milliseconds and angle of every lane. */
export function Standings({ lanes, exact }: Pick<ChartProps, 'lanes' | 'exact'>) {
  return (
    <div class="panel">
      <h2>Where they are</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">rule</th>
            <th scope="col">epochs</th>
            <th scope="col">ms</th>
            <th scope="col">angle, rad</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">exact (covariance)</th>
            <td>–</td>
            <td>{exact ? formatNumber(Number(exact.milliseconds.toFixed(1))) : '…'}</td>
            <td>{exact ? (exact.angle < 1e-16 ? '< 10⁻¹⁶' : small(exact.angle)) : '…'}</td>
          </tr>
          {lanes.map(({ runner, at }, i) => (
            <tr key={runner.lane.id} data-lane={runner.lane.id} data-end={runner.end ?? 'running'}>
              <th scope="row">
                <span class={`swatch row-${i % 6}`} /> {runner.lane.name}
                {runner.angles[at] < FOUND ? ' ✓' : ''}
              </th>
              <td>{runner.epochs[at] ?? 0}</td>
              <td>{(runner.milliseconds[at] ?? 0).toFixed(1)}</td>
              <td>{small(runner.angles[at] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The formula of the angle, and its value for the last lane. */
export function Measure({ worst }: { worst: number }) {
  return (
    <div class="panel">
      <h2>What is measured</h2>
      <Formula>
        <Piece>
          {row(sub('θ', <mtext>max</mtext>), op('='), word('arccos'), sub('σ', <mtext>min</mtext>))}
          {row(op('('), sub('Q', <mtext>exact</mtext>), sup(<mi>Q</mi>, <mi mathvariant="normal">T</mi>), op(')'))}
        </Piece>
        <Piece>
          <mtext>the last rule</mtext>
          {op(':')}
          <Live value={small(worst)} of="net" />
          <mspace width="0.3em" />
          <mtext>rad</mtext>
        </Piece>
        <Piece>
          {word('found below')}
          {sup(num(10), row(op('−'), num(5)))}
        </Piece>
      </Formula>
      <p class="hint">
        Milliseconds measure computing only. An epoch that takes more than ten times the average was interrupted, and
        counts as ten times the average.
      </p>
    </div>
  );
}
