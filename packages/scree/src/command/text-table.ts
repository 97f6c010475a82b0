import { formatNumber } from '@scree/analysis/describe';
import { wrap } from './wrap.js';

/** Cells in columns, numbers to the right and the last `texts` columns to the left. */
export function table(rows: readonly (readonly string[])[], more: number, texts = 0): string[] {
  const widths = rows[0].map((_, j) => Math.max(...rows.map((row) => row[j].length)));
  const lines = rows.map((row) =>
    row.map((cell, j) => (j < row.length - texts ? cell.padStart(widths[j]) : cell.padEnd(widths[j]))).join('  '),
  );
  return [...lines.map((line) => `  ${line.trimEnd()}`), ...(more > 0 ? [`  … and ${more} more`] : [])];
}

/** A command that is too long for one line, as a shell takes it. */
export function continued(command: string, width: number): string[] {
  const lines = wrap(`  ${command}`, width - 2, 4);
  return lines.map((line, i) => (i < lines.length - 1 ? `${line} \\` : line));
}

/** A number of a table: 1.458e-4 is as short as 0.0146. */
export function compact(value: number, digits: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e6)) return formatNumber(value, digits);
  return value.toExponential(digits - 1).replace(/\.?0*e\+?/, 'e');
}
