import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' | 'major' }) => void;

let collect: Collect | undefined;

/** Small collections between two large ones, which also find what was alive by chance when the small ones came by. */
const MINORS = 32;

/**
 * Frees native memory that is only freed when small objects of ours are collected. V8 does not know what stands behind them: a
 * chunk of DuckDB's is hundreds of kilobytes behind a hundred bytes, and rows of a whole file would pile up before it sees a
 * reason to collect. Collecting the young objects takes less time than allocating new memory for what they keep.
 */
export class Collecting {
  readonly #every: number;
  #bytes = 0;
  #minors = 0;

  /** `every` so many bytes of native memory. */
  constructor(every: number) {
    this.#every = every;
  }

  /** So many bytes of native memory are not needed any more. */
  dropped(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#every) return;
    this.#bytes = 0;
    this.#minors = (this.#minors + 1) % MINORS;
    collectNow(this.#minors === 0 ? 'major' : 'minor');
  }
}

/** After a reading: its statement and result are freed as chunks are. */
export function collectNow(type: 'minor' | 'major'): void {
  collect ??= findCollect();
  collect({ type });
}

function findCollect(): Collect {
  const own = (globalThis as { gc?: Collect }).gc;
  if (own) return own;
  try {
    // Only a context made while the flag is on has it: nothing changes for the program that we are part of.
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof found === 'function') return found as Collect;
  } catch {
    // Another engine than V8, or one that forbids it: memory is freed later, then.
  }
  return () => {};
}
