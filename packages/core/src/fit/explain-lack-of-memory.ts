/** Typed arrays and WebAssembly have different messages for a lack of memory: one error says what to do about it. */
export async function explainLackOfMemory<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError && /alloc|array length|unable to grow/i.test(error.message))) throw error;
    throw (await import('./too-large.js')).tooLarge(error.message);
  }
}
