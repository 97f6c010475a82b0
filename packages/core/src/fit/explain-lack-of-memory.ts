import { DataError } from '../errors.js';

/**
 * Runs `work`. Typed arrays and WebAssembly report a lack of memory with different messages: the error that is thrown instead says what to
 * do about it.
 */
export async function explainLackOfMemory<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError && /alloc|array length|unable to grow/i.test(error.message))) throw error;
    const { addressSpaceLeft } = await import('../engines/wasm/address-space.js');
    const remedy = Number.isFinite(addressSpaceLeft())
      ? "The address space of this process is limited (ulimit -v): raise the limit, or use engine: 'reference', which needs less of it"
      : 'Use fewer columns or rows, or a smaller k';
    throw new DataError('TOO_LARGE', `This fit needs more memory than there is (${error.message}). ${remedy}.`, {
      reason: 'memory',
    });
  }
}
