/** The few assertions of checks that run in Node and in a page alike; each throws an Error that says what was wrong. */

/** `value` ≤ `limit`; NaN is not. */
export function atMost(value: number, limit: number, what: string): void {
  if (!(value <= limit)) throw new Error(`${what} is ${value}, more than ${limit}`);
}

/** `value` < `limit`; NaN is not. */
export function below(value: number, limit: number, what: string): void {
  if (!(value < limit)) throw new Error(`${what} is ${value}, not below ${limit}`);
}

/** The same number, string or truth value. */
export function equal<T extends number | string | boolean>(value: T, expected: T, what: string): void {
  if (!Object.is(value, expected)) throw new Error(`${what} is ${value}, not ${expected}`);
}

/** Numbers that agree to the last bit. */
export function sameBits(values: Float64Array, expected: Float64Array, what: string): void {
  equal(values.length, expected.length, `length of ${what}`);
  for (let i = 0; i < values.length; i++) equal(values[i], expected[i], `${what}[${i}]`);
}

/** `work` fails, with a message that has `message` in it. */
export async function rejects(work: () => unknown, message: string, what: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error && error.message.includes(message)) return;
    throw new Error(`${what} failed, but not with "${message}"`, { cause: error });
  }
  throw new Error(`${what} did not fail with "${message}"`);
}
