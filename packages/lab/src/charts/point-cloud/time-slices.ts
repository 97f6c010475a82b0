/** Most milliseconds that work takes at once: with what else a frame does, the page stays below 16. */
const SLICE_MILLISECONDS = 8;

/**
 * Runs a generator to its end in slices, between which the page may draw and listen. Undefined when it was given up on the way.
 */
export async function runInSlices<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    const end = performance.now() + SLICE_MILLISECONDS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return undefined;
}
