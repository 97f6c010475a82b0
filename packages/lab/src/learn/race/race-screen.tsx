import { useSignal } from '@preact/signals';
import { type Matrix, pca, principalAngles } from '@scree/core';
import { show } from '@scree/core/words';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isNarrow } from '../../charts/use-width.js';
import { cloudChoices, useCloud } from '../shared/clouds.js';
import { Choose, Controls } from '../shared/controls.js';
import { angleText, sentences, small } from '../shared/format.js';
import { Formula, Live, num, op, Piece, row, sub, sup, word } from '../shared/formula.js';
import { angleToGoal, determined, type Goal, undetermined } from '../shared/goal.js';
import { LineChart } from '../shared/line-chart.js';
import { usePlayback } from '../shared/playback.js';
import { Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { FOUND, type Round, type Runner, race, raceGoal, wideCloud } from './lanes.js';

const USUAL = { cloud: 'wide', k: '2', time: 'epochs', seed: '1' };
/** The smallest angle on the axis: a little below where the race ends. */
const LEAST = FOUND / 10;

interface Finish {
  readonly milliseconds: number;
  /** To the singular value decomposition; to the nearest of subspaces that are as good. */
  readonly angle: number;
}

/** Every road on the same data: how far from the exact subspace, against epochs or milliseconds. */
export function RaceScreen() {
  const [settings, change] = useSettings(USUAL);
  const cloud = useCloud(settings.cloud, 3);
  const wide = cloud.id !== settings.cloud;
  const points = useMemo(() => (wide ? wideCloud() : cloud.points), [cloud, wide]);
  const k = Math.round(numberIn(settings.k, 1, 2, 2));
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const time = oneOf(settings.time, ['epochs', 'milliseconds']);
  const runners = useRef<readonly Runner[]>([]);
  const goal = useMemo(() => raceGoal(points, k), [points, k]);
  const finish = useFinish(points, goal);
  const playback = usePlayback<Round>(
    () => {
      const made = race(points, k, seed, goal);
      runners.current = made.runners;
      return made.run;
    },
    [points, k, seed],
    { rate: 24 },
  );
  const epoch = playback.shown.value?.epoch ?? 0;
  const lanes = runners.current.map((runner) => ({ runner, at: Math.min(epoch, runner.epochs.length - 1) }));
  const worst = lanes.reduce((most, { runner, at }) => Math.max(most, runner.angles[at] ?? 0), 0);
  const there = lanes.filter(({ runner, at }) => runner.angles[at] < FOUND);
  const converged = there.length === lanes.length && lanes.length > 0;
  const stopped = lanes.filter(({ runner, at }) => runner.end === 'stopped' && at === runner.epochs.length - 1).length;
  const soonest = Math.min(...there.map(({ runner }) => runner.epochs.length - 1));
  const first = there
    .filter(({ runner }) => runner.epochs.length - 1 === soonest)
    .map(({ runner }) => runner.lane.name);
  const told = sentences(
    `Round ${epoch}: ${there.length} of ${lanes.length} roads have arrived, ${
      converged ? `none is more than ${angleText(worst)} away` : `the last is ${angleText(worst)} away`
    }.`,
    stopped > 0 ? `${stopped} gave up: variances that are close take more epochs than there are here.` : '',
    first.length > 0 && soonest > 0 ? `First in epochs, after ${soonest}: ${first.join(' and ')}.` : '',
    undetermined(goal),
  );
  const most = lanes.reduce(
    (sum, { runner }) => Math.max(sum, runner.milliseconds[runner.milliseconds.length - 1] ?? 0),
    1,
  );
  const byTime = time === 'milliseconds';

  return (
    <Screen
      id="race"
      playback={playback}
      unit="round"
      lead={
        <>
          Every road of these pages on the same data and towards the same subspace. A curve is the largest principal
          angle that is still missing, on a logarithmic axis: a straight line down means that every epoch wins the same
          factor. The exact solve has no curve: it is there at once, and it says where “there” is.
        </>
      }
      picture={
        <LineChart
          series={lanes.map(({ runner, at }, i) => ({
            name: runner.lane.name,
            class: `row-${i % 6}`,
            points: runner.angles
              .slice(0, at + 1)
              .map((angle, j) => [byTime ? runner.milliseconds[j] : runner.epochs[j], angle] as const),
          }))}
          x={byTime ? [0.1, Math.max(10, most)] : [0, Math.max(40, playback.reached.value)]}
          y={[LEAST, 2]}
          logX={byTime}
          logY
          {...(byTime && finish ? { now: finish.milliseconds } : {})}
          xLabel={
            byTime
              ? isNarrow()
                ? 'ms (line: exact)'
                : 'milliseconds of computing (the line: the exact solve)'
              : 'epochs'
          }
          yLabel="angle to the exact subspace, rad"
          room={142}
          height={isNarrow() ? 320 : 400}
          label={`Angles to the exact subspace. ${lanes.map(({ runner, at }) => `${runner.lane.name}: ${small(runner.angles[at] ?? 0)} rad`).join('; ')}.`}
        />
      }
      controls={
        <Controls>
          <Choose
            label="Data"
            value={wide ? 'wide' : settings.cloud}
            among={[{ id: 'wide', name: '160 rows, 30 columns' }, ...cloudChoices(3)]}
            onChoose={(id) => change({ cloud: id })}
          />
          <Choose
            label="Components"
            value={String(k)}
            among={[
              { id: '1', name: 'k = 1, with Oja’s rule' },
              { id: '2', name: 'k = 2' },
            ]}
            onChoose={(id) => change({ k: id })}
          />
          <Choose
            label="Against"
            value={time}
            among={[
              { id: 'epochs', name: 'epochs' },
              { id: 'milliseconds', name: 'milliseconds' },
            ]}
            onChoose={(id) => change({ time: id })}
          />
          <button type="button" onClick={() => change({ seed: String(seed + 1) })}>
            Another start
          </button>
        </Controls>
      }
      side={
        <>
          <div class="panel">
            <h2>Where they are</h2>
            <table class="figures">
              <thead>
                <tr>
                  <th scope="col">road</th>
                  <th scope="col">epochs</th>
                  <th scope="col">ms</th>
                  <th scope="col">angle, rad</th>
                </tr>
              </thead>
              <tbody>
                <tr>
                  <th scope="row">exact (covariance)</th>
                  <td>–</td>
                  <td>{finish ? show(Number(finish.milliseconds.toFixed(1))) : '…'}</td>
                  <td>{finish ? (finish.angle < 1e-16 ? '< 10⁻¹⁶' : small(finish.angle)) : '…'}</td>
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
          <div class="panel">
            <h2>What is measured</h2>
            <Formula>
              <Piece>
                {row(sub('θ', <mtext>max</mtext>), op('='), word('arccos'), sub('σ', <mtext>min</mtext>))}
                {row(
                  op('('),
                  sub('Q', <mtext>exact</mtext>),
                  sup(<mi>Q</mi>, <mi mathvariant="normal">T</mi>),
                  op(')'),
                )}
              </Piece>
              <Piece>
                <mtext>the last road</mtext>
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
              Milliseconds are those of computing. An epoch that takes ten times as long as those before it was
              interrupted, and counts ten times as much.
            </p>
          </div>
        </>
      }
      told={told}
      angle={worst}
      converged={converged}
      tries={[
        <>
          Points by pairs and points factored take the same steps: against epochs their curves are one, against
          milliseconds pairs fall behind.
        </>,
        <>
          Compare the autoencoder with momentum and plain: momentum pays where variances are close. Take the data that
          are almost a ball.
        </>,
        <>
          Against milliseconds, look where the exact solve is. Nobody should learn what can be computed; one learns to
          see how learning goes, or because data never stop coming.
        </>,
      ]}
      source={
        <p>
          None of the sources compares the roads, and one calls the autoencoder and Oja’s rule “quite different”. On the
          same data they end in the same subspace. All rules here read all rows once an epoch, so that epochs can be
          compared; in small batches Hebb’s rules need fewer, because each epoch then has many steps.
        </p>
      }
    />
  );
}

/** The exact solve: how long it takes, and how far it is from the singular value decomposition. */
function useFinish(points: Matrix<Float64Array>, goal: Goal): Finish | undefined {
  const { k } = goal;
  const finish = useSignal<Finish | undefined>(undefined);
  useEffect(() => {
    let left = false;
    const solve = async (): Promise<void> => {
      const svd = await pca(points, { k, solver: 'svd' });
      // Once for the browser to compile it, once for the clock.
      await pca(points, { k, solver: 'covariance' });
      const begin = performance.now();
      const exact = await pca(points, { k, solver: 'covariance' });
      const milliseconds = performance.now() - begin;
      const angle = determined(goal)
        ? Math.max(...principalAngles(exact.components, svd.components))
        : angleToGoal(goal, Float64Array.from(exact.components.data));
      if (!left) finish.value = { milliseconds, angle };
    };
    solve().catch(() => {
      // Data without variance: the lanes say so.
    });
    return () => {
      left = true;
    };
  }, [points, goal, finish]);
  return finish.value;
}
