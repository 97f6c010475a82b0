import type { Progress } from '@scree/core';
import { escapeLine } from './escape.js';

/** Milliseconds between two redraws of the bar. */
const REDRAW_INTERVAL = 80;
const BAR_WIDTH = 24;

/** Standard error: notes, one per line, and a progress bar if it is a terminal. `quiet` prints neither. */
export class Terminal {
  readonly #quiet: boolean;
  readonly #live: boolean;
  #phase = '';
  #since = 0;
  #drawn = 0;
  #shown = false;

  constructor({ quiet = false }: { quiet?: boolean } = {}) {
    this.#quiet = quiet;
    // A dumb terminal cannot erase a line.
    this.#live = !quiet && process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  }

  /** Prints one line. Control characters in it are escaped, so a file name cannot control the terminal. */
  note(line: string): void {
    if (this.#quiet) return;
    this.clear();
    process.stderr.write(`${escapeLine(line)}\n`);
  }

  readonly onProgress = ({ phase, done, total }: Progress): void => {
    if (!this.#live) return;
    const now = performance.now();
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#since = now;
      this.#drawn = 0;
    }
    if (now - this.#drawn < REDRAW_INTERVAL) return;
    this.#drawn = now;
    this.#shown = true;
    const seconds = (now - this.#since) / 1000;
    process.stderr.write(`\r\x1b[K${bar(phase, done, total, seconds, process.stderr.columns ?? 80)}`);
  };

  /** Removes the bar. */
  clear(): void {
    if (!this.#shown) return;
    process.stderr.write('\r\x1b[K');
    this.#shown = false;
  }
}

/** `covariance ━━━━━━╸     42 %  1.2M/s  3 s left` */
export function bar(phase: string, done: number, total: number | undefined, seconds: number, columns: number): string {
  const rate = seconds > 0.2 ? done / seconds : undefined;
  const speed = rate && phase !== 'eigenvectors' ? `  ${short(rate)}/s` : '';
  if (total === undefined || total === 0) return `${phase}  ${short(done)}${speed}`.slice(0, columns - 1);
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const left = rate && share < 1 ? `  ${duration((total - done) / rate)} left` : '';
  const line = `${phase.padEnd(20)} ${'━'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)} ${String(Math.floor(100 * share)).padStart(3)} %${speed}${left}`;
  return line.slice(0, columns - 1);
}

/** 1234567 as 1.2M. */
function short(value: number): string {
  for (const [unit, name] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (value >= unit) return `${(value / unit).toFixed(1)}${name}`;
  }
  return value.toFixed(0);
}

/** Seconds as text: "12 ms", "3.4 s", "2 min 5 s". */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '…';
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  // Rounded before it is divided, so that 59.7 s is 1 min 0 s and not 60 s.
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
