import { describeFinding, describeMeaning } from '@scree/analysis/describe';
import { type Analysis, analyze, analyzeModel, analyzeTable, encodeTable, Moments, type TableData } from 'scree';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../../core/test/support/table.js';
import { iris, wine } from './data.js';
import { report, tableOf, textOf } from './sound.js';

/** A report says what its record says, and a stored model and the rows of its fit make the same record again. */

/** Some columns of mtcars, all of them as categories. */
async function categories(): Promise<{ table: TableData; analysis: Analysis }> {
  const { rows, columns: columnNames } = readTable('mtcars');
  const at = ['cyl', 'gear', 'carb', 'vs'].map((name) => columnNames.indexOf(name));
  const table = rows.map((row) => Object.fromEntries(at.map((j) => [columnNames[j], `level ${row[j]}`])));
  const { source, coding, options } = await encodeTable('mca', table, {});
  const columns = coding.columns.map(({ name }) => name);
  const beside = { supplementary: [], groups: [], leftOut: [], dropped: 0 };
  return { table, analysis: await analyzeTable({ source, coding, fit: options, columns, ...beside }, {}) };
}

/** Without the second look, which repeats the fit and so is not in the record of a stored model. */
async function numbers(table: number[][], options: object): Promise<{ table: TableData; analysis: Analysis }> {
  return { table, analysis: await analyze(table, { bootstrap: 60, secondLook: false, ...options }) };
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ');

describe.each([
  ['iris', () => numbers(iris().rows, {})],
  ['wine', () => numbers(wine().rows, { scale: 'unit', columnNames: wine().names })],
  ['wine, with five components', () => numbers(wine().rows, { scale: 'unit', k: 5 })],
  ['categories', categories],
])('a report of %s', (_, make) => {
  let made: ReturnType<typeof make> | undefined;
  const found = (): ReturnType<typeof make> => {
    made ??= make();
    return made;
  };

  it('says the findings of the record, the most important first', async () => {
    const { analysis } = await found();
    const page = await report({ analysis });
    const text = spaced(textOf(page));
    const said = analysis.findings.filter(({ code }) => code !== 'COMPONENT' && code !== 'SCALING').slice(0, 5);
    const sentences = said.map((finding) => spaced(describeFinding(finding, analysis)));
    expect(text).toContain(sentences.join(' '));
    const parts = analysis.findings.filter(({ code }) => code === 'COMPONENT').slice(0, 6);
    for (const { details } of parts) {
      const { component } = details as unknown as { component: number };
      const meaning = analysis.meaning[component - 1];
      expect(text).toContain(spaced((meaning && describeMeaning(meaning)) ?? ''));
    }
  });

  it('names the rows of the record, and compares rows with as many components', async () => {
    const { analysis } = await found();
    const page = await report({ analysis });
    const { compared, kept, model } = analysis;
    const told = tableOf(page, 't2-q').filter((cells) => cells.at(-1) !== '–');
    const unusual = compared?.found.unusual.slice(0, 20) ?? [];
    expect(told.map(([row]) => Number(row))).toEqual(unusual.map(({ number }) => number));
    const text = textOf(page);
    if (!compared) expect(text).toContain('Not examined. The limits are for columns of numbers');
    else expect(text.includes('Rows are compared with the first')).toBe(kept < model.k);
    if (compared) expect(compared.model.k).toBe(kept);
  });

  it('is that of the stored model and the rows of its fit', async () => {
    const { table, analysis } = await found();
    const again = await analyzeModel(analysis.model, table, { kept: analysis.kept });
    expect(again.kind).toBe('fit');
    expect([again.kept, again.model.k]).toEqual([analysis.kept, analysis.model.k]);
    // A stored model does not know who chose the scaling.
    expect(again.findings).toEqual(analysis.findings.filter(({ code }) => code !== 'SCALING'));
    const named = ({ compared }: Analysis): unknown => compared?.found.unusual.map(({ number }) => number);
    expect(named(again)).toEqual(named(analysis));
    const [page, other] = [
      await report({ analysis }),
      await report({ model: analysis.model, source: table, kept: analysis.kept }),
    ];
    expect(tableOf(other, 't2-q')).toEqual(tableOf(page, 't2-q'));
  });
});

describe('a report', () => {
  it('refuses moments, which have no rows', async () => {
    const moments = await new Moments(4).add(iris().rows);
    const analysis = await analyze(moments, {});
    await expect(report({ analysis })).rejects.toMatchObject({ code: 'BAD_OPTION', details: { option: 'analysis' } });
  });

  it('draws the ellipses of groups that the record has, if labels are these groups', async () => {
    const { rows, labels } = iris();
    const groups = { species: Array.from(labels.codes, (code) => labels.names[code]) };
    const analysis = await analyze(rows, { bootstrap: 0, k: 2, supplementary: { groups } });
    const text = textOf(await report({ analysis, labels, labelName: 'species' }));
    expect(text).toContain('Dashed ellipses: where the next row of a group is');
    expect(text).toMatch(/separates the 3 levels of species/);
  });
});
