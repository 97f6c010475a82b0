import { neighbourForces } from '@scree/core/learn';
import { percent } from '@scree/core/words';
import { useMemo, useRef } from 'preact/hooks';
import { boxOf, cloudChoices, reachOf, useCloud } from '../shared/clouds.js';
import { Choose, Controls, Slider } from '../shared/controls.js';
import { fixed, sentences, small, unitsFor } from '../shared/format.js';
import { Formula, frac, Live, num, op, Piece, row, square, sub, sum, upright } from '../shared/formula.js';
import { awayText, determined, goalOf, isFlat, nearestGoal, undetermined } from '../shared/goal.js';
import { LineChart } from '../shared/line-chart.js';
import { usePlayback } from '../shared/playback.js';
import { Problem, Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { covarianceOf, eigenOf } from '../shared/small-matrix.js';
import { DataStage, EmbeddingStage } from './forces-stage.js';
import {
  forcesOn,
  HOW,
  type Movable,
  type Moved,
  movable,
  pointsRoad,
  scoresOf,
  THIN,
  USUAL_STEP,
} from './moving-points.js';
import { scoresOn, turnedToFit } from './procrustes.js';

const USUAL = { cloud: 'pancake', point: '', how: 'plain', step: String(USUAL_STEP), seed: '1' };

/** Points that pull and push one another until they are the scores. */
export function ForcesScreen() {
  const [settings, change] = useSettings(USUAL);
  const cloud = useCloud(settings.cloud, 3);
  const { points } = cloud;
  const facts = useMemo(() => {
    const goal = goalOf(eigenOf(covarianceOf(points), 3), 2);
    const { x, y: up } = boxOf(scoresOn(points, goal.eigen.vectors.subarray(0, 6), 2));
    return {
      goal,
      moving: movable(points, goal),
      box: { x: 1.08 * Math.hypot(x, up * 0.5), y: 1.08 * Math.hypot(up, x * 0.5) },
      neighbours: neighbourForces(points),
      reach: reachOf(points),
      outer: outerPoint(points.data, 3),
    };
  }, [points]);
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const how = oneOf(settings.how, HOW);
  const step = numberIn(settings.step, 0.02, 1.5, USUAL_STEP);
  const hand = useRef({ step });
  hand.current.step = step;
  const { goal, moving } = facts;
  const playback = usePlayback<Moved>(() => pointsRoad(moving, how, seed, hand.current), [moving, seed, how], {
    rate: 12,
  });
  const slide = (value: number): void => {
    hand.current.step = value;
    change({ step: String(value) });
    if (playback.problem.value) playback.play();
  };
  const shown = playback.shown.value;
  const chosen = Math.round(numberIn(settings.point, 1, points.rows, facts.outer + 1)) - 1;
  const choose = (i: number): void => change({ point: String(i + 1) });
  const y = shown && scoresOf(shown, moving);
  const forces = shown && forcesOn(shown, moving, chosen);
  // Of planes that are as good the one that the points show: there they will be.
  const sockets = useMemo(
    () => shown && scoresOn(points, nearestGoal(goal, planeOf(shown, moving)), 2),
    [determined(goal) ? moving : shown],
  );
  const pulls = forces ? count(forces.data, forces.embedding, chosen) : { pull: 0, push: 0 };
  const [pull, push] = forces ? [length(forces.attraction), length(forces.repulsion)] : [0, 0];
  const net = forces
    ? Math.hypot(forces.attraction[0] + forces.repulsion[0], forces.attraction[1] + forces.repulsion[1])
    : 0;
  const units = unitsFor(facts.reach, 4);
  const angle = shown?.angle ?? Math.PI / 2;
  const converged = shown?.converged === true;
  const told = shown
    ? sentences(
        `Epoch ${shown.epoch}: loss ${small(shown.loss)}${awayText(goal, angle)}.`,
        undetermined(goal),
        converged
          ? ending(moving)
          : `Point ${chosen + 1} is pulled by ${pulls.pull} points and pushed by ${pulls.push}.`,
      )
    : 'No run.';
  const history = playback.history.all;
  const { doubleCentred, meansOnly } = facts.neighbours;

  return (
    <Screen
      id="forces"
      playback={playback}
      lead={
        <>
          Forget axes. Put the points anywhere in the plane and let every pair act: pairs that are too close for the
          data <b class="push">push</b>, pairs that are too far apart <b class="pull">pull</b>. Where the points come to
          rest, in the pale sockets, they are the principal component scores, perhaps turned or mirrored: no basis was
          ever computed.
        </>
      }
      picture={
        <div class="pair">
          <DataStage cloud={cloud} reach={facts.reach} chosen={chosen} onChoose={choose} />
          {y && forces && sockets && (
            <EmbeddingStage
              cloud={cloud}
              reach={facts.reach}
              y={y}
              exact={turnedToFit(sockets, y)}
              forces={forces}
              chosen={chosen}
              onChoose={choose}
              box={facts.box}
            />
          )}
        </div>
      }
      problem={<Problem playback={playback} onShorter={slide} />}
      controls={
        <Controls>
          <Choose
            label="Points"
            value={cloud.id}
            among={cloudChoices(3)}
            onChoose={(id) => change({ cloud: id, point: '' })}
          />
          <Choose
            label="Steps"
            value={how}
            among={[
              { id: 'plain', name: 'Plain gradient' },
              { id: 'momentum', name: 'With momentum' },
            ]}
            onChoose={(id) => change({ how: id })}
          />
          <Slider
            label="Chosen point"
            value={chosen + 1}
            least={1}
            most={points.rows}
            step={1}
            text={String(chosen + 1)}
            onSlide={(value) => choose(value - 1)}
          />
          <Slider label="Step η" value={step} least={0.05} most={1.5} step={0.05} text={fixed(step)} onSlide={slide} />
          <button type="button" onClick={() => change({ seed: String(seed + 1) })}>
            Another random start
          </button>
        </Controls>
      }
      side={
        <>
          <div class="panel">
            <h2>Loss and forces</h2>
            <Formula>
              <Piece>
                {row(frac('f', sigma(4)), op('='), frac(num(1), sigma(4)), sum(row('i', op(','), 'j')))}
                {square(row(op('('), D('X'), op('−'), D('Y'), op(')')))}
                {op('=')}
                <Live value={shown ? small(shown.loss) : '–'} of="net" />
              </Piece>
              <Piece>
                {row(sub('F', 'i'), op('='), frac(num(1), sigma(2)), sum('j'))}
                {row(op('('), D('X'), op('−'), D('Y'), op(')'))}
                {row(op('('), sub('y', 'i'), op('−'), sub('y', 'j'), op(')'))}
              </Piece>
              <Piece>
                {row(upright('Δ'), sub('y', 'i'), op('='), frac('η', num(2)), sub('F', 'i'))}
                {how === 'momentum' && <mtext>&nbsp;+ momentum</mtext>}
              </Piece>
              {(
                [
                  ['pull', pull, 'pull'],
                  ['push', push, 'push'],
                  ['together', net, 'net'],
                ] as const
              ).map(([name, size, of]) => (
                <Piece key={name}>
                  <mtext class={of}>{name}</mtext>
                  <mspace width="0.3em" />
                  <Live value={units.text(size)} of={of} />
                </Piece>
              ))}
            </Formula>
            <p class="hint">
              Pull and push add up F over the pairs on either side, for point {chosen + 1}. σ₁² is the largest
              eigenvalue of XᵀX: divided by it, steps and losses mean the same whatever the data’s units.
            </p>
          </div>
          <div class="panel">
            <h2>Do neighbours attract?</h2>
            <table class="figures">
              <thead>
                <tr>
                  <th scope="col">share of the points whose</th>
                  <th scope="col">nearest pulls</th>
                  <th scope="col">farthest pushes</th>
                </tr>
              </thead>
              <tbody>
                <tr>
                  <th scope="row">double centring, as here</th>
                  <td>{percent(doubleCentred.nearestAttract)}</td>
                  <td>{percent(doubleCentred.farthestRepel)}</td>
                </tr>
                <tr>
                  <th scope="row">the note’s λ</th>
                  <td>{percent(meansOnly.nearestAttract)}</td>
                  <td>{percent(meansOnly.farthestRepel)}</td>
                </tr>
              </tbody>
            </table>
          </div>
        </>
      }
      below={
        <LineChart
          series={[
            {
              name: 'loss',
              class: 'net',
              points: playback.history.until(shown?.epoch ?? 0).map((m) => [m.epoch, m.loss] as const),
            },
            {
              name: 'least',
              class: 'fine',
              points:
                history.length > 0
                  ? [
                      [0, moving.floor],
                      [Math.max(30, playback.reached.value), moving.floor],
                    ]
                  : [],
            },
          ]}
          x={[0, Math.max(30, playback.reached.value)]}
          y={[Math.max(1e-8, moving.floor / 2), 10]}
          logY
          xLabel="epoch"
          yLabel="loss f/σ₁⁴"
          room={52}
          height={170}
          label={`The loss has gone from ${small(history[0]?.loss ?? 0)} to ${small(shown?.loss ?? 0)}; the least possible is ${small(moving.floor)}.`}
        />
      }
      told={told}
      angle={angle}
      converged={converged}
      tries={[
        <>
          Choose a point in the middle, then one at the rim.{' '}
          {isFlat(goal.eigen, 2)
            ? 'At rest no pull and no push is left: these data are flat, and the plane has all of them.'
            : 'At rest pull and push are as long and opposite: they do not vanish, because a third dimension is missing in the plane.'}
        </>,
        <>Turn the step above 1. Points overshoot, and the run says so and goes back.</>,
        <>
          Start again at random: the picture ends{' '}
          {determined(goal)
            ? 'turned or mirrored, never otherwise'
            : 'as good, but not the same: in another of the planes'}
          . Of the built-in points, almost a ball takes longest: its second and third variance are close.
        </>,
      ]}
      source={
        <>
          <p>
            The road is from a note of 2022, and its idea holds: f = ‖L(Eˣ − Eʸ)L‖² = 4‖XcXcᵀ − YcYcᵀ‖², and every local
            minimum is global. Its formulas need care: its gradient is half of the true one (−8Σⱼ, not −4Σⱼ), and its
            algorithm adds the gradient, so it climbs; here we subtract. A start from N(0, 1) blows up on data that are
            small; we start at half of σ₁.
          </p>
          <p>
            It claims that nearest neighbours only attract and farthest only repel. The table counts: a tendency, not a
            law. With exact double centring the sign is that of −⟨xᵢ, xⱼ⟩, so what counts is which side of the mean two
            points are on.
          </p>
        </>
      }
    />
  );
}

/** What is so when the points have come to rest. */
function ending({ goal, second }: Movable): string {
  if (second < THIN) {
    const why = second < 1e-9 ? 'the data lie on a line' : `λ₂ is only ${small(second)} of λ₁`;
    return `Almost at rest: ${why}, and across it the points close in ever more slowly.`;
  }
  const where = determined(goal) ? 'the scores' : 'the scores on one of them';
  return isFlat(goal.eigen, 2)
    ? `At rest: the points are ${where}. The plane holds all of the data, so no pair has anything left to pull or push.`
    : `At rest: the points are ${where}, and every pull is balanced by a push.`;
}

/** Rows that span the plane of the data that the points show: YᵀX. */
function planeOf({ y }: Moved, { x, rows }: Movable): Float64Array {
  const out = new Float64Array(6);
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < 2; c++) for (let j = 0; j < 3; j++) out[3 * c + j] += y[2 * i + c] * x[3 * i + j];
  }
  return out;
}

const sigma = (power: number) => (
  <msubsup>
    <mi>σ</mi>
    <mn>1</mn>
    <mn>{power}</mn>
  </msubsup>
);

const D = (of: string) => (
  <msubsup>
    <mi>D</mi>
    <mrow>
      <mi>i</mi>
      <mi>j</mi>
    </mrow>
    <mi>{of}</mi>
  </msubsup>
);

function count(data: Float64Array, embedding: Float64Array, chosen: number): { pull: number; push: number } {
  let [pull, push] = [0, 0];
  for (let j = 0; j < data.length; j++) {
    if (j === chosen) continue;
    if (data[j] < embedding[j]) pull++;
    else push++;
  }
  return { pull, push };
}

function length(vector: Float64Array): number {
  return Math.hypot(...vector);
}

/** A point farther from the mean than most: it has more to tell than one in the middle, and the farthest is an exception. */
function outerPoint(data: Float64Array, cols: number): number {
  const far = Array.from({ length: data.length / cols }, (_, i) => ({
    i,
    size: Math.hypot(...data.subarray(i * cols, i * cols + cols)),
  }));
  far.sort((a, b) => a.size - b.size);
  return far[Math.floor(0.85 * (far.length - 1))].i;
}
