import { readFileSync } from 'node:fs';

/** Reads a small CSV fixture. The first column has row names, and the others numbers. */
export function readTable(name: string): { columns: string[]; rows: number[][] } {
  const text = readFileSync(new URL(`../fixtures/${name}.csv`, import.meta.url), 'utf8');
  const [head, ...lines] = text.trim().split('\n');
  return {
    columns: head
      .split(',')
      .slice(1)
      .map((name) => JSON.parse(name)),
    rows: lines.map((line) => line.split(',').slice(1).map(Number)),
  };
}
