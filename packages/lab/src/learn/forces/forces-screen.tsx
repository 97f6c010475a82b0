import type { Matrix } from '@scree/core';
import { neighbourForces, type PointForces, rotatedOnto, rowProducts } from '@scree/core/learn';
import { useMemo, useRef } from 'preact/hooks';
import { axesOf } from '../shared/axes.js';
import { boxOf, type Cloud, cloudChoices, reachOf, useCloud } from '../shared/clouds.js';
import { Choose, Controls, Slider } from '../shared/controls.js';
import { sentences, small, unitsFor, withDecimals } from '../shared/format.js';
import {
  angleToGoalText,
  type Goal,
  goalOf,
  isDetermined,
  isFlat,
  nearestGoal,
  sentenceIfUndetermined,
} from '../shared/goal.js';
import { type Playback, usePlayback } from '../shared/playback.js';
import { RunProblem, Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { ForcesFormula, LossChart, NeighbourTable } from './forces-panels.js';
import { DataStage, EmbeddingStage } from './forces-stage.js';
import {
  DEFAULT_STEP,
  DESCENTS,
  type DescentName,
  type Moved,
  type MovingPoints,
  movePoints,
  movingPoints,
  THIN,
} from './moving-points.js';

const DEFAULTS = { cloud: 'pancake', point: '', how: 'plain', step: String(DEFAULT_STEP), seed: '1' };

/** Points that attract and repel each other until they are the scores. */
export function ForcesScreen() {
  const [settings, change] = useSettings(DEFAULTS);
  const cloud = useCloud(settings.cloud, 3);
  const { points } = cloud;
  const setup = useMemo(() => setupOf(points), [points]);
  const { goal, moving } = setup;
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const how = oneOf(settings.how, DESCENTS);
  const step = numberIn(settings.step, 0.02, 1.5, DEFAULT_STEP);
  const live = useRef({ step });
  live.current.step = step;
  const playback = usePlayback<Moved>(() => movePoints(moving, how, seed, live.current), [moving, seed, how], {
    rate: 12,
  });
  const setStep = (value: number): void => {
    live.current.step = value;
    change({ step: String(value) });
    if (playback.problem.value) playback.play();
  };
  const shown = playback.shown.value;
  const chosen = Math.round(numberIn(settings.point, 1, points.rows, setup.outer + 1)) - 1;
  const choose = (i: number): void => change({ point: String(i + 1) });
  const forces = shown?.state.forces(chosen);
  const angle = shown?.angle ?? Math.PI / 2;

  return (
    <Screen
      id="forces"
      playback={playback}
      lead={
        <>
          Forget axes. Put the points anywhere in the plane and connect every pair with a spring: pairs that are closer
          than they are in the data <b class="push">push</b>, pairs that are too far apart <b class="pull">pull</b>. The
          points come to rest at the principal component scores (the pale circles), possibly rotated or reflected. No
          basis is ever computed.
        </>
      }
      picture={<Picture cloud={cloud} setup={setup} shown={shown} forces={forces} chosen={chosen} onChoose={choose} />}
      problem={<RunProblem playback={playback} onShorter={setStep} />}
      controls={
        <ForcesControls
          cloud={cloud}
          how={how}
          chosen={chosen}
          step={step}
          onCloud={(id) => change({ cloud: id, point: '' })}
          onHow={(id) => change({ how: id })}
          onChoose={choose}
          onStep={setStep}
          onRestart={() => change({ seed: String(seed + 1) })}
        />
      }
      side={
        <>
          <ForcesFormula
            loss={shown?.loss}
            forces={forces}
            chosen={chosen}
            momentum={how === 'momentum'}
            units={unitsFor(setup.reach, 4)}
          />
          <NeighbourTable {...setup.neighbours} />
        </>
      }
      below={<LossChart playback={playback} floor={moving.floor} />}
      summary={summary(playback, setup, forces, chosen)}
      angle={angle}
      converged={shown?.converged === true}
      tries={tries(goal)}
    />
  );
}

/** Facts about a cloud, computed once, before its points move. */
interface CloudSetup {
  readonly goal: Goal;
  readonly moving: MovingPoints;
  /** Half the width and height of the plane, with room for scores that are rotated. */
  readonly box: { readonly x: number; readonly y: number };
  readonly neighbours: ReturnType<typeof neighbourForces>;
  readonly reach: number;
  /** The point that is chosen at first. */
  readonly outer: number;
}

function setupOf(points: Matrix<Float64Array>): CloudSetup {
  const goal = goalOf(axesOf(points), 2);
  const { x, y } = boxOf(scoresOn(points, goal.eigen.vectors));
  return {
    goal,
    moving: movingPoints(points, goal),
    box: { x: 1.08 * Math.hypot(x, y * 0.5), y: 1.08 * Math.hypot(y, x * 0.5) },
    neighbours: neighbourForces(points),
    reach: reachOf(points),
    outer: outerPoint(points.data, 3),
  };
}

interface PictureProps {
  readonly cloud: Cloud;
  readonly setup: CloudSetup;
  readonly shown: Moved | undefined;
  readonly forces: PointForces | undefined;
  readonly chosen: number;
  readonly onChoose: (i: number) => void;
}

/** The data in space, and the points in the plane with their final positions. */
function Picture({ cloud, setup, shown, forces, chosen, onChoose }: PictureProps) {
  const { points } = cloud;
  const { goal, moving, reach, box } = setup;
  // If several planes are equally good, the points end in the one that is nearest to their current plane.
  const sockets = useMemo(
    () => shown && scoresOn(points, nearestGoal(goal, shown.state.rows.data)),
    [isDetermined(goal) ? moving : shown],
  );
  const y = shown?.state.scores();
  return (
    <div class="pair">
      <DataStage cloud={cloud} reach={reach} chosen={chosen} onChoose={onChoose} />
      {y && forces && sockets && (
        <EmbeddingStage
          cloud={cloud}
          reach={reach}
          y={y}
          exact={{ ...sockets, data: rotatedOnto(sockets.data, y.data, y.rows, 2) }}
          forces={forces}
          chosen={chosen}
          onChoose={onChoose}
          box={box}
        />
      )}
    </div>
  );
}

/** Scores of centred points on the first two rows of a basis. */
function scoresOn({ rows, cols, data }: Matrix<Float64Array>, basis: Float64Array): Matrix<Float64Array> {
  return { rows, cols: 2, data: rowProducts(data, rows, basis, 2, cols) };
}

interface ControlsProps {
  readonly cloud: Cloud;
  readonly how: DescentName;
  readonly chosen: number;
  readonly step: number;
  readonly onCloud: (id: string) => void;
  readonly onHow: (id: string) => void;
  readonly onChoose: (i: number) => void;
  readonly onStep: (step: number) => void;
  readonly onRestart: () => void;
}

function ForcesControls({ cloud, how, chosen, step, onCloud, onHow, onChoose, onStep, onRestart }: ControlsProps) {
  return (
    <Controls>
      <Choose label="Points" value={cloud.id} among={cloudChoices(3)} onChoose={onCloud} />
      <Choose
        label="Steps"
        value={how}
        among={[
          { id: 'plain', name: 'Plain gradient' },
          { id: 'momentum', name: 'With momentum' },
        ]}
        onChoose={onHow}
      />
      <Slider
        label="Chosen point"
        value={chosen + 1}
        min={1}
        max={cloud.points.rows}
        step={1}
        text={String(chosen + 1)}
        onSlide={(value) => onChoose(value - 1)}
      />
      <Slider label="Step η" value={step} min={0.05} max={1.5} step={0.05} text={withDecimals(step)} onSlide={onStep} />
      <button type="button" onClick={onRestart}>
        Another random start
      </button>
    </Controls>
  );
}

/** The state of the run in sentences. */
function summary(
  { shown: { value: shown } }: Playback<Moved>,
  { goal, moving }: CloudSetup,
  forces: PointForces | undefined,
  chosen: number,
): string {
  if (!shown || !forces) return 'No run.';
  const { pull, push } = countPairs(forces, chosen);
  return sentences(
    `Epoch ${shown.epoch}: loss ${small(shown.loss)}${angleToGoalText(goal, shown.angle)}.`,
    sentenceIfUndetermined(goal),
    shown.converged ? ending(moving) : `Point ${chosen + 1} is pulled by ${pull} points and pushed by ${push}.`,
  );
}

/** The number of points that pull the chosen point, and the number that push it. */
function countPairs({ data, embedding }: PointForces, chosen: number): { pull: number; push: number } {
  let [pull, push] = [0, 0];
  for (let j = 0; j < data.length; j++) {
    if (j === chosen) continue;
    if (data[j] < embedding[j]) pull++;
    else push++;
  }
  return { pull, push };
}

/** A sentence for points at rest. */
function ending({ goal, second }: MovingPoints): string {
  if (second < THIN) {
    const why = second < 1e-9 ? 'the data lie on a line' : `λ₂ is only ${small(second)} of λ₁`;
    return `Almost at rest: ${why}, so the points move more and more slowly across the line.`;
  }
  const where = isDetermined(goal) ? 'the scores' : 'the scores on one of them';
  return isFlat(goal.eigen, 2)
    ? `At rest: the points are ${where}. The plane contains all of the data, so no pair pulls or pushes any more.`
    : `At rest: the points are ${where}, and every pull is balanced by a push.`;
}

function tries(goal: Goal) {
  return [
    <>
      Choose a point in the middle, then one at the edge.{' '}
      {isFlat(goal.eigen, 2)
        ? 'At rest there is no pull and no push: these data are flat, and the plane contains all of them.'
        : 'At rest, pull and push are equal and opposite. They are not zero, because the plane lacks the third dimension.'}
    </>,
    <>Set the step above 1. The points overshoot, and the run reports it and returns to its lowest loss.</>,
    <>
      Start again at random: the picture ends{' '}
      {isDetermined(goal) ? 'rotated or reflected, but otherwise the same' : 'equally good, but in a different plane'}.
      The built-in points “almost a ball” take longest, because their second and third variances are close.
    </>,
  ];
}

/** A point that is farther from the mean than most. Forces on it are easier to see than on a point in the middle; the farthest point would be an exception. */
function outerPoint(data: Float64Array, cols: number): number {
  const far = Array.from({ length: data.length / cols }, (_, i) => ({
    i,
    size: Math.hypot(...data.subarray(i * cols, i * cols + cols)),
  }));
  far.sort((a, b) => a.size - b.size);
  return far[Math.floor(0.85 * (far.length - 1))].i;
}
