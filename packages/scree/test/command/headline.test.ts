/// <reference types="node" />
/** What `scree analyze` prints of the public tables, as lines. */

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { analyzeTable } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { tableOf } from '../../src/command/analyze-file.js';
import { describeAnalysis } from '../../src/command/describe-analysis.js';
import { openFile } from '../../src/disk/index.js';

const folder = fileURLToPath(new URL('../../../files/test/tables', import.meta.url));
const NEXT = [
  ['scree analyze table.csv --scale unit', 'scaled'],
  ['scree analyze table.csv --full', 'everything'],
  ['scree report table.csv -o table.html', 'a page'],
] as const;

/** A sixth of the tables, drawn by the printed seed; all of them with SCREE_FULL. */
const all = readdirSync(folder).filter((name) => name.endsWith('.csv'));
const drawn = Number(process.env.SCREE_SEED ?? 0) % 6;
const tables = process.env.SCREE_FULL ? all : all.filter((_, i) => i % 6 === drawn);

describe('the headline of an analysis', () => {
  it.each(tables)('of %s has at most five sentences, and the whole at most 45 lines', async (name) => {
    const file = await openFile(`${folder}/${name}`, { missing: 'drop' });
    const options = { inspectColumns: true, bootstrap: 20 };
    const analysis = await analyzeTable(tableOf(file), options).finally(() => file.close());
    const lines = describeAnalysis(analysis, 'the table', NEXT, 80);
    expect(lines.length).toBeLessThanOrEqual(45);
    const headline = lines.slice(lines.indexOf('') + 1, lines.indexOf('', lines.indexOf('') + 1));
    const sentences = headline.join(' ').match(/[.!?](?=\s+\p{Lu}|$)/gu) ?? [];
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.length, headline.join('\n')).toBeLessThanOrEqual(5);
    expect(lines.join('\n')).not.toMatch(/\s0\.00 %|NaN|undefined/);
  });
});
