import { useSignal } from '@preact/signals';
import { type Matrix, pca, type Uniqueness } from '@scree/core';
import { useEffect, useMemo } from 'preact/hooks';
import { axesOf } from '../shared/axes.js';
import { Choose, Controls, Slider } from '../shared/controls.js';
import { angleText, withDecimals } from '../shared/format.js';
import { usePlayback } from '../shared/playback.js';
import { Screen } from '../shared/screen.js';
import { numberIn, oneOf, useSettings } from '../shared/settings.js';
import { cloudWith, fanOf, lineTurn, subspaceTurn, typical, type Wobble, wobble } from './fan.js';
import { FanStage } from './fan-stage.js';
import { Variances, VerdictPanel } from './uniqueness-panels.js';

const DEFAULTS = { second: '2', third: '0.6', k: '2', noise: '0.2', stored: 'float64' };
const FIRST = 4;
const COPIES = 36;
/** An axis counts as undetermined if noise turns it by more than this, in radians. */
const UNDETERMINED_TURN = 0.35;

/** Eigenvalues that become equal: the axes spin while the subspace stays fixed, or the subspace is not determined either. */
export function UniquenessScreen() {
  const [settings, change] = useSettings(DEFAULTS);
  const second = numberIn(settings.second, 0.2, FIRST, 2);
  const third = Math.min(second, numberIn(settings.third, 0.1, FIRST, 0.6));
  const noise = numberIn(settings.noise, 0.01, 0.6, 0.2);
  const k = Math.round(numberIn(settings.k, 1, 2, 2));
  const stored = oneOf(settings.stored, ['float64', 'float32']);
  const points = useMemo(() => cloudWith([FIRST, second, third]), [second, third]);
  const still = useMemo(() => axesOf(points), [points]);
  const fan = useMemo(() => fanOf(points, noise, COPIES), [points, noise]);
  const verdict = useVerdict(points, k, stored);
  const playback = usePlayback<Wobble>(() => wobble(points, noise), [points, noise], { rate: 24 });
  const shown = playback.shown.value;
  const turns = {
    axis: typical(fan.map((one) => lineTurn(one.vectors.subarray(0, 3), still.vectors.subarray(0, 3)))),
    subspace: typical(fan.map((one) => subspaceTurn(one, still, k))),
  };
  const now = shown ? subspaceTurn(shown.axes, still, k) : 0;
  const what = k === 1 ? 'axis' : 'plane';
  const summary = `λ₁ = ${withDecimals(FIRST)}, λ₂ = ${withDecimals(second)}, λ₃ = ${withDecimals(third)}. Noise turns the first axis by ${angleText(turns.axis)}, typically, and the ${what} of the first ${k === 1 ? 'component' : 'two'} by ${angleText(turns.subspace)}. ${verdictText(turns.axis, turns.subspace, k)}`;

  return (
    <Screen
      id="uniqueness"
      playback={playback}
      unit="moment"
      lead={
        <>
          Every library returns axes, but the data may not determine them. Thin lines are the axes of {COPIES} copies of
          the data with a little noise; the arrows show the axes as the noise changes. If λ₂ equals λ₁, the axes spin in
          a plane that stays fixed. If λ₃ equals λ₂, the plane is not determined either.
        </>
      }
      picture={
        <FanStage
          points={shown?.points ?? points}
          axes={shown?.axes ?? still}
          fan={fan}
          k={k}
          sizes={[FIRST, second, third].map(Math.sqrt)}
        />
      }
      controls={<UniquenessControls second={second} third={third} noise={noise} k={k} onChange={change} />}
      side={
        <>
          <Variances values={[FIRST, second, third]} k={k} noise={noise} measured={turns.subspace} />
          <VerdictPanel verdict={verdict} k={k} stored={stored} onStored={(id) => change({ stored: id })} />
        </>
      }
      summary={summary}
      angle={now}
      converged={shown?.converged === true}
      tries={TRIES}
    />
  );
}

interface ControlsProps {
  readonly second: number;
  readonly third: number;
  readonly noise: number;
  readonly k: number;
  readonly onChange: (change: Partial<Record<keyof typeof DEFAULTS, string>>) => void;
}

function UniquenessControls({ second, third, noise, k, onChange }: ControlsProps) {
  return (
    <Controls>
      <Slider
        label="λ₂"
        class="axis-1"
        value={second}
        min={0.2}
        max={FIRST}
        step={0.1}
        text={second === FIRST ? `${withDecimals(second, 1)} = λ₁` : withDecimals(second, 1)}
        onSlide={(value) => onChange({ second: String(value) })}
      />
      <Slider
        label="λ₃"
        class="axis-2"
        value={third}
        min={0.1}
        max={FIRST}
        step={0.1}
        text={third === second ? `${withDecimals(third, 1)} = λ₂` : withDecimals(third, 1)}
        onSlide={(value) => onChange({ third: String(Math.min(value, second)) })}
      />
      <Slider
        label="Noise ε"
        value={noise}
        min={0.02}
        max={0.6}
        step={0.02}
        text={withDecimals(noise)}
        onSlide={(value) => onChange({ noise: String(value) })}
      />
      <Choose
        label="Subspace of"
        value={String(k)}
        among={[
          { id: '1', name: 'the first component' },
          { id: '2', name: 'the first two' },
        ]}
        onChoose={(id) => onChange({ k: id })}
      />
      <div class="presets">
        <button type="button" onClick={() => onChange({ second: '4', third: '0.6', k: '2' })}>
          λ₂ = λ₁
        </button>
        <button type="button" onClick={() => onChange({ second: '2', third: '2', k: '2' })}>
          λ₃ = λ₂
        </button>
        <button type="button" onClick={() => onChange({ second: '2', third: '0.6', k: '2' })}>
          all apart
        </button>
      </div>
    </Controls>
  );
}

const TRIES = [
  <>
    Press λ₂ = λ₁: v₁ and v₂ point anywhere in the plane, but the planes still coincide. Choose the first component
    only, and nothing is determined.
  </>,
  <>Press λ₃ = λ₂: v₁ stays fixed, v₂ spins about it, and the plane spins with it.</>,
  <>
    Make two of them almost equal and lower the noise: the turn is the noise divided by the gap. The smallest gap that
    still determines the axes depends on the precision of the data.
  </>,
];

function verdictText(axis: number, subspace: number, k: number): string {
  if (subspace > UNDETERMINED_TURN) return `The ${k === 1 ? 'axis' : 'plane'} is not determined.`;
  if (k === 1) return 'The axis is determined.';
  return axis > UNDETERMINED_TURN ? 'The axes spin, the plane stays fixed.' : 'Axes and plane are determined.';
}

/** The library's verdict on the data without noise. */
function useVerdict(points: Matrix<Float64Array>, k: number, stored: 'float64' | 'float32'): Uniqueness | undefined {
  const verdict = useSignal<Uniqueness | undefined>(undefined);
  useEffect(() => {
    let left = false;
    const data = stored === 'float32' ? { ...points, data: Float32Array.from(points.data) } : points;
    pca(data, { k, solver: 'svd' }).then(({ uniqueness }) => {
      if (!left) verdict.value = uniqueness;
    });
    return () => {
      left = true;
    };
  }, [points, k, stored, verdict]);
  return verdict.value;
}
