/** Bytes from `start` to before `end`; `whole` if the request was for the whole file. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/**
 * The range of a Range header in a file of `size` bytes; undefined if it is not one range inside the file.
 *
 * Several ranges in one request are refused, which the standard allows: the page never sends them, and the alternative
 * would be to send all of a file that may be larger than memory. Units other than bytes must be ignored.
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
