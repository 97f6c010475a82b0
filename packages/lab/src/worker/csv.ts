/** Length of the strings that the blob is made of. One string per cell would be slow, and one string for the whole file too long. */
const PIECE = 1 << 20;

/** A table as CSV. */
export function csvOf(
  names: readonly string[],
  rows: number,
  rowAt: (index: number) => readonly (string | number)[],
): Blob {
  const parts: string[] = [];
  let piece = `${names.map(cellOf).join(',')}\n`;
  for (let i = 0; i < rows; i++) {
    piece += `${rowAt(i).map(cellOf).join(',')}\n`;
    if (piece.length < PIECE) continue;
    parts.push(piece);
    piece = '';
  }
  return new Blob([...parts, piece], { type: 'text/csv' });
}

/**
 * A cell of CSV. Text that a spreadsheet would run as a formula gets an apostrophe in front, so that the spreadsheet shows
 * it as text.
 */
export function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) && !isNumber(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
