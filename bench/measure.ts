import type { Contender, Fit } from './contender.js';

/** Timing that survives a shared machine: contenders take turns, garbage is collected between, medians and spread are kept. */

export interface Spread {
  /** Milliseconds: median, and the middle half of the samples. */
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

export interface Rounds {
  readonly least: number;
  readonly most: number;
  /** Seconds; no round begins after. */
  readonly budget: number;
}

/**
 * Young garbage only: a full collection also throws away compiled code, which no program does to itself between two fits,
 * and which cost the small decompositions up to twice their time.
 */
const collector = (globalThis as { gc?: (options: { type: 'minor' }) => void }).gc;
const collect = (): void => collector?.({ type: 'minor' });
/** What one reading of the clock should cover, in seconds. */
const READING = 0.05;
/** Seconds of fitting after which a short fit counts as warm. */
const WARM = 0.5;
/** Threads of the one before spin for some milliseconds after their work; nothing should be measured at that time. */
const SETTLE = 100;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The first fit, which also warms up: short ones go on until the compiler has had its time. */
export async function trial(contender: Contender): Promise<Fit> {
  collect();
  await wait(SETTLE);
  let fit = await contender.fit(1);
  if (fit.seconds >= READING) return fit;
  for (let spent = fit.seconds; spent < WARM; ) {
    const repeat = Math.ceil(READING / fit.seconds);
    fit = await contender.fit(repeat);
    spent += repeat * fit.seconds;
  }
  return fit;
}

/** All contenders once a round, the order turned round every time; milliseconds of each. */
export async function interleave(
  entries: readonly { readonly contender: Contender; readonly trial: Fit }[],
  { least, most, budget }: Rounds,
  onRound: (round: number) => void,
): Promise<number[][]> {
  const samples: number[][] = entries.map(() => []);
  const start = performance.now();
  for (let round = 0; round < most; round++) {
    if (round >= least && performance.now() - start > budget * 1000) break;
    onRound(round + 1);
    const order = entries.map((_, i) => (round % 2 === 0 ? i : entries.length - 1 - i));
    for (const i of order) {
      const { contender, trial } = entries[i];
      collect();
      await wait(SETTLE);
      // Short fits are warmed again after the wait.
      if (trial.seconds < READING / 10) await contender.fit(Math.ceil((2 * READING) / trial.seconds));
      samples[i].push(1000 * (await contender.fit(Math.max(1, Math.round(READING / trial.seconds)))).seconds);
    }
  }
  return samples;
}

export function spread(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    return sorted[below] + (place - below) * (sorted[Math.ceil(place)] - sorted[below]);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75), runs: sorted.length };
}
