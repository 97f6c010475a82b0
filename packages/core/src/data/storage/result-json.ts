/**
 * The JSON of results: typed arrays as lists, matrices as rows (`RowMatrix.toJSON`). By default, `JSON.stringify` writes a typed
 * array as an object with a key per number.
 */

/** Adds the method `toJSON` to a result. The method is not enumerable, so copies do not have it. */
export function withJson<Result extends object>(result: Result): Result {
  return Object.defineProperty(result, 'toJSON', { value: () => listsOf(result) });
}

/** The fields of a result, with typed arrays as lists at any depth. Values with a `toJSON` method are not changed. */
export function listsOf(result: object): object {
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Array.isArray(value) ? value.map(plain) : listsOf(value);
}
