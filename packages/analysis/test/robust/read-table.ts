import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A table of this folder: its numeric columns that vary, without rows with gaps. `columns` chooses some of them. */
export function readTable(name: string, columns?: (column: string) => boolean): number[][] {
  const path = fileURLToPath(new URL(`./tables/${name}.csv`, import.meta.url));
  const [header, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const names = header.split(',');
  const rows = lines.map((line) => line.split(',').map((text) => (text === 'NA' ? Number.NaN : Number(text))));
  const used = names.flatMap((column, j) => {
    const numeric = rows.some((row) => Number.isFinite(row[j]));
    return numeric && (columns?.(column) ?? true) ? [j] : [];
  });
  const complete = rows.map((row) => used.map((j) => row[j])).filter((row) => row.every(Number.isFinite));
  const varying = used.flatMap((_, j) => (new Set(complete.map((row) => row[j])).size > 1 ? [j] : []));
  return complete.map((row) => varying.map((j) => row[j]));
}

export const hbk = (): number[][] => readTable('hbk', (column) => column !== 'Y');
export const animals = (): number[][] => readTable('animals2').map((row) => row.map(Math.log));
export const octane = (): number[][] => readTable('octane', (column) => column !== 'y');
