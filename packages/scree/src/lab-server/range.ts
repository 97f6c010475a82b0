/** Bytes from `start` up to, not including, `end`. `whole` if the request was for the whole file. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/**
 * The range of a Range header for a file of `size` bytes, or undefined if it is not one range inside the file.
 *
 * Several ranges in one request are rejected, which the standard allows. The page never sends them, and the alternative is to
 * send the whole file. Units other than bytes must be ignored.
 */
export function readRange(header: string | undefined, size: number): Range | undefined {
  if (header === undefined || !/^\s*bytes\s*=/i.test(header)) return { start: 0, end: size, whole: true };
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header) ?? [];
  if (first === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return part(Math.max(0, size - Number(last)), size);
  return part(Number(first), last === '' ? size : Math.min(size, Number(last) + 1));
}

function part(start: number, end: number): Range | undefined {
  return start < end ? { start, end, whole: false } : undefined;
}
