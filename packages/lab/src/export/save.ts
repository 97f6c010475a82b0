/** Downloads a file. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
