import { readFileSync } from 'node:fs';

function numbersOf(path: string, from: number, to: number): number[][] {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => line.split(',').slice(from, to).map(Number));
}

/** scikit-learn's wine (178 × 13), from the lab. */
export function readWine(): number[][] {
  return numbersOf('../../../lab/src/data/wine.csv', 0, 13);
}

/** The gasoline data of R's pls: octane numbers of 60 samples, and their spectra at 401 wavelengths. */
export function readGasoline(): { octane: number[]; spectra: number[][] } {
  const rows = numbersOf('../fixtures/gasoline.csv', 0, 402);
  return { octane: rows.map(([first]) => first), spectra: rows.map(([, ...rest]) => rest) };
}

/** Standardises columns to mean 0 and variance 1 (with divisor n − 1). */
export function standardised(rows: readonly (readonly number[])[]): number[][] {
  const n = rows.length;
  const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / n);
  const deviation = mean.map((m, j) => Math.sqrt(rows.reduce((sum, row) => sum + (row[j] - m) ** 2, 0) / (n - 1)));
  return rows.map((row) => row.map((x, j) => (x - mean[j]) / deviation[j]));
}
