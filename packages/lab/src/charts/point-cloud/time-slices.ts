/** Length of a slice: with the other work of a frame, it stays below 16 ms. */
const SLICE_MILLISECONDS = 8;

/**
 * Runs a generator to its end in time slices, so that the page can draw and react in between. Returns undefined if aborted.
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
