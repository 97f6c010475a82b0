/**
 * Returns the name of the built-in class of a value: "Float64Array", "Map", "Date". Unlike `instanceof`, it works for values of another
 * realm with other classes, such as an iframe, a `vm` context, or a test in Jest.
 */
export function builtInName(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Returns true for Float32Array and Float64Array. */
export function isFloatArray(data: unknown): data is Float32Array | Float64Array {
  return /^Float(32|64)Array$/.test(builtInName(data));
}

export function isFloat64Array(data: unknown): data is Float64Array {
  return builtInName(data) === 'Float64Array';
}

/** Called for every row, so it looks up the name, which takes twenty times as long as `instanceof`, only if `instanceof` fails. */
export function isFloat32Array(data: unknown): data is Float32Array {
  return data instanceof Float32Array || (ArrayBuffer.isView(data) && builtInName(data) === 'Float32Array');
}
