/** Most milliseconds that work takes at once: with what else a frame does, the page stays below 16. */
const SLICE = 8;

/**
 * Runs a generator to its end in slices, between which the page may draw and listen. Undefined when it was given up on the way.
 */
export async function inSlices<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    const end = performance.now() + SLICE;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return undefined;
}
