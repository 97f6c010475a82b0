/**
 * The name of the built-in class of a value: "Float64Array", "Map", "Date". Unlike `instanceof`, it also knows values of another realm,
 * such as an iframe, a context of a virtual machine, or a test in Jest, each of which has classes of its own.
 */
export function builtInName(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether these are floats and not whole numbers. */
export function isFloatArray(data: unknown): data is Float32Array | Float64Array {
  return /^Float(32|64)Array$/.test(builtInName(data));
}

export function isFloat64Array(data: unknown): data is Float64Array {
  return builtInName(data) === 'Float64Array';
}

/** Called for every row: names take twenty times as long as `instanceof`, so they are looked up only where it fails. */
export function isFloat32Array(data: unknown): data is Float32Array {
  return data instanceof Float32Array || (ArrayBuffer.isView(data) && builtInName(data) === 'Float32Array');
}
