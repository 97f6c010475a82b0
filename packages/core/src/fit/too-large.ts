import { addressSpaceLeft } from '../engines/wasm/address-space.js';
import { DataError } from '../errors.js';

/** The error where memory was refused with `message`. */
export function tooLarge(message: string): DataError {
  const limited = Number.isFinite(addressSpaceLeft());
  const remedy = limited
    ? "The address space of this process is limited (ulimit -v): raise the limit, or use engine: 'reference', which needs less of it"
    : 'Use fewer columns or rows, or a smaller k';
  return new DataError('TOO_LARGE', `This fit needs more memory than there is (${message}). ${remedy}.`, {
    reason: 'memory',
  });
}
