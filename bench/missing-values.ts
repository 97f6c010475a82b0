/**
 * The table of docs/guide/missing-values.md: the median absolute error of filled values beside scikit-learn, with times. The cases come
 * from missing_values.py:
 *
 *   bench/.venv/bin/python bench/missing_values.py bench/results/missing
 *   npm run compile && node bench/dist/missing-values.js bench/results/missing
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze } from '@scree/analysis';

interface Case {
  readonly table: string;
  readonly share: number;
  readonly mechanism: string;
  readonly rows: readonly (readonly (number | null)[])[];
  readonly truth: readonly (readonly number[])[];
  readonly deviations: readonly number[];
  readonly others: Readonly<Record<string, { readonly error: number; readonly seconds: number }>>;
}

interface Score {
  readonly error: number;
  readonly seconds: number;
}

const METHODS = ['iterative', 'em', 'nipals'] as const;
const folder = process.argv[2] ?? 'bench/results/missing';

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** The error of one method, and its seconds with the choice of k. */
async function score({ rows, truth, deviations }: Case, method: (typeof METHODS)[number]): Promise<Score> {
  const start = performance.now();
  const analysis = await analyze(rows as number[][], {
    scale: 'unit',
    missing: { method, draws: 0 },
    ...{ bootstrap: 0, criteria: 'none', listRows: false, k: 1 },
  });
  const completed: number[][] = [];
  for await (const { values } of analysis.completed()) completed.push(...values.toRows());
  const seconds = (performance.now() - start) / 1000;
  const errors = rows.flatMap((row, i) =>
    row.flatMap((x, j) => (x === null ? [Math.abs(completed[i][j] - truth[i][j]) / deviations[j]] : [])),
  );
  return { error: median(errors), seconds };
}

const found: { readonly of: Case; readonly scores: Record<string, Score> }[] = [];
for (const file of readdirSync(folder).sort()) {
  const of = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case;
  const scores: Record<string, Score> = { ...of.others };
  for (const method of METHODS) scores[method] = await score(of, method);
  found.push({ of, scores });
}
const titles = [...METHODS, 'IterativeImputer', 'KNNImputer', 'mean'];
const line = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
line(['missing', ...titles]);
line(['---', ...titles.map(() => '---:')]);
for (const share of [0.05, 0.2, 0.4]) {
  for (const mechanism of ['random', 'blocks', 'another column']) {
    const cases = found.filter(({ of }) => of.share === share && of.mechanism === mechanism);
    line([
      `${100 * share} %, ${mechanism}`,
      ...titles.map((title) => median(cases.map(({ scores }) => scores[title].error)).toFixed(3)),
    ]);
  }
}
const ratios = (title: string): number[] =>
  found.map(({ scores }) => scores[title].error / scores.IterativeImputer.error);
line(['error / IterativeImputer', ...titles.map((title) => median(ratios(title)).toFixed(2))]);
line(['seconds', ...titles.map((title) => median(found.map(({ scores }) => scores[title].seconds)).toFixed(3))]);
const faster = median(found.map(({ scores }) => scores.IterativeImputer.seconds / scores.iterative.seconds));
console.log(
  `\nThe median of IterativeImputer's time over that of iterative, with its choice of k, is ${faster.toFixed(1)}.`,
);
