import { useMemo, useRef } from 'preact/hooks';
import { boxOf, type Cloud, cloudChoices, reachOf, useCloud } from '../shared/clouds.js';
import { Choose, Controls, Slider } from '../shared/controls.js';
import { sentences, small, withDecimals } from '../shared/format.js';
import {
  angleToGoalText,
  areLengthsDetermined,
  areVariancesEqual,
  goalOf,
  isDetermined,
  sentenceIfUndetermined,
} from '../shared/goal.js';
import { LineChart, lowEnd, type Series } from '../shared/line-chart.js';
import { type Playback, usePlayback } from '../shared/playback.js';
import { RunProblem, Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { type UnitCloud, unitCloud } from '../shared/unit-cloud.js';
import { Gradient, Hebb } from './formulas.js';
import { CodePlane, DataPlane } from './planes.js';
import {
  defaultStep,
  type Learned,
  type LiveSettings,
  learnWeights,
  type Passed,
  passThrough,
  RULES,
  STARTS,
  type Start,
  type WeightRule,
} from './weights.js';

const DEFAULTS = { cloud: 'tilted', rule: 'autoencoder', k: '1', alpha: '0', step: '', start: 'short', seed: '1' };
const NAMES: Record<WeightRule, string> = {
  autoencoder: 'Autoencoder, gradient',
  oja: 'Oja’s rule',
  subspace: 'Oja’s subspace rule',
  sanger: 'Sanger’s rule',
};

/** An autoencoder in the plane: rows of W that learn to reconstruct the data. */
export function AutoencoderScreen() {
  const [settings, change] = useSettings(DEFAULTS);
  const cloud = useCloud(settings.cloud, 2);
  const data = useMemo(() => unitCloud(cloud.points), [cloud]);
  const rule = oneOf(settings.rule, RULES);
  const k = rule === 'oja' ? 1 : Math.round(numberIn(settings.k, 1, 2, 1));
  const start = oneOf(settings.start, STARTS);
  const seed = numberIn(settings.seed, 0, 1e6, 1);
  const alpha = numberIn(settings.alpha, 0, 0.95, 0);
  const step = numberIn(settings.step, 0.01, 1.5, defaultStep(rule));
  const live = useRef<LiveSettings>({ alpha, step });
  live.current.alpha = alpha;
  live.current.step = step;
  const playback = usePlayback<Learned>(
    () => learnWeights(data, rule, k, start, seed, live.current),
    [data, rule, k, start, seed],
    { rate: 12 },
  );
  const shown = playback.shown.value;
  const passed = useMemo(() => shown && passThrough(data.points, shown.w, k), [shown, data, k]);
  const [first, second] = passed ? errors(data.points.data, passed, data.points.rows) : [0, 0];
  const setStep = (to: number): void => {
    live.current.step = to;
    change({ step: String(to) });
    if (playback.problem.value) playback.play();
  };
  const angle = shown?.angle ?? Math.PI / 2;
  const converged = shown?.converged === true;
  const goal = goalOf(data, k);
  const box = useMemo(() => {
    const { x, y } = boxOf(data.points);
    return { x: Math.max(1.45, x), y: Math.max(1.45, y) };
  }, [data]);
  const far = useMemo(() => reachOf(data.points), [data]);
  const codes = { x: far, y: k === 1 ? 1 : far };
  const drawn = shown &&
    passed && {
      points: data.points,
      w: shown.w,
      k,
      passed,
      ...(areVariancesEqual(data, 1) ? {} : { axis: Math.atan2(data.vectors[1], data.vectors[0]) }),
    };

  return (
    <Screen
      id="autoencoder"
      playback={playback}
      lead={
        <>
          Encode x as k numbers, y = Wx, and decode with the same weights: x<sub>rec</sub> = Wᵀy. Learning corrects two
          errors:{' '}
          <b class="lost">
            x<sub>rec</sub> against x
          </b>
          , and, after encoding again,{' '}
          <b class="second">
            y<sub>rec</sub> against y
          </b>
          . The arrows are the rows of W: they turn to the principal axis and grow to length 1, the dashed circle.
        </>
      }
      picture={
        <div class="pair even">
          {drawn && <DataPlane {...drawn} box={box} />}
          {drawn && <CodePlane {...drawn} box={codes} />}
        </div>
      }
      problem={<RunProblem playback={playback} onShorter={setStep} />}
      controls={
        <AutoencoderControls
          {...{ cloud, rule, k, start, step, alpha }}
          onChange={change}
          onStep={setStep}
          onAlpha={(value) => {
            live.current.alpha = value;
            change({ alpha: String(value) });
          }}
          onRestart={() => change({ seed: String(seed + 1) })}
        />
      }
      side={
        <div class="panel">
          <h2>{rule === 'autoencoder' ? 'The loss and its gradient' : NAMES[rule]}</h2>
          {rule === 'autoencoder' ? (
            <Gradient shown={shown} first={first} second={second} />
          ) : (
            <Hebb rule={rule} first={first} second={second} />
          )}
          <p class="hint">x is a point as it is drawn: divided by √λ₁, so units do not matter.</p>
        </div>
      }
      below={<Losses playback={playback} epoch={shown?.epoch ?? 0} angles={k === 1 && isDetermined(goal)} />}
      summary={summary(shown, rule, k, data)}
      angle={angle}
      converged={converged}
      tries={tries(data)}
    />
  );
}

interface ControlsProps {
  readonly cloud: Cloud;
  readonly rule: WeightRule;
  readonly k: number;
  readonly start: Start;
  readonly step: number;
  readonly alpha: number;
  readonly onChange: (change: Partial<Record<keyof typeof DEFAULTS, string>>) => void;
  readonly onStep: (step: number) => void;
  readonly onAlpha: (alpha: number) => void;
  readonly onRestart: () => void;
}

function AutoencoderControls(props: ControlsProps) {
  const { cloud, rule, k, start, step, alpha, onChange, onStep, onAlpha, onRestart } = props;
  return (
    <Controls>
      <Choose label="Points" value={cloud.id} among={cloudChoices(2)} onChoose={(id) => onChange({ cloud: id })} />
      <Choose
        label="Rule"
        value={rule}
        among={RULES.map((id) => ({ id, name: NAMES[id] }))}
        onChoose={(id) => onChange({ rule: id, step: '' })}
      />
      <Choose
        label="Rows of W"
        value={String(k)}
        among={[1, ...(rule === 'oja' ? [] : [2])].map((count) => ({ id: String(count), name: `k = ${count}` }))}
        onChoose={(id) => onChange({ k: id })}
      />
      <Choose
        label="They start"
        value={start}
        among={[
          { id: 'short', name: 'short' },
          { id: 'long', name: 'long' },
          { id: 'orthonormal', name: 'orthonormal' },
        ]}
        onChoose={(id) => onChange({ start: id })}
      />
      <Slider label="Step η" value={step} min={0.01} max={1} step={0.01} text={withDecimals(step)} onSlide={onStep} />
      {rule === 'autoencoder' && (
        <Slider
          label="Weight α"
          value={alpha}
          min={0}
          max={0.95}
          step={0.05}
          text={withDecimals(alpha)}
          onSlide={onAlpha}
        />
      )}
      <button type="button" onClick={onRestart}>
        Another start
      </button>
    </Controls>
  );
}

function tries(data: UnitCloud) {
  return [
    <>
      Start with orthonormal rows: y<sub>rec</sub> equals y from the first epoch, and the second error stays zero. Then
      Oja’s rule and the gradient are the same.
    </>,
    <>Change α during the run, or restart with another α: the path and the speed change, the result does not.</>,
    <>
      Choose k = 2 and Sanger’s rule: w₁ finds the first axis, w₂ the second
      {areVariancesEqual(data, 1) ? ' (of data with λ₁ > λ₂; these have no first axis)' : ''}. The subspace rule finds
      two arbitrary orthogonal axes of the same plane.
    </>,
    <>Increase the step until the run diverges.</>,
  ];
}

/** The state of the run in sentences. */
function summary(shown: Learned | undefined, rule: WeightRule, k: number, data: UnitCloud): string {
  if (!shown) return 'No run.';
  const { epoch, reconstruction, orthogonality, angle, defect, alpha, converged } = shown;
  const goal = goalOf(data, k);
  return sentences(
    `Epoch ${epoch}: reconstruction loss ${small(reconstruction)}, orthonormality loss ${small(orthogonality)}${
      k === 1 ? angleToGoalText(goal, angle) : `, W is ${small(defect)} from orthonormal`
    }.`,
    sentenceIfUndetermined(goal),
    converged ? ending(rule, k, data, alpha) : '',
  );
}

/** A sentence for weights at rest. */
function ending(rule: WeightRule, k: number, data: UnitCloud, alpha: number): string {
  if (k === 1) return `Arrived: w is a unit vector${isDetermined(goalOf(data, 1)) ? ' on the principal axis' : ''}.`;
  if (!areLengthsDetermined(data, k, alpha)) {
    return 'Arrived: W reproduces all of the data. They lie on a line, so the length of W across it is not determined.';
  }
  if (rule !== 'sanger' || areVariancesEqual(data, 1)) {
    const free = rule === 'sanger' ? ' λ₁ = λ₂, so no axis is the first.' : '';
    return `Arrived: two orthonormal rows, in an orientation that depends on the start.${free}`;
  }
  return 'Arrived: the rows are the two components, in order.';
}

/** Mean lengths of both errors. */
function errors(x: Float64Array, { xRec, y, yRec }: Passed, n: number): readonly [number, number] {
  const k = y.length / n;
  let [first, second] = [0, 0];
  for (let i = 0; i < n; i++) {
    first += Math.hypot(xRec[2 * i] - x[2 * i], xRec[2 * i + 1] - x[2 * i + 1]) / n;
    let sum = 0;
    for (let c = 0; c < k; c++) sum += (yRec[i * k + c] - y[i * k + c]) ** 2;
    second += Math.sqrt(sum) / n;
  }
  return [first, second];
}

interface LossesProps {
  readonly playback: Playback<Learned>;
  readonly epoch: number;
  /** True if there is an axis to find. There is none with two rows in a plane, or if all axes are equally good. */
  readonly angles: boolean;
}

function Losses({ playback, epoch, angles }: LossesProps) {
  const moments = playback.history.until(epoch);
  const curve = (name: string, colour: string, of: (moment: Learned) => number): Series => ({
    name,
    class: colour,
    points: moments.map((moment) => [moment.epoch, of(moment)] as const),
  });
  const series = [
    curve('reconstruction', 'lost', ({ reconstruction }) => reconstruction),
    curve('orthonormality', 'orthogonality', ({ orthogonality }) => orthogonality),
    ...(angles ? [curve('angle to v₁', 'fine', ({ angle }) => angle)] : []),
  ];
  const last = moments[moments.length - 1];
  const least = playback.history.all.map((one) =>
    Math.min(one.reconstruction, one.orthogonality, angles ? one.angle : 1),
  );
  return (
    <LineChart
      series={series}
      x={[0, Math.max(30, playback.reached.value)]}
      y={[lowEnd(least, 1e-6, 1e-14), 10]}
      logY
      xLabel="epoch"
      yLabel={angles ? 'losses, and the angle in rad' : 'losses'}
      room={116}
      height={190}
      label={
        last
          ? `Curves to epoch ${last.epoch}: reconstruction loss ${small(last.reconstruction)}, orthonormality loss ${small(last.orthogonality)}${angles ? `, angle ${small(last.angle)} rad` : ''}.`
          : 'No curves yet.'
      }
    />
  );
}
