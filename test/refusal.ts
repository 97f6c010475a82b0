import { ScreeError } from '@scree/core';
import { expect } from 'vitest';

/** The error that a call throws. It must be a `ScreeError` with small details. Errors that a value's own traps throw are theirs. */
export async function refusal(call: () => unknown, what: string): Promise<ScreeError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (!(error instanceof ScreeError)) return undefined;
    expect(JSON.stringify(error.details).length, what).toBeLessThan(4096);
    return error;
  }
}
