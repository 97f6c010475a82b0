import type { Evidence, EvidenceOptions } from '../criteria/criterion.js';

/** Fewest simulated tables that a 95 % quantile can be taken from. */
const FEWEST = 59;
const MOST = 1000;
/** Operations that the default number of tables may take: some seconds. */
const OPERATIONS = 6e9;
/** Operations beyond which nothing is simulated by default. */
const TOO_MANY_OPERATIONS = 1e11;

/** Returns true if even the fewest tables take minutes, and their number was not given. */
export function takesTooLong({ permutations }: EvidenceOptions, operations: number): boolean {
  return permutations === undefined && FEWEST * operations > TOO_MANY_OPERATIONS;
}

/** The number of tables to simulate: the requested one, or one that follows from the shape alone. */
export function simulations({ permutations }: EvidenceOptions, operations: number): number {
  return permutations ?? Math.max(FEWEST, Math.min(MOST, Math.floor(OPERATIONS / operations)));
}

/** Simulates `count` spectra of `size` values and returns the quantile of each component. */
export async function quantiles(
  count: number,
  size: number,
  { options, progress }: Evidence,
  phase: string,
  simulate: () => Float64Array | Promise<Float64Array>,
): Promise<number[]> {
  const valuesByComponent = Array.from({ length: size }, () => new Float64Array(count));
  progress.begin(phase, count);
  for (let i = 0; i < count; i++) {
    const values = await simulate();
    for (let j = 0; j < size; j++) valuesByComponent[j][i] = values[j];
    const pause = progress.step(1);
    if (pause) await pause;
  }
  progress.end();
  return valuesByComponent.map((values) => upperQuantile(values, options.quantile));
}

/**
 * The quantile q of simulated values, the one of rank ⌈q·(count + 1)⌉. Data like the simulated ones exceed it with probability 1 − q or
 * less, for any number of simulations.
 */
export function upperQuantile(values: ArrayLike<number>, q: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length, Math.ceil(q * (sorted.length + 1))) - 1];
}

/** "1 table", "1,000 tables". */
export function tables(count: number, kind: string): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${kind}table${count === 1 ? '' : 's'}`;
}

/** 0.95 as 95 %. */
export function percentOf(quantile: number): string {
  return `${Number((100 * quantile).toPrecision(6))} %`;
}
