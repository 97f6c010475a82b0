/** Assertions for checks that run in Node and in browsers. Each throws an Error with a message. */

/** Asserts `value` ≤ `limit`. Fails for NaN. */
export function atMost(value: number, limit: number, what: string): void {
  if (!(value <= limit)) throw new Error(`${what} is ${value}, more than ${limit}`);
}

/** Asserts `value` < `limit`. Fails for NaN. */
export function below(value: number, limit: number, what: string): void {
  if (!(value < limit)) throw new Error(`${what} is ${value}, not below ${limit}`);
}

/** Asserts that two numbers, strings or booleans are equal. */
export function equal<T extends number | string | boolean>(value: T, expected: T, what: string): void {
  if (!Object.is(value, expected)) throw new Error(`${what} is ${value}, not ${expected}`);
}

/** Asserts that two arrays of numbers have the same bits. */
export function sameBits(values: Float64Array, expected: Float64Array, what: string): void {
  equal(values.length, expected.length, `length of ${what}`);
  for (let i = 0; i < values.length; i++) equal(values[i], expected[i], `${what}[${i}]`);
}

/** Asserts that `work` fails with a message that contains `message`. */
export async function rejects(work: () => unknown, message: string, what: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error && error.message.includes(message)) return;
    throw new Error(`${what} failed, but not with "${message}"`, { cause: error });
  }
  throw new Error(`${what} did not fail with "${message}"`);
}
