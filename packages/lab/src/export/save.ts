/** Hands a file to the browser's downloads. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download reads the blob after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
