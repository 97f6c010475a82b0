import { batch, type Signal, signal } from '@preact/signals';
import { ConvergenceError, ScreeError } from '@scree/core';
import { useEffect, useMemo } from 'preact/hooks';
import { History, type Moment } from './history.js';
import { reducedMotion } from './motion.js';

/** Something that happens in epochs: each call is the next moment, and undefined after the last one. It may throw; a
 * ConvergenceError with a `best` moment has gone back there. */
export interface Road<M extends Moment> {
  next(): M | undefined;
}

interface Options {
  /** Epochs a second at the usual speed. */
  readonly rate?: number;
  /** Waits for the user; with reduced motion everything does. */
  readonly paused?: boolean;
}

/** How many times the usual speed: one choice for all screens. */
export const speed = signal(1);

/** Milliseconds of computing in a frame: well below what a page can be held up unnoticed. */
const SLICE = 10;
/** Milliseconds from one still to the next when motion is not wanted. */
const STILL = 700;

/** Plays a road and records it: what is shown is a moment of its history, and the road goes on where that ends. */
export class Playback<M extends Moment> {
  /** What is shown; undefined only when the road could not begin. */
  readonly shown: Signal<M | undefined>;
  /** The last epoch that was recorded. */
  readonly reached: Signal<number>;
  readonly playing: Signal<boolean>;
  /** Whether the road has come to its end. */
  readonly ended: Signal<boolean>;
  readonly problem: Signal<ScreeError | undefined>;
  history = new History<M>();
  readonly #make: () => Road<M>;
  readonly #rate: number;
  #road: Road<M> | undefined;
  #request = 0;
  #before = 0;
  #due = 0;
  #hurried = false;

  constructor(make: () => Road<M>, { rate = 20, paused = false }: Options = {}) {
    this.#make = make;
    this.#rate = rate;
    this.shown = signal(undefined);
    this.reached = signal(0);
    this.playing = signal(false);
    this.ended = signal(false);
    this.problem = signal(undefined);
    this.#begin();
    if (!paused && !reducedMotion.peek()) this.play();
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

  /** Computes on to the end without waiting for pictures. */
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
    this.pause();
    this.#begin();
    if (!reducedMotion.peek()) this.play();
  }

  seek(epoch: number): void {
    this.pause();
    this.shown.value = this.history.at(epoch) ?? this.shown.peek();
  }

  /** One moment on or back, computed where it is not recorded yet. */
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
        this.#road = this.#make();
      } catch (error) {
        this.#fail(error);
      }
      if (this.#road) this.#advance();
    });
  }

  /** Nothing is left to be shown, recorded or not. */
  #over(): boolean {
    const at = this.shown.peek()?.epoch;
    return this.ended.peek() && (at === undefined || at >= this.reached.peek());
  }

  /** Shows the next moment; false when there is none. */
  #advance(): boolean {
    const at = this.shown.peek();
    const recorded = at && this.history.after(at.epoch);
    if (recorded) {
      this.shown.value = recorded;
      return true;
    }
    if (this.ended.peek() || !this.#road) return false;
    try {
      const moment = this.#road.next();
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
   * What the mathematics refuses is told on the screen; anything else is a mistake of ours and must be heard. A road that has gone back to its
   * lowest place says so, and that place is shown: it is where it goes on from.
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
    // A page that was in the background does not catch up.
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

/** A playback that lives as long as what it depends on stays the same. */
export function usePlayback<M extends Moment>(
  make: () => Road<M>,
  depends: readonly unknown[],
  options: Options = {},
): Playback<M> {
  const playback = useMemo(() => new Playback(make, options), depends);
  useEffect(() => () => playback.dispose(), [playback]);
  return playback;
}
