import { batch, type Signal, signal } from '@preact/signals';
import { ConvergenceError, ScreeError } from '@scree/core';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { History, type Moment } from './history.js';
import { reducedMotion } from './motion.js';

/**
 * A run in epochs. Each call returns the next moment, or undefined after the last one. It may throw. If the error is a
 * ConvergenceError with a `best` moment, the run has returned to that moment.
 */
export interface EpochRun<M extends Moment> {
  next(): M | undefined;
}

interface Options {
  /** Epochs per second at speed 1. */
  readonly rate?: number;
}

/** Speed as a multiple of the usual speed. All screens share this setting. */
export const speed = signal(1);

/** Milliseconds of computing per frame: short enough for the page to stay smooth. */
const SLICE = 10;
/** Milliseconds between two still pictures if the user has asked for reduced motion. */
const STILL = 700;

/**
 * Plays and records a run. It shows a moment of the history, and computes the next moment at the end of the history. Nothing
 * plays before the user asks for it.
 */
export class Playback<M extends Moment> {
  /** The moment that is shown; undefined only if the run could not begin. */
  readonly shown: Signal<M | undefined>;
  /** The last epoch that was recorded. */
  readonly reached: Signal<number>;
  readonly playing: Signal<boolean>;
  /** True if the run has ended. */
  readonly ended: Signal<boolean>;
  readonly problem: Signal<ScreeError | undefined>;
  history = new History<M>();
  readonly #make: () => EpochRun<M>;
  readonly #rate: number;
  #run: EpochRun<M> | undefined;
  #request = 0;
  #before = 0;
  #due = 0;
  #hurried = false;

  constructor(make: () => EpochRun<M>, { rate = 20 }: Options = {}) {
    this.#make = make;
    this.#rate = rate;
    this.shown = signal(undefined);
    this.reached = signal(0);
    this.playing = signal(false);
    this.ended = signal(false);
    this.problem = signal(undefined);
    this.#begin();
  }

  play(): void {
    if (this.playing.peek() || this.#over()) return;
    this.problem.value = undefined;
    this.playing.value = true;
    this.#before = performance.now();
    this.#due = 0;
    this.#request = requestAnimationFrame(this.#tick);
  }

  pause(): void {
    this.#hurried = false;
    this.playing.value = false;
    cancelAnimationFrame(this.#request);
  }

  toggle(): void {
    if (this.playing.peek()) this.pause();
    else if (this.#over()) this.restart();
    else this.play();
  }

  /** Computes to the end without waiting for pictures. */
  hurry(): void {
    this.pause();
    if (this.ended.peek()) {
      this.seek(this.reached.peek());
      return;
    }
    this.play();
    this.#hurried = true;
  }

  restart(): void {
    this.rewind();
    if (!reducedMotion.peek()) this.play();
  }

  /** Discards the run and begins a new one, which waits to be played. */
  rewind(): void {
    this.pause();
    this.#begin();
  }

  seek(epoch: number): void {
    this.pause();
    this.shown.value = this.history.at(epoch) ?? this.shown.peek();
  }

  /** One moment forward or back; computed if it is not recorded yet. */
  step(forward: boolean): void {
    this.pause();
    const at = this.shown.peek()?.epoch ?? 0;
    if (forward) this.#advance();
    else this.shown.value = this.history.before(at) ?? this.shown.peek();
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
  }

  #begin(): void {
    batch(() => {
      this.history = new History<M>();
      this.ended.value = false;
      this.problem.value = undefined;
      this.shown.value = undefined;
      this.reached.value = 0;
      try {
        this.#run = this.#make();
      } catch (error) {
        this.#fail(error);
      }
      if (this.#run) this.#advance();
    });
  }

  /** True if the last moment is shown and the run has ended. */
  #over(): boolean {
    const at = this.shown.peek()?.epoch;
    return this.ended.peek() && (at === undefined || at >= this.reached.peek());
  }

  /** Shows the next moment. Returns false if the run has ended. */
  #advance(): boolean {
    const at = this.shown.peek();
    const recorded = at && this.history.after(at.epoch);
    if (recorded) {
      this.shown.value = recorded;
      return true;
    }
    if (this.ended.peek() || !this.#run) return false;
    try {
      const moment = this.#run.next();
      if (!moment) {
        this.ended.value = true;
        return false;
      }
      this.#record(moment);
      return !moment.converged;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #record(moment: M): void {
    this.history.push(moment);
    batch(() => {
      this.shown.value = moment;
      this.reached.value = moment.epoch;
      if (moment.converged) this.ended.value = true;
    });
  }

  /**
   * Errors of the library are shown on the screen. Any other error is a bug and is thrown. If the run has returned to an earlier
   * moment, that moment is shown, because the run continues from there.
   */
  #fail(error: unknown): void {
    this.pause();
    if (!(error instanceof ScreeError)) throw error;
    if (error instanceof ConvergenceError && error.best) this.#record(error.best as M);
    this.problem.value = error;
  }

  readonly #tick = (now: number): void => {
    const elapsed = now - this.#before;
    const still = reducedMotion.peek() && !this.#hurried;
    if (still && elapsed < STILL) {
      this.#request = requestAnimationFrame(this.#tick);
      return;
    }
    this.#before = now;
    // After a pause in the background, the run does not catch up.
    this.#due += (Math.min(elapsed, STILL) / 1000) * this.#rate * speed.peek();
    const end = performance.now() + SLICE;
    let going = true;
    batch(() => {
      while (going && (this.#hurried || this.#due >= 1) && performance.now() < end) {
        this.#due -= 1;
        going = this.#advance();
      }
    });
    this.#due = Math.min(this.#due, 1);
    if (going && this.playing.peek()) this.#request = requestAnimationFrame(this.#tick);
    else this.pause();
  };
}

/** A playback that is replaced when one of its dependencies changes. The new playback plays if the previous one did. */
export function usePlayback<M extends Moment>(
  make: () => EpochRun<M>,
  depends: readonly unknown[],
  options: Options = {},
): Playback<M> {
  const playback = useMemo(() => new Playback(make, options), depends);
  const before = useRef(playback);
  useEffect(() => {
    if (before.current !== playback && before.current.playing.peek()) playback.play();
    before.current = playback;
    return () => playback.dispose();
  }, [playback]);
  return playback;
}
