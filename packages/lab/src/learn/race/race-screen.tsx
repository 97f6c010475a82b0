import { useSignal } from '@preact/signals';
import { principalAngles } from '@scree/analysis';
import { type Matrix, pca } from '@scree/core';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { cloudChoices, useCloud } from '../shared/clouds.js';
import { Choose, Controls } from '../shared/controls.js';
import { angleText, sentences } from '../shared/format.js';
import { angleToGoal, type Goal, isDetermined, sentenceIfUndetermined } from '../shared/goal.js';
import { usePlayback } from '../shared/playback.js';
import { Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { FOUND, type Round, type Runner, race, raceGoal, wideCloud } from './lanes.js';
import { type ExactSolve, Measure, RaceChart, type Shown, Standings } from './race-panels.js';

const DEFAULTS = { cloud: 'wide', k: '2', time: 'epochs', seed: '1' };

/** All rules on the same data: the angle of each to the exact subspace, against epochs or milliseconds. */
export function RaceScreen() {
  const [settings, change] = useSettings(DEFAULTS);
  const cloud = useCloud(settings.cloud, 3);
  const wide = cloud.id !== settings.cloud;
  const points = useMemo(() => (wide ? wideCloud() : cloud.points), [cloud, wide]);
  const k = Math.round(numberIn(settings.k, 1, 2, 2));
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const time = oneOf(settings.time, ['epochs', 'milliseconds']);
  const runners = useRef<readonly Runner[]>([]);
  const goal = useMemo(() => raceGoal(points, k), [points, k]);
  const exact = useExactSolve(points, goal);
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

  return (
    <Screen
      id="race"
      playback={playback}
      unit="round"
      lead={
        <>
          All learning rules on the same data. Each curve is the largest principal angle to the exact subspace, on a
          logarithmic axis: a straight line means that every epoch reduces the angle by the same factor. The exact
          solver has no curve, because it takes one step; its subspace is the reference.
        </>
      }
      picture={
        <RaceChart lanes={lanes} byTime={time === 'milliseconds'} rounds={playback.reached.value} exact={exact} />
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
          <Standings lanes={lanes} exact={exact} />
          <Measure worst={worst} />
        </>
      }
      summary={summary(epoch, lanes, worst, goal)}
      angle={worst}
      converged={lanes.length > 0 && arrivedAmong(lanes).length === lanes.length}
      tries={TRIES}
    />
  );
}

const TRIES = [
  <>
    Points by pairs and factored points take the same steps: their curves against epochs coincide. Against milliseconds,
    pairs are slower.
  </>,
  <>
    Compare the autoencoder with and without momentum: momentum helps when variances are close. Choose the data that are
    almost a ball.
  </>,
  <>
    Against milliseconds, compare with the exact solver. It is the better choice for computing components. Learning
    rules show how learning works, and suit data that keep arriving.
  </>,
];

/** Lanes that have arrived at the epoch that is shown. */
function arrivedAmong(lanes: readonly Shown[]): readonly Shown[] {
  return lanes.filter(({ runner, at }) => runner.angles[at] < FOUND);
}

/** The state of the race in sentences. */
function summary(epoch: number, lanes: readonly Shown[], worst: number, goal: Goal): string {
  const arrived = arrivedAmong(lanes);
  const stopped = lanes.filter(({ runner, at }) => runner.end === 'stopped' && at === runner.epochs.length - 1).length;
  const soonest = Math.min(...arrived.map(({ runner }) => runner.epochs.length - 1));
  const first = arrived
    .filter(({ runner }) => runner.epochs.length - 1 === soonest)
    .map(({ runner }) => runner.lane.name);
  const all = arrived.length === lanes.length && lanes.length > 0;
  return sentences(
    `Round ${epoch}: ${arrived.length} of ${lanes.length} rules have arrived, ${
      all ? `none is more than ${angleText(worst)} away` : `the last is ${angleText(worst)} away`
    }.`,
    stopped > 0 ? `${stopped} stopped early: with close variances they need more epochs than this race has.` : '',
    first.length > 0 && soonest > 0 ? `First in epochs, after ${soonest}: ${first.join(' and ')}.` : '',
    sentenceIfUndetermined(goal),
  );
}

/** Solves exactly, and measures the time and the angle to the singular value decomposition. */
function useExactSolve(points: Matrix<Float64Array>, goal: Goal): ExactSolve | undefined {
  const { k } = goal;
  const result = useSignal<ExactSolve | undefined>(undefined);
  useEffect(() => {
    let left = false;
    const solve = async (): Promise<void> => {
      const svd = await pca(points, { k, solver: 'svd' });
      // During the first run the browser compiles the code. The second run is timed.
      await pca(points, { k, solver: 'covariance' });
      const begin = performance.now();
      const exact = await pca(points, { k, solver: 'covariance' });
      const milliseconds = performance.now() - begin;
      const angle = isDetermined(goal)
        ? Math.max(...principalAngles(exact.components, svd.components))
        : angleToGoal(goal, Float64Array.from(exact.components.data));
      if (!left) result.value = { milliseconds, angle };
    };
    solve().catch(() => {
      // The data have no variance. The lanes show this error.
    });
    return () => {
      left = true;
    };
  }, [points, goal, result]);
  return result.value;
}
