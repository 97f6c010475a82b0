import { formatNumber } from '@scree/analysis/describe';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf } from '../../route.js';
import { nextOf, type ScreenId, titleOf } from '../screens.js';
import type { Moment } from './history.js';
import type { Playback } from './playback.js';
import { Player } from './player.js';

interface Props<M extends Moment> {
  readonly id: ScreenId;
  readonly playback: Playback<M>;
  readonly unit?: string;
  /** Two or three sentences that explain the picture. */
  readonly lead: ComponentChildren;
  readonly picture: ComponentChildren;
  readonly controls: ComponentChildren;
  /** The formula and numbers. */
  readonly side: ComponentChildren;
  /** Curves, below the picture. */
  readonly below?: ComponentChildren;
  /** The state of the run in sentences, shown below the picture and read aloud by screen readers. */
  readonly summary: string;
  /** Angle to the exact result, in radians. */
  readonly angle: number;
  readonly converged: boolean;
  /** An error of the run, and how to continue. */
  readonly problem?: ComponentChildren;
  readonly tries: readonly ComponentChildren[];
}

/** The layout that all Learn screens share. */
export function Screen<M extends Moment>(props: Props<M>) {
  const { id, playback, unit, lead, picture, controls, side, below, summary, angle, converged, problem, tries } = props;
  const next = nextOf(id);
  return (
    <article
      class="screen"
      data-screen={id}
      data-epoch={playback.shown.value?.epoch ?? -1}
      data-reached={playback.reached.value}
      data-angle={angle}
      data-converged={converged}
      data-playing={playback.playing.value}
    >
      <header class="screen-head">
        <h1 tabIndex={-1}>{titleOf(id)}</h1>
        <p>{lead}</p>
      </header>
      <div class="screen-body">
        <div class="column">
          <section class="panel picture" aria-label="Picture">
            {picture}
            <Player playback={playback} {...(unit === undefined ? {} : { unit })} />
            <p class={`summary ${converged ? 'arrived' : ''}`}>{summary}</p>
            {problem}
          </section>
          {below && (
            <section class="panel below" aria-label="Curves">
              {below}
            </section>
          )}
        </div>
        <div class="column">
          <section class="panel settings" aria-label="Settings">
            {controls}
          </section>
          <section class="aside" aria-label="Formula and numbers">
            {side}
          </section>
        </div>
      </div>
      <div class="screen-foot">
        <section class="panel">
          <h2>Try</h2>
          <ul>
            {tries.map((text, i) => (
              <li key={i}>{text}</li>
            ))}
          </ul>
        </section>
      </div>
      <div class="onward">
        <p class="hint">
          Keys: space plays and pauses, <kbd>←</kbd> and <kbd>→</kbd> step, Home and End go to the ends. Nothing here
          leaves your browser.
        </p>
        <a class="button" href={next ? addressOf(['learn', next]) : addressOf(['explore'])}>
          Next: {next ? titleOf(next) : 'your own data'} <span aria-hidden="true">→</span>
        </a>
      </div>
      <Announcer text={summary} now={!playback.playing.value} />
    </article>
  );
}

/** Milliseconds between two announcements to screen readers. */
const ANNOUNCE_EVERY = 4000;

/** Announces a changing text to screen readers, every few seconds and whenever the run pauses or ends. */
function Announcer({ text, now }: { text: string; now: boolean }) {
  const [spoken, speak] = useState('');
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    if (now) {
      speak(text);
      return;
    }
    const timer = setInterval(() => speak(latest.current), ANNOUNCE_EVERY);
    return () => clearInterval(timer);
  }, [now, now ? text : '']);
  return (
    <p class="visually-hidden" aria-live="polite" data-announced>
      {spoken}
    </p>
  );
}

/** The reason why a run stopped, and a button to continue. */
export function RunProblem<M extends Moment>({
  playback,
  onShorter,
}: {
  playback: Playback<M>;
  /** Continues with the step that the error proposes. */
  onShorter?: (step: number) => void;
}) {
  const error = playback.problem.value;
  if (!error) return null;
  const shorter = error.code === 'DIVERGED' ? Number(error.details.expected) : Number.NaN;
  return (
    <div class="trouble" role="alert" data-problem={error.code}>
      <p>
        {error.code === 'DIVERGED' ? (
          <>
            <strong>The step is too long.</strong> It jumped across the valley and came out higher on the other side,
            and each further jump would land higher still: no step above 2/curvature can settle. The run has returned to
            its lowest point.
          </>
        ) : (
          <>
            <strong>This run cannot continue.</strong> {error.message}
          </>
        )}
      </p>
      {onShorter && Number.isFinite(shorter) && (
        <button type="button" onClick={() => onShorter(shorter)}>
          Continue with a step of {formatNumber(shorter)}
        </button>
      )}
    </div>
  );
}
