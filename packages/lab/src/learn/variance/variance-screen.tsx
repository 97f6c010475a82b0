import { useSignal } from '@preact/signals';
import { percent } from '@scree/analysis/describe';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { boxOf, type Cloud, cloudChoices, useCloud } from '../shared/clouds.js';
import { Choose, Controls, Slider, Switch } from '../shared/controls.js';
import { angleText, type Units, unitsFor, withDecimals } from '../shared/format.js';
import {
  Formula,
  frac,
  Live,
  normBars,
  num,
  op,
  Piece,
  row,
  square,
  sub,
  sum,
  tenTo,
  transposed,
  word,
} from '../shared/formula.js';
import { reducedMotion } from '../shared/motion.js';
import { usePlayback } from '../shared/playback.js';
import { Screen } from '../shared/screen.js';
import { numberIn, useSettings } from '../shared/settings.js';
import { TurnChart } from './turn-chart.js';
import { TurnStage } from './turn-stage.js';
import { climb, lineAngle, ON_AXIS, turningOf } from './turning.js';

const DEFAULTS = { cloud: 'tilted', angle: '-50', snap: 'yes' };

/** A line that the user turns, the variance that it keeps and loses, and its turn to the principal axis after it is released. */
export function VarianceScreen() {
  const [settings, change] = useSettings(DEFAULTS);
  const cloud = useCloud(settings.cloud, 2);
  const turning = useMemo(() => turningOf(cloud.points), [cloud]);
  const snap = settings.snap !== 'no';
  const given = (numberIn(settings.angle, -90, 90, -50) * Math.PI) / 180;
  // The angle at which a run begins: the angle in the address for the first run, then the angle at which the user released the line.
  const start = useSignal({ angle: given, run: 0 });
  const held = useSignal<number | undefined>(undefined);
  const turnsToAxis = useRef(false);
  const playback = usePlayback(() => climb(turning, start.value.angle), [turning, start.value.run], {
    rate: 60,
  });
  const angle = held.value ?? playback.shown.value?.angle ?? 0;
  const off = lineAngle(angle - turning.axis);
  const [kept, lost] = [turning.kept(angle), turning.total - turning.kept(angle)];

  const turn = (to: number): void => {
    playback.pause();
    held.value = lineAngle(to);
  };
  const release = (toAxis: boolean): void => {
    if (held.value === undefined) return;
    start.value = { angle: held.value, run: start.value.run + 1 };
    change({ angle: ((held.value * 180) / Math.PI).toFixed(0) });
    held.value = undefined;
    turnsToAxis.current = toAxis;
  };
  // After the user has released the line, the new run starts at once.
  useEffect(() => {
    if (!turnsToAxis.current) return;
    turnsToAxis.current = false;
    if (reducedMotion.peek()) playback.hurry();
    else playback.play();
  }, [playback]);

  const converged = turning.isRound || Math.abs(off) < ON_AXIS;
  const { total, isRound } = turning;
  const units = unitsFor(total);
  const summary = `The line keeps ${units.text(kept)} and loses ${units.text(lost)} of ${units.text(total)}: ${percent(kept / total)} kept. ${
    isRound
      ? 'λ₁ = λ₂: the axis is not determined, every line keeps as much.'
      : converged
        ? 'It lies on the principal axis.'
        : `${angleText(off)} to the principal axis.`
  }`;
  return (
    <Screen
      id="variance"
      playback={playback}
      unit="step"
      lead={
        <>
          Every point is projected onto the line. <b class="kept">Its position along the line</b> is kept,{' '}
          <b class="lost">its distance to the line</b> is lost. Turn the line: the two parts change, but by Pythagoras’
          theorem their sum does not. So the line of most variance is also the line of least error. When you release the
          line, it turns to that direction.
        </>
      }
      picture={
        <TurnStage
          points={cloud.points}
          reach={boxOf(cloud.points)}
          angle={angle}
          {...(isRound ? {} : { axis: turning.axis })}
          onTurn={turn}
          onRelease={() => release(snap)}
        />
      }
      controls={
        <VarianceControls
          cloud={cloud}
          angle={angle}
          snap={snap}
          onCloud={(id) => {
            change({ cloud: id });
            start.value = { angle, run: start.value.run + 1 };
          }}
          onAngle={(to) => {
            turn(to);
            release(false);
          }}
          onSnap={(on) => change({ snap: on ? 'yes' : 'no' })}
        />
      }
      side={
        <>
          <KeptAndLost kept={kept} lost={lost} units={units} />
          <div class="panel">
            <TurnChart turning={turning} angle={angle} />
          </div>
        </>
      }
      summary={summary}
      angle={isRound ? 0 : Math.abs(off)}
      converged={converged}
      tries={TRIES}
    />
  );
}

interface ControlsProps {
  readonly cloud: Cloud;
  readonly angle: number;
  readonly snap: boolean;
  readonly onCloud: (id: string) => void;
  readonly onAngle: (angle: number) => void;
  readonly onSnap: (on: boolean) => void;
}

function VarianceControls({ cloud, angle, snap, onCloud, onAngle, onSnap }: ControlsProps) {
  const degrees = (lineAngle(angle) * 180) / Math.PI;
  return (
    <Controls>
      <Choose label="Points" value={cloud.id} among={cloudChoices(2)} onChoose={onCloud} />
      <Slider
        label="Angle of the line"
        value={Math.round(degrees)}
        min={-90}
        max={90}
        step={1}
        text={`${withDecimals(degrees, 1)}°`}
        onSlide={(to) => onAngle((to * Math.PI) / 180)}
      />
      <Switch label="Turns to the axis when released" on={snap} onSwitch={onSnap} />
    </Controls>
  );
}

/** The variance that the line keeps and loses, as a bar and as formulas with their values. */
function KeptAndLost({ kept, lost, units }: { kept: number; lost: number; units: Units }) {
  const total = kept + lost;
  const power = units.power === 0 ? '' : row(tenTo(units.power), op('·'));
  return (
    <div class="panel">
      <h2>Kept + lost = total</h2>
      <Bar kept={kept} lost={lost} />
      <Formula>
        <Piece>
          {frac(num(1), row('n', op('−'), num(1)))}
          {sum('i')}
          {square(row(op('('), transposed('u'), sub('x', 'i'), op(')')))}
          {op('=')}
          <Live value={units.text(kept)} of="kept" />
        </Piece>
        <Piece>
          {frac(num(1), row('n', op('−'), num(1)))}
          {sum('i')}
          {square(normBars(sub('x', 'i'), op('−'), row(op('('), transposed('u'), sub('x', 'i'), op(')')), 'u'))}
          {op('=')}
          <Live value={units.text(lost)} of="lost" />
        </Piece>
        {power && (
          <Piece>
            {row(trace, op('='))}
            <Live value={units.text(total)} />
          </Piece>
        )}
        <Piece>
          {power && row(power, op('('))}
          <Live value={units.mantissa(kept)} of="kept" />
          {op('+')}
          <Live value={units.mantissa(lost)} of="lost" />
          {power && op(')')}
          {op('=')}
          {power}
          <Live value={units.mantissa(total)} />
          {!power && row(op('='), trace)}
        </Piece>
      </Formula>
    </div>
  );
}

const TRIES = [
  <>Turn the line across the cloud: there it keeps the least variance, which is the other eigenvalue, λ₂.</>,
  <>Choose the points that are almost round. The curve is almost flat: all lines are nearly equally good.</>,
  <>Choose the banana. There is a best line, but a line is a poor model of a curve.</>,
];

const trace = row(word('tr'), 'C');

/** Both parts of the total as one bar. */
function Bar({ kept, lost }: { kept: number; lost: number }) {
  const total = kept + lost || 1;
  return (
    <div class="stacked" aria-hidden="true">
      <div class="kept" style={{ width: `${(100 * kept) / total}%` }}>
        {kept / total > 0.2 && <span>kept {percent(kept / total)}</span>}
      </div>
      <div class="lost" style={{ width: `${(100 * lost) / total}%` }}>
        {lost / total > 0.2 && <span>lost {percent(lost / total)}</span>}
      </div>
    </div>
  );
}
