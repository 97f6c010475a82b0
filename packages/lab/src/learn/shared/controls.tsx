import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Choice {
  readonly id: string;
  readonly name: string;
}

/** A choice of one of several values. */
export function Choose({
  label,
  value,
  among,
  onChoose,
}: {
  label: string;
  value: string;
  among: readonly Choice[];
  onChoose: (id: string) => void;
}) {
  const id = useId();
  return (
    <div class="control">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {among.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The value as text, with its unit. */
  readonly text: string;
  readonly onSlide: (value: number) => void;
  readonly class?: string;
}

/** A slider with its value. */
export function Slider({ label, value, min, max, step, text, onSlide, class: name = '' }: SliderProps) {
  const id = useId();
  return (
    <div class={`control ${name}`}>
      <label for={id}>
        {label} <output class="number">{text}</output>
      </label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={text}
        onInput={(event) => onSlide(event.currentTarget.valueAsNumber)}
      />
    </div>
  );
}

/** A checkbox. */
export function Switch({ label, on, onSwitch }: { label: string; on: boolean; onSwitch: (on: boolean) => void }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={on} onChange={(event) => onSwitch(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** The controls of a screen, side by side if there is room. */
export function Controls({ children }: { children: ComponentChildren }) {
  return <div class="controls">{children}</div>;
}
