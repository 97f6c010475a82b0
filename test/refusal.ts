import { ScreeError } from '@scree/core';
import { expect } from 'vitest';

/** What a call throws, if it is an error of ours, whose details must be small. Errors that a value's own traps throw are theirs. */
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
