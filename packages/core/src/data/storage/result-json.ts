/**
 * The JSON of results: typed arrays as lists, matrices as rows (`RowMatrix.toJSON`). By default, `JSON.stringify` writes a typed
 * array as an object with a key per number.
 */

const JSON_METHOD: PropertyDescriptor = {
  value(this: object): unknown {
    return isNumbers(this) ? Array.from(this) : listsOf(this);
  },
};

/** Adds the method `toJSON` to a result, or to an array of numbers. The method is not enumerable, so copies do not have it. */
export function withJson<Result extends object>(result: Result): Result {
  return Object.defineProperty(result, 'toJSON', JSON_METHOD);
}

/** The fields of a result, with typed arrays as lists at any depth. Values with a `toJSON` method are not changed. */
export function listsOf(result: object): object {
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (isNumbers(value)) return Array.from(value);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Array.isArray(value) ? value.map(plain) : listsOf(value);
}

function isNumbers(value: unknown): value is Float64Array {
  return ArrayBuffer.isView(value);
}
