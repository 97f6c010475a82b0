/// <reference types="node" />
/** The same public tables through the library, the command, the report and the lab's worker: one record, told four times. */

import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Analysis, analyze } from '@scree/analysis';
import { describeFinding, explainUnusual } from '@scree/analysis/describe';
import { parseHTML } from 'linkedom';
import { loadModel, openFile, type Scale, toRows } from 'scree';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Session } from '../packages/lab/src/worker/session.js';
import { COMMANDS } from '../packages/scree/src/command/commands.js';
import { warningWithFlags } from '../packages/scree/src/command/describe-error.js';
import { parse } from '../packages/scree/src/command/parse.js';

const tables = fileURLToPath(new URL('../packages/files/test/tables/', import.meta.url));
const fixtures = fileURLToPath(new URL('../packages/core/test/fixtures/', import.meta.url));

/** R's tables, and scikit-learn's wine: with and without scaling, with gaps, with names, with groups, wide and long. */
const TABLES = (
  [
    [`${tables}USArrests.csv`, 'unit'],
    [`${tables}USJudgeRatings.csv`, 'none'],
    [`${tables}airquality.csv`, 'unit'],
    [`${tables}anscombe.csv`, 'none'],
    [`${tables}attitude.csv`, 'none'],
    [`${tables}faithful.csv`, 'unit'],
    [`${tables}freeny.csv`, 'unit'],
    [`${tables}infert.csv`, 'unit'],
    [`${tables}iris.csv`, 'none'],
    [`${tables}LifeCycleSavings.csv`, 'unit'],
    [`${tables}longley.csv`, 'unit'],
    [`${tables}mtcars.csv`, 'unit'],
    [`${tables}quakes.csv`, 'unit'],
    [`${tables}randu.csv`, 'none'],
    [`${tables}rock.csv`, 'unit'],
    [`${tables}stackloss.csv`, 'none'],
    [`${tables}state.x77.csv`, 'unit'],
    [`${tables}swiss.csv`, 'none'],
    [`${tables}trees.csv`, 'unit'],
    [`${fixtures}wine.csv`, 'unit'],
    [`${fixtures}mtcars.csv`, 'none'],
  ] as const
).map(([path, scale]) => ({ path, scale, name: `${basename(path)}, --scale ${scale}` }));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scree-one-analysis-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command in this process and returns what it printed. */
async function run(name: string, args: readonly string[]): Promise<string> {
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw new Error(`there is no command ${name}`);
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    const { run } = await command.load();
    await run({ ...parse([...args, '-q'], command.flags), signal: new AbortController().signal });
  } finally {
    write.mockRestore();
  }
  return printed.join('');
}

/** The part of an analysis that the command, the report and the lab show too. */
interface Told {
  readonly rows: number;
  readonly kept: number;
  readonly k: number | undefined;
  readonly criteria: readonly (readonly [name: string, k: number | null])[];
  readonly angles: readonly number[];
  readonly variances: readonly number[];
  readonly limits: readonly (number | null)[];
  readonly unusual: readonly number[];
  readonly statistics: readonly number[];
  readonly findings: readonly (readonly [code: string, importance: number])[];
  readonly notComputed: readonly string[];
}

async function inLibrary(
  path: string,
  scale: Scale,
): Promise<{ analysis: Analysis; columns: readonly string[]; numbers: readonly number[] }> {
  const file = await openFile(path, { missing: 'drop' });
  try {
    const rows: number[][] = [];
    const numbers: number[] = [];
    for await (const { block, places } of file.withSupplementary()) {
      rows.push(...toRows(block as never));
      numbers.push(...places.map((place) => place + 1));
    }
    const { columns } = file;
    return { analysis: await analyze(rows, { scale, columnNames: columns }), columns, numbers };
  } finally {
    await file.close();
  }
}

function toldBy({ table, model, kept, compared, findings, notComputed }: Analysis, numbers: readonly number[]): Told {
  const { choice, stability, variances } = model;
  return {
    rows: table.rows,
    kept,
    k: choice?.k,
    criteria: choice?.criteria.map(({ name, k }) => [name, k] as const) ?? [],
    angles: stability?.angles.map(({ q95 }) => q95) ?? [],
    variances: Array.from(variances),
    limits: [compared?.found.unusualLimits.t2 ?? null, compared?.found.unusualLimits.q ?? null],
    unusual: compared?.found.unusual.map(({ row }) => numbers[row]) ?? [],
    statistics: compared?.found.unusual.flatMap(({ t2, error }) => [t2, error]) ?? [],
    // Only readers of the file know about changes of its values.
    findings: findings.filter(({ code }) => !OF_FILES.includes(code)).map(({ code, importance }) => [code, importance]),
    notComputed: Object.keys(notComputed).sort(),
  };
}

const OF_FILES = ['ROWS_DROPPED', 'COLUMNS_LEFT_OUT', 'VALUES_CONVERTED'];

async function inCommand(path: string, scale: string): Promise<Told> {
  const args = [path, '--scale', scale, '--missing', 'drop', '--json'];
  const { table, kept, choice, stability, variances, unusual, findings, notComputed } = JSON.parse(
    await run('analyze', args),
  );
  return {
    rows: table.rows,
    kept,
    k: choice?.k,
    criteria: choice?.criteria.map(({ name, k }: { name: string; k: number }) => [name, k]) ?? [],
    angles: stability?.angles.map(({ q95 }: { q95: number }) => q95) ?? [],
    variances,
    limits: [unusual?.unusualLimits.t2 ?? null, unusual?.unusualLimits.q ?? null],
    unusual: unusual?.rows.map(({ row }: { row: number }) => row) ?? [],
    statistics: unusual?.rows.flatMap(({ t2, q }: { t2: number; q: number }) => [t2, q]) ?? [],
    findings: findings
      .filter(({ code }: { code: string }) => !OF_FILES.includes(code))
      .map(({ code, importance }: { code: string; importance: number }) => [code, importance]),
    notComputed: Object.keys(notComputed).sort(),
  };
}

async function inLab(path: string, scale: Scale & string, columns: readonly string[]): Promise<Told> {
  const session = new Session();
  const info = await session.open({ kind: 'text', name: basename(path), text: readFileSync(path, 'utf8') }, {});
  const indexes = columns.map((name) => info.columns.findIndex((column) => column.name === name));
  const request = { data: info.id, columns: indexes, scale: scale as 'unit', missing: 'drop', solver: 'auto' } as const;
  const { id } = await session.fit(request, {});
  session.show(id);
  const {
    table,
    model: bytes,
    kept,
    compared,
    findings,
    notComputed,
  } = structuredClone(await session.shown.analysis({}, {}));
  const model = loadModel(bytes);
  const { choice, stability } = model;
  return {
    rows: table.rows,
    kept,
    k: choice?.k,
    criteria: choice?.criteria.map(({ name, k }) => [name, k] as const) ?? [],
    angles: stability?.angles.map(({ q95 }) => q95) ?? [],
    variances: Array.from(model.variances),
    limits: [compared?.found.unusualLimits.t2 ?? null, compared?.found.unusualLimits.q ?? null],
    unusual: compared?.found.unusual.map(({ number }) => number) ?? [],
    statistics: compared?.found.unusual.flatMap(({ t2, error }) => [t2, error]) ?? [],
    findings: findings.filter(({ code }) => !OF_FILES.includes(code)).map(({ code, importance }) => [code, importance]),
    notComputed: Object.keys(notComputed)
      .filter((part) => part !== 'rows')
      .sort(),
  };
}

/** Numbers that follow from sums in another order are the same but for rounding. */
function expectSame(found: Told, expected: Told): void {
  const { angles, variances, limits, statistics, findings, ...exact } = found;
  const { angles: a, variances: v, limits: l, statistics: s, findings: f, ...same } = expected;
  expect(exact).toEqual(same);
  const close = (own: readonly (number | null)[], other: readonly (number | null)[], least: number): void => {
    expect(own.length).toBe(other.length);
    own.forEach((value, i) => {
      const [x, y] = [value ?? Number.NaN, other[i] ?? Number.NaN];
      if (Number.isNaN(x) || Number.isNaN(y)) expect(x).toEqual(y);
      else expect(Math.abs(x - y)).toBeLessThanOrEqual(1e-8 * Math.abs(y) + least);
    });
  };
  close(variances, v, 1e-12 * v[0]);
  // Components without variance have no direction.
  close(
    angles.filter((_, i) => v[i] > 1e-12 * v[0]),
    a.filter((_, i) => v[i] > 1e-12 * v[0]),
    1e-7,
  );
  close(limits, l, 0);
  close(statistics, s, 1e-12 * v[0]);
  expect(findings.map(([code]) => code)).toEqual(f.map(([code]) => code));
  close(
    findings.map(([, importance]) => importance),
    f.map(([, importance]) => importance),
    1e-9,
  );
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('the library, the command, the report and the lab', () => {
  it.each(TABLES)('tell the same of $name', async ({ path, scale }) => {
    const { analysis, columns, numbers } = await inLibrary(path, scale);
    const expected = toldBy(analysis, numbers);
    expectSame(await inCommand(path, scale), expected);
    expectSame(await inLab(path, scale, columns), expected);

    const page = join(folder, 'page.html');
    await run('report', [path, '--scale', scale, '--missing', 'drop', '-o', page]);
    const { document } = parseHTML(await readFile(page, 'utf8'));
    for (const block of document.querySelectorAll('p, li, h1, h2, h3, dt, dd')) block.append(' ');
    const text = plain(document.body.textContent);
    const own = analysis.findings.filter(({ code }) => !OF_FILES.includes(code));
    // The lead is the headline of the command: the first findings, in the order of importance.
    const lead = plain(document.querySelector('p.lead')?.textContent ?? '');
    const [first] = own;
    const sentence = describeFinding(first, analysis, (warning) => warningWithFlags(warning, columns));
    if (first.importance > 60) expect(lead).toContain(plain(sentence));
    const { compared } = analysis;
    if (!compared) return;
    // Rows are numbered as the file does; the sentences have the limits and the counts.
    const facts = { ...compared.facts, numberOf: (row: number) => numbers[row] };
    const { nameOf: _, ...unnamed } = facts;
    const sentences = explainUnusual(compared.model, compared.found, unnamed);
    const [, ...others] = sentences;
    for (const each of others.filter((line) => !line.includes('row '))) expect(text).toContain(plain(each));
  });
});
