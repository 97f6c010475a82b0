import { rowProducts } from '@scree/core/learn';
import { useMemo, useRef } from 'preact/hooks';
import { type Cloud, cloudChoices, useCloud } from '../shared/clouds.js';
import { Choose, Controls, Slider } from '../shared/controls.js';
import { sentences, small, withDecimals } from '../shared/format.js';
import { Formula, Live, normBars, num, op, Piece, row, square, sub, sum, transposed } from '../shared/formula.js';
import {
  angleToGoalText,
  areLengthsDetermined,
  type Goal,
  goalOf,
  isDetermined,
  sentenceIfUndetermined,
} from '../shared/goal.js';
import { LineChart, lowEnd } from '../shared/line-chart.js';
import { type Playback, usePlayback } from '../shared/playback.js';
import { RunProblem, Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { type UnitCloud, unitCloud } from '../shared/unit-cloud.js';
import { Gram } from './gram.js';
import { type Charged, LAWS, type Law, leastOf, moveRows } from './laws.js';
import { Sphere } from './sphere.js';

const DEFAULTS = { law: 'rods', k: '3', alpha: '1', cloud: 'pancake', seed: '1' };
const NAMES: Record<Law, string> = {
  rods: 'Orthonormality term',
  held: 'The same, held on the sphere',
  coulomb: 'Real charges (Coulomb)',
};

/** Rows of W on a sphere, moved by the orthonormality term. */
export function ChargesScreen() {
  const [settings, change] = useSettings(DEFAULTS);
  const law = oneOf(settings.law, LAWS);
  const k = Math.round(numberIn(settings.k, 2, 6, 3));
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const alpha = law === 'rods' ? numberIn(settings.alpha, 0, 1, 1) : 1;
  const cloud = useCloud(settings.cloud, 3);
  const data = useMemo(() => unitCloud(cloud.points), [cloud]);
  const live = useRef({ alpha });
  live.current.alpha = alpha;
  const playback = usePlayback<Charged>(() => moveRows(law, k, seed, data, live.current), [law, k, seed, data], {
    rate: 30,
  });
  const shown = playback.shown.value;
  const gram = shown ? rowProducts(shown.w, k, shown.w, k, 3) : new Float64Array(k * k);
  const least = leastOf(law, k);
  const converged = shown?.converged === true;
  const off = shown?.off ?? 1;
  const trail = playback.history.until(shown?.epoch ?? 0);
  const few = trail.filter((_, i) => i % Math.max(1, Math.floor(trail.length / 120)) === 0 || i === trail.length - 1);

  return (
    <Screen
      id="charges"
      playback={playback}
      lead={
        <>
          The term ‖I − WWᵀ‖² is smallest when the rows of W have length 1 and are at right angles. Here it moves them,
          inside a unit sphere that you can rotate. A row at an acute angle is pushed away; one at an obtuse angle is
          pulled closer; at 90° there is no force. So the rows do not behave like charges but like rods with equal
          charges at both ends.
        </>
      }
      picture={
        shown && (
          <Sphere
            w={shown.w}
            k={k}
            force={shown.force}
            trail={few.map(({ w }) => w)}
            rods={law !== 'coulomb'}
            label={`A sphere with the ${k} rows of W and the forces on them`}
            {...(alpha < 1 ? { cloud: data.points } : {})}
          />
        )
      }
      problem={<RunProblem playback={playback} />}
      controls={
        <ChargesControls
          {...{ law, k, alpha, cloud }}
          onChange={change}
          onAlpha={(value) => {
            live.current.alpha = value;
            change({ alpha: String(value) });
            if (playback.ended.value) playback.rewind();
          }}
          onRestart={() => change({ seed: String(seed + 1) })}
        />
      }
      side={
        <>
          <div class="panel">
            <h2>WWᵀ goes to {aim(law, k, areLengthsDetermined(data, k, alpha))}</h2>
            <Gram values={gram} size={k} name="W W transposed: the inner products of the rows" />
          </div>
          <div class="panel">
            <h2>{law === 'coulomb' ? 'Charges, for comparison' : 'The term and its force'}</h2>
            {law === 'coulomb' ? <CoulombFormula shown={shown} /> : <RodsFormula shown={shown} least={least} />}
          </div>
        </>
      }
      below={<LossChart playback={playback} law={law} least={least} />}
      summary={summary(shown, law, k, data, alpha)}
      angle={shown?.angle ?? off}
      converged={converged}
      tries={TRIES}
    />
  );
}

interface ControlsProps {
  readonly law: Law;
  readonly k: number;
  readonly alpha: number;
  readonly cloud: Cloud;
  readonly onChange: (change: Partial<Record<keyof typeof DEFAULTS, string>>) => void;
  readonly onAlpha: (alpha: number) => void;
  readonly onRestart: () => void;
}

function ChargesControls({ law, k, alpha, cloud, onChange, onAlpha, onRestart }: ControlsProps) {
  return (
    <Controls>
      <Choose
        label="What acts"
        value={law}
        among={LAWS.map((id) => ({ id, name: NAMES[id] }))}
        onChoose={(id) => onChange({ law: id })}
      />
      <Slider
        label="Rows"
        value={k}
        min={2}
        max={6}
        step={1}
        text={`k = ${k}`}
        onSlide={(value) => onChange({ k: String(value) })}
      />
      {law === 'rods' && (
        <>
          <Slider
            label="Weight α of the term"
            value={alpha}
            min={0}
            max={1}
            step={0.05}
            text={alpha === 1 ? 'it alone' : withDecimals(alpha)}
            onSlide={onAlpha}
          />
          {alpha < 1 && (
            <Choose
              label="Data that pull"
              value={cloud.id}
              among={cloudChoices(3)}
              onChoose={(id) => onChange({ cloud: id })}
            />
          )}
        </>
      )}
      <button type="button" onClick={onRestart}>
        Another start
      </button>
    </Controls>
  );
}

/** ‖I − WWᵀ‖² against epochs, and the distance of W from its goal. */
function LossChart({ playback, law, least }: { playback: Playback<Charged>; law: Law; least: number }) {
  const shown = playback.shown.value;
  const moments = playback.history.until(shown?.epoch ?? 0);
  const lows = playback.history.all.map((one) => Math.min(one.orthogonality, law === 'coulomb' ? 1 : one.off));
  return (
    <LineChart
      series={[
        {
          name: '‖I − WWᵀ‖²',
          class: 'orthogonality',
          points: moments.map((m) => [m.epoch, m.orthogonality] as const),
        },
        ...(law === 'coulomb'
          ? []
          : [
              {
                name: 'off the goal',
                class: 'fine',
                points: moments.map((m) => [m.epoch, m.off] as const),
              },
            ]),
      ]}
      x={[0, Math.max(60, playback.reached.value)]}
      y={[lowEnd(lows, 1e-6, 1e-14), 40]}
      logY
      xLabel="epoch"
      yLabel="loss, and the largest entry that is off"
      room={100}
      height={170}
      label={
        shown ? `The loss is ${small(shown.orthogonality)}; the least possible is ${small(least)}.` : 'No curve yet.'
      }
    />
  );
}

const TRIES = [
  <>
    Choose real charges with k = 3: they move to 120° and lie in a plane. The orthonormality term stops at 90°. With k =
    2, charges go to opposite poles; rods do not.
  </>,
  <>
    Choose k = 4 or more: four vectors cannot all be orthogonal in three dimensions. Free rows shrink to a tight frame,
    WᵀW = I, and the loss stops at k − 3; on the sphere they reach WᵀW = (k/3)·I.
  </>,
  <>
    Lower α with k = 2: now the data act too, and the two rows move into the plane of most variance. They become
    orthogonal even at α = 0, unless the data are flat.
  </>,
];

/** The goal of WWᵀ. `whole` is true if the lengths of its rows are determined in every direction. */
function aim(law: Law, k: number, whole: boolean): string {
  if (!whole) return 'what the data ask for';
  return k <= 3 && law !== 'coulomb' ? 'I' : 'what there is room for';
}

/** A sentence for rows at rest. */
function ending(law: Law, k: number, whole: boolean, plane: Goal | undefined): string {
  if (law === 'coulomb') return 'At rest: all remaining forces point straight out of the sphere.';
  if (!whole)
    return 'At rest: W reproduces all of the data. They are flat, so the length of W across them is not determined.';
  if (k > 3) return `At rest: a tight frame, WᵀW = ${law === 'rods' ? '' : `${withDecimals(k / 3)}·`}I.`;
  if (!plane) return 'At rest: orthonormal rows.';
  return `At rest: orthonormal rows in ${isDetermined(plane) ? 'the principal plane' : 'one of these planes'}.`;
}

/** The state of the run in sentences. */
function summary(shown: Charged | undefined, law: Law, k: number, data: UnitCloud, alpha: number): string {
  if (!shown) return 'No run.';
  // The data pull two rows towards a plane.
  const plane = shown.angle !== undefined && k < 3 ? goalOf(data, k) : undefined;
  return sentences(
    `Epoch ${shown.epoch}: the angles between rows are ${range(anglesOf(shown.w, k))}, ‖I − WWᵀ‖² is ${small(shown.orthogonality)}${
      plane ? angleToGoalText(plane, shown.angle ?? 0) : ''
    }.`,
    plane ? sentenceIfUndetermined(plane) : '',
    shown.converged ? ending(law, k, areLengthsDetermined(data, k, alpha), plane) : '',
  );
}

/** Angles between all pairs of rows, in degrees. */
function anglesOf(w: Float64Array, k: number): number[] {
  const out: number[] = [];
  for (let a = 0; a < k; a++) {
    for (let b = a + 1; b < k; b++) {
      const [u, v] = [w.subarray(3 * a, 3 * a + 3), w.subarray(3 * b, 3 * b + 3)];
      const cosine = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / (Math.hypot(...u) * Math.hypot(...v));
      out.push((Math.acos(Math.max(-1, Math.min(1, cosine))) * 180) / Math.PI);
    }
  }
  return out;
}

function range(angles: readonly number[]): string {
  const [least, most] = [Math.min(...angles), Math.max(...angles)];
  return withDecimals(least, 1) === withDecimals(most, 1)
    ? `${withDecimals(least, 1)}°`
    : `${withDecimals(least, 1)}° to ${withDecimals(most, 1)}°`;
}

const W = <mi>W</mi>;
const wA = sub('w', 'a');
const wB = sub('w', 'b');

function RodsFormula({ shown, least }: { shown: Charged | undefined; least: number }) {
  return (
    <Formula>
      <Piece>
        {square(normBars('I', op('−'), W, transposed(W)))}
        {op('=')}
        <Live value={small(shown?.orthogonality ?? 0)} of="orthogonality" />
        {op('≥')}
        <Live value={small(least)} of="fine" />
      </Piece>
      <Piece>{row(op('−'), op('∇'), op('='), num(4), op('('), W, op('−'), W, transposed(W), W, op(')'))}</Piece>
      <Piece>
        {row(
          wA,
          op('('),
          num(1),
          op('−'),
          square(normBars(wA)),
          op(')'),
          op('−'),
          sum(row('b', op('≠'), 'a')),
          op('⟨'),
          wA,
          op(','),
          wB,
          op('⟩'),
          wB,
        )}
      </Piece>
    </Formula>
  );
}

function CoulombFormula({ shown }: { shown: Charged | undefined }) {
  return (
    <Formula>
      <Piece>
        {row(
          sub('F', 'a'),
          op('='),
          sum(row('b', op('≠'), 'a')),
          <mfrac>
            <mrow>{[wA, op('−'), wB]}</mrow>
            <msup>
              {normBars(wA, op('−'), wB)}
              <mn>3</mn>
            </msup>
          </mfrac>,
        )}
      </Piece>
      <Piece>
        {square(normBars('I', op('−'), W, transposed(W)))}
        {op('=')}
        <Live value={small(shown?.orthogonality ?? 0)} of="orthogonality" />
      </Piece>
    </Formula>
  );
}
