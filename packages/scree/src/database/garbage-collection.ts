import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Gc = (options?: { readonly type: 'minor' | 'major' }) => void;

/** V8's garbage collector. Cached for the process. */
let gc: Gc | undefined;

/** Number of minor collections per major collection. A major collection frees objects that were still in use during the minor ones. */
const MINORS_PER_MAJOR = 32;
/** Bytes by which V8's own heap may grow between major collections. A minor collection keeps what is in use just then, such as the texts of a block. */
const HEAP_GROWTH = 8 << 20;

/**
 * Runs V8's garbage collector whenever enough native memory has been released. A chunk of DuckDB takes hundreds of kilobytes of
 * native memory, but V8 only sees the hundred bytes of its JavaScript object. It would collect too late, and the rows of a whole
 * file would pile up. A minor collection takes less time than allocating new native memory.
 */
export class NativeMemoryCollector {
  readonly #interval: number;
  #bytes = 0;
  #minors = 0;
  #heap = getHeapStatistics().used_heap_size;

  /** Collects once per `interval` bytes of native memory. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Counts native memory that is no longer needed. */
  released(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#interval) return;
    this.#bytes = 0;
    this.#minors++;
    collectGarbage('minor');
    if (this.#minors < MINORS_PER_MAJOR && getHeapStatistics().used_heap_size < this.#heap + HEAP_GROWTH) return;
    this.#minors = 0;
    collectGarbage('major');
    this.#heap = getHeapStatistics().used_heap_size;
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
