import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Gc = (options?: { readonly type: 'minor' | 'major' }) => void;

let gc: Gc | undefined;

/** Every so many minor collections there is a major one, for objects that were still in use during the minor ones. */
const MINORS_PER_MAJOR = 32;

/**
 * Runs V8's garbage collector whenever enough native memory has been released. A chunk of DuckDB takes hundreds of kilobytes of
 * native memory, but V8 only sees the hundred bytes of its JavaScript object. It would collect too late, and the rows of a whole
 * file would pile up. A minor collection takes less time than allocating new native memory.
 */
export class NativeMemoryCollector {
  readonly #interval: number;
  readonly #minorsPerMajor: number;
  #bytes = 0;
  #minors = 0;

  /** Collects once per `interval` bytes of native memory. */
  constructor(interval: number, minorsPerMajor = MINORS_PER_MAJOR) {
    this.#interval = interval;
    this.#minorsPerMajor = minorsPerMajor;
  }

  /** Counts native memory that is no longer needed. */
  released(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#interval) return;
    this.#bytes = 0;
    this.#minors = (this.#minors + 1) % this.#minorsPerMajor;
    collectGarbage(this.#minors === 0 ? 'major' : 'minor');
  }
}

export function collectGarbage(type: 'minor' | 'major'): void {
  gc ??= findGc();
  gc({ type });
}

function findGc(): Gc {
  const exposed = (globalThis as { gc?: Gc }).gc;
  if (exposed) return exposed;
  try {
    // Only contexts that are created while the flag is on have `gc`, so the rest of the program is not affected.
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof found === 'function') return found as Gc;
  } catch {
    // Not V8, or not allowed here: memory is freed later.
  }
  return () => {};
}
