import { useSignalEffect } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { Moment } from './history.js';
import { type Playback, speed } from './playback.js';

const SPEEDS = [
  [0.25, '¼×'],
  [1, '1×'],
  [4, '4×'],
  [16, '16×'],
] as const;

/** Elements that use the player's keys themselves. */
const BUSY = 'input, select, textarea, button, a, summary, [role="slider"], [data-keys]';

interface Props<M extends Moment> {
  readonly playback: Playback<M>;
  /** The screen's word for an epoch. */
  readonly unit?: string;
}

/** Play, pause, step, seek and speed, by pointer and by keys. */
export function Player<M extends Moment>({ playback, unit = 'epoch' }: Props<M>) {
  const id = useId();
  const { playing, shown, reached, ended } = playback;
  useKeys(playback);
  const epoch = shown.value?.epoch ?? 0;
  const over = ended.value && epoch >= reached.value;
  const main = playing.value ? 'Pause' : over ? 'Again' : 'Play';
  return (
    <fieldset class="player">
      <legend class="visually-hidden">Player</legend>
      <button type="button" class="primary play" onClick={() => playback.toggle()}>
        <Icon path={playing.value ? PAUSE : over ? AGAIN : PLAY} /> {main}
      </button>
      <button
        type="button"
        class="icon"
        aria-label="One step back"
        disabled={epoch === 0}
        onClick={() => playback.step(false)}
      >
        <Icon path={BACK} />
      </button>
      <button type="button" class="icon" aria-label="One step on" disabled={over} onClick={() => playback.step(true)}>
        <Icon path={ON} />
      </button>
      <button type="button" class="icon" aria-label="To the end" disabled={over} onClick={() => playback.hurry()}>
        <Icon path={END} />
      </button>
      <button type="button" class="icon" aria-label="Restart" onClick={() => playback.restart()}>
        <Icon path={AGAIN} />
      </button>
      <label class="speed">
        <span class="visually-hidden">Speed</span>
        <select value={String(speed.value)} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
          {SPEEDS.map(([times, name]) => (
            <option key={times} value={String(times)}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="seek">
        <label class="visually-hidden" for={id}>
          Go to {unit}
        </label>
        <input
          id={id}
          type="range"
          min={0}
          max={Math.max(1, reached.value)}
          value={epoch}
          aria-valuetext={`${unit} ${epoch} of ${reached.value}`}
          onInput={(event) => playback.seek(event.currentTarget.valueAsNumber)}
        />
        <output class="number">
          {unit} {epoch}
        </output>
      </div>
    </fieldset>
  );
}

/** Space plays and pauses, arrows step, Home and End go to the ends. An element that uses these keys itself gets them if it has the focus. */
function useKeys<M extends Moment>(playback: Playback<M>): void {
  useEffect(() => {
    const actions: Record<string, () => void> = {
      ' ': () => playback.toggle(),
      ArrowLeft: () => playback.step(false),
      ArrowRight: () => playback.step(true),
      Home: () => playback.seek(0),
      End: () => playback.hurry(),
    };
    const press = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(BUSY)) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [playback]);
  // A hidden page does not compute.
  useSignalEffect(() => {
    if (!playback.playing.value) return;
    const leave = (): void => {
      if (document.hidden) playback.pause();
    };
    document.addEventListener('visibilitychange', leave);
    return () => document.removeEventListener('visibilitychange', leave);
  });
}

const PLAY = 'M3 1.5v13l11-6.5z';
const PAUSE = 'M3 2h3.5v12H3zM9.5 2H13v12H9.5z';
const BACK = 'M12 2v12L4 8zM2 2h1.8v12H2z';
const ON = 'M4 2v12l8-6zM12.2 2H14v12h-1.8z';
const END = 'M2 2v12l6-6zM8 2v12l6-6zM14 2h1.5v12H14z';
const AGAIN = 'M8 2.5a5.5 5.5 0 1 0 5.3 7h-2a3.6 3.6 0 1 1-.9-4L8.2 7.7H14V1.9l-2.2 2.2A5.5 5.5 0 0 0 8 2.5z';

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="currentColor">
      <path d={path} />
    </svg>
  );
}
