import { readFileSync } from 'node:fs';

/** The complete `decathlon2` of factoextra: ten events, rank, points and competition of 27 athletes. The first 23 are active. */
export function readDecathlon(): {
  events: string[];
  names: string[];
  rows: number[][];
  sup: { Rank: number; Points: number }[];
  competition: string[];
} {
  const text = readFileSync(new URL('../fixtures/decathlon2-all.csv', import.meta.url), 'utf8');
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => JSON.parse(cell)));
  return {
    events: head.slice(1, 11),
    names: lines.map((line) => line[0]),
    rows: lines.map((line) => line.slice(1, 11)),
    sup: lines.map((line) => ({ Rank: line[11], Points: line[12] })),
    competition: lines.map((line) => line[13]),
  };
}
