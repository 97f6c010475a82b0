/** Bytes as a person says them. */
export function megabytes(bytes: number): string {
  for (const [unit, name] of [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'KB'],
  ] as const) {
    if (bytes >= unit) return `${(bytes / unit).toPrecision(3)} ${name}`;
  }
  return `${bytes} bytes`;
}
