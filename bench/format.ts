/** Numbers as people read them. */

export function milliseconds(value: number): string {
  if (value < 1) return `${(value * 1000).toPrecision(3)} µs`;
  if (value < 1000) return `${value.toPrecision(3)} ms`;
  return `${(value / 1000).toPrecision(3)} s`;
}

export function times(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)}×`;
}

export function megabytes(bytes: number): string {
  const value = bytes / 2 ** 20;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} MB`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

export function scientific(value: number | undefined): string {
  return value === undefined ? '' : value.toExponential(0);
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
