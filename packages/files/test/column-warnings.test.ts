import { readFileSync } from 'node:fs';
import { lookAtColumns } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { openBlob } from '../src/index.js';
import { EXPECTED } from './tables/expected.js';

/** Tables that other folders have anyway. */
const ELSEWHERE: Record<string, string> = {
  wine: '../../lab/src/data/wine.csv',
  penguins: '../../lab/src/data/penguins.csv',
  decathlon2: '../../core/test/fixtures/decathlon2.csv',
};

describe('warnings about the columns of public tables', () => {
  it.each(EXPECTED)('are those that a statistician wants: $table', async ({ table, wanted }) => {
    const text = readFileSync(new URL(ELSEWHERE[table] ?? `tables/${table}.csv`, import.meta.url));
    const file = await openBlob(new Blob([text]), { name: `${table}.csv`, missing: 'mean' });
    const { warnings } = await lookAtColumns(file.source);
    const said = Object.fromEntries(
      warnings.map(({ code, details }) => {
        const columns = (details?.columns ?? []) as readonly (string | number | { readonly name: string })[];
        return [code, columns.map((column) => (typeof column === 'object' ? column.name : column))];
      }),
    );
    for (const [code, columns] of Object.entries(wanted)) if (columns === null && said[code]) delete said[code];
    const named = Object.entries(wanted).filter(
      ([code, columns]) => columns !== null || !warnings.some((each) => each.code === code),
    );
    expect(said).toEqual(Object.fromEntries(named));
  });
});
