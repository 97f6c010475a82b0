import { type Descent, descend, neighbourForces, type Snapshot } from '@scree/core';
import { percent } from '@scree/core/words';
import { useMemo, useRef } from 'preact/hooks';
import { boxOf, cloudChoices, reachOf, useCloud } from './clouds.js';
import { Choose, Controls, Slider } from './controls.js';
import { DataStage, EmbeddingStage } from './forces-stage.js';
import { Formula, frac, Live, num, op, Piece, row, square, sub, sum } from './formula.js';
import { LineChart } from './line-chart.js';
import { usePlayback } from './playback.js';
import { scoresOn, turnedToFit } from './procrustes.js';
import { Problem, Screen } from './screen.js';
import { numberIn, oneOf, useSettings } from './settings.js';
import { covarianceOf, eigenOf } from './small-matrix.js';
import { angleText, fixed, small } from './words.js';

const USUAL = { cloud: 'pancake', point: '', how: 'plain', step: '0.25', seed: '1' };
/** What the rule would choose by itself: then it may also shorten it. */
const CHOSEN = 0.25;

/** Points that pull and push one another until they are the scores. */
export function ForcesScreen() {
  const [settings, change] = useSettings(USUAL);
  const cloud = useCloud(settings.cloud, 3);
  const { points } = cloud;
  const facts = useMemo(() => {
    const { values, vectors } = eigenOf(covarianceOf(points), 3);
    const exact = scoresOn(points, vectors.subarray(0, 6), 2);
    return {
      exact,
      // What no plane can show: 4·Σ λⱼ² over the components that are left out, where λ₁ = 1.
      floor: 4 * (values[2] / values[0]) ** 2,
      neighbours: neighbourForces(points),
      reach: reachOf(points),
      outer: outerPoint(points.data, 3),
    };
  }, [points]);
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const how = oneOf(settings.how, ['plain', 'momentum']);
  const step = numberIn(settings.step, 0.02, 1.5, CHOSEN);
  const run = useRef<Descent | undefined>(undefined);
  const playback = usePlayback<Snapshot>(
    () => {
      const made = descend(points, { rule: 'pairwise', k: 2, seed, descent: how, ...given(step) });
      run.current = made;
      return { next: () => made.next().value };
    },
    [points, seed, how],
    { rate: 12 },
  );
  const slide = (value: number): void => {
    change({ step: String(value) });
    if (run.current) run.current.step = given(value).step;
    if (playback.problem.value) playback.play();
  };
  const shown = playback.shown.value;
  const chosen = Math.round(numberIn(settings.point, 1, points.rows, facts.outer + 1)) - 1;
  const choose = (i: number): void => change({ point: String(i + 1) });
  const y = shown?.scores();
  const forces = shown?.forces(chosen);
  const pulls = forces ? count(forces.data, forces.embedding, chosen) : { pull: 0, push: 0 };
  const [pull, push] = forces ? [length(forces.attraction), length(forces.repulsion)] : [0, 0];
  const net = forces
    ? Math.hypot(forces.attraction[0] + forces.repulsion[0], forces.attraction[1] + forces.repulsion[1])
    : 0;
  const angle = shown?.angle ?? Math.PI / 2;
  const converged = shown?.converged === true && angle < 1e-4;
  const told = shown
    ? `Epoch ${shown.epoch}: loss ${small(shown.loss)}, ${angleText(angle)} from the exact plane. ${
        converged
          ? 'At rest: the points are the scores, and every pull is balanced by a push.'
          : `Point ${chosen + 1} is pulled by ${pulls.pull} points and pushed by ${pulls.push}.`
      }`
    : 'No run.';
  const history = playback.history.all;
  const { doubleCentred, meansOnly } = facts.neighbours;
  const box = useMemo(() => {
    const { x, y: up } = boxOf(facts.exact);
    return { x: 1.08 * Math.hypot(x, up * 0.5), y: 1.08 * Math.hypot(up, x * 0.5) };
  }, [facts]);

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
          {y && forces && (
            <EmbeddingStage
              cloud={cloud}
              reach={facts.reach}
              y={y}
              exact={turnedToFit(facts.exact, y)}
              forces={forces}
              chosen={chosen}
              onChoose={choose}
              box={box}
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
                {row('f', op('='), sum(row('i', op(','), 'j')))}
                {square(row(op('('), D('X'), op('−'), D('Y'), op(')')))}
                {op('=')}
                <Live value={shown ? small(shown.loss) : '–'} of="net" />
              </Piece>
              <Piece>
                {row(op('Δ'), sub('y', 'i'), op('='), frac('η', num(2)), sum('j'))}
                {row(op('('), D('X'), op('−'), D('Y'), op(')'))}
                {row(op('('), sub('y', 'i'), op('−'), sub('y', 'j'), op(')'))}
              </Piece>
              <Piece>
                <mtext class="pull">pull</mtext>
                <Live value={pull} digits={3} of="pull" />
                <mspace width="0.6em" />
                <mtext class="push">push</mtext>
                <Live value={push} digits={3} of="push" />
                <mspace width="0.6em" />
                <mtext>together</mtext>
                <Live value={net} digits={3} of="net" />
              </Piece>
            </Formula>
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
                      [0, facts.floor],
                      [Math.max(30, playback.reached.value), facts.floor],
                    ]
                  : [],
            },
          ]}
          x={[0, Math.max(30, playback.reached.value)]}
          y={[Math.max(1e-4, facts.floor) / 2, 10]}
          logY
          xLabel="epoch"
          yLabel="loss, λ₁ = 1"
          room={52}
          height={170}
          label={`The loss falls from ${small(history[0]?.loss ?? 0)} to ${small(shown?.loss ?? 0)}; the least possible is ${small(facts.floor)}.`}
        />
      }
      told={told}
      angle={angle}
      converged={converged}
      tries={[
        <>
          Choose a point in the middle, then one at the rim. At rest pull and push are as long and opposite: they do not
          vanish, because a third dimension is missing in the plane.
        </>,
        <>Turn the step above 1. Points overshoot, and the run says so and goes back.</>,
        <>
          Start again at random: the picture ends turned or mirrored, never otherwise. Almost a ball takes longest: its
          second and third variance are close.
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

/** The step as the rule takes it: left out where it is the rule's own, which may then be shortened. */
function given(step: number): { readonly step?: number } {
  return Math.abs(step - CHOSEN) < 1e-9 ? {} : { step };
}

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
