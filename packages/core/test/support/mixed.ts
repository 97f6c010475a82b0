import { readFileSync } from 'node:fs';
import { random } from '../../src/linalg/random.js';

export type MixedRow = Record<string, string | number | null>;

/** Reads a small CSV fixture with texts and numbers as records, without the row names. */
export function readMixed(name: string): MixedRow[] {
  const text = readFileSync(new URL(`../fixtures/${name}.csv`, import.meta.url), 'utf8');
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => JSON.parse(cell) as string | number));
  return lines.map((cells) => Object.fromEntries(head.map((name, j) => [name, cells[j]]).slice(1)));
}

/** Eigenvalues of a symmetric matrix by Jacobi's method, largest first: independent of the solvers. */
export function jacobi(matrix: readonly (readonly number[])[]): number[] {
  const a = matrix.map((row) => [...row]);
  const d = a.length;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < d; p++) {
      for (let q = p + 1; q < d; q++) {
        off += a[p][q] ** 2;
        if (a[p][q] === 0) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(1, theta));
        const c = 1 / Math.hypot(1, t);
        const s = t * c;
        for (let i = 0; i < d; i++) [a[i][p], a[i][q]] = [c * a[i][p] - s * a[i][q], s * a[i][p] + c * a[i][q]];
        for (let i = 0; i < d; i++) [a[p][i], a[q][i]] = [c * a[p][i] - s * a[q][i], s * a[p][i] + c * a[q][i]];
      }
    }
    if (off < 1e-300) break;
  }
  return a.map((row, i) => row[i]).sort((x, y) => y - x);
}

/**
 * Correspondence analysis of a table of counts: the eigenvalues of SᵀS, S = D_r^-½(P − rcᵀ)D_c^-½, largest first.
 */
export function correspondenceInertias(counts: readonly (readonly number[])[]): number[] {
  const total = counts.flat().reduce((sum, count) => sum + count, 0);
  const r = counts.map((row) => row.reduce((sum, count) => sum + count, 0) / total);
  const c = counts[0].map((_, j) => counts.reduce((sum, row) => sum + row[j], 0) / total);
  const s = counts.flatMap((row, i) =>
    r[i] > 0 ? [row.map((count, j) => (count / total - r[i] * c[j]) / Math.sqrt(r[i] * c[j]))] : [],
  );
  return jacobi(c.map((_, p) => c.map((_, q) => s.reduce((sum, row) => sum + row[p] * row[q], 0))));
}

/** Indicator columns: one per level of every category, with sorted levels. */
export function indicators(rows: readonly MixedRow[], columns: readonly string[]): number[][] {
  const levels = columns.flatMap((name) =>
    [...new Set(rows.map((row) => String(row[name])))].sort().map((level) => ({ name, level })),
  );
  return rows.map((row) => levels.map(({ name, level }) => (String(row[name]) === level ? 1 : 0)));
}

export interface MixedShape {
  readonly rows: number;
  readonly numbers: number;
  readonly categories: number;
  readonly levels: number;
  readonly seed: number;
}

/** A random table. Its numbers depend on one another and on the categories. The last category may have levels that occur once. */
export function mixedTable({ rows, numbers, categories, levels, seed }: MixedShape): MixedRow[] {
  const { uniform, normal } = random(seed);
  return Array.from({ length: rows }, (_, i) => {
    const common = normal();
    const row: MixedRow = {};
    for (let j = 0; j < numbers; j++) row[`x${j}`] = 3 * j + (1 + j) * (common + normal());
    for (let j = 0; j < categories; j++) {
      const level = Math.min(levels - 1, Math.floor(levels * Math.abs((0.3 * common + uniform()) % 1)));
      row[`c${j}`] = `l${level}`;
    }
    if (categories > 0 && i === 0) row[`c${categories - 1}`] = 'once';
    return row;
  });
}
