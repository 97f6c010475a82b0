/**
 * What `JSON.stringify` writes of results: typed arrays as lists, matrices as rows (`RowMatrix.toJSON`). Without this it writes an array of
 * numbers as an object with a key per number.
 */

/** Gives a result the method `toJSON`. Copies, spreads and `structuredClone` do not see it. */
export function withJson<Result extends object>(result: Result): Result {
  return Object.defineProperty(result, 'toJSON', { value: () => listsOf(result) });
}

/** The fields of a result, typed arrays as lists, at any depth. What has a `toJSON` of its own is left to it. */
export function listsOf(result: object): object {
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Array.isArray(value) ? value.map(plain) : listsOf(value);
}
