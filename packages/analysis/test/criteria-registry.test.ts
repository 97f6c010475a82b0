/// <reference types="node" />
/** What follows from the declarations of the criteria: names, titles, and the documentation. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CriterionTitle } from '../src/choose/criteria/criterion.js';
import { CRITERIA, CRITERION_NAMES, criteriaByImportance, criterionTitle } from '../src/choose/criteria/registry.js';

const methods = CRITERION_NAMES.map((name) => CRITERIA[name]);
const read = (path: string): string => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');

describe('the registry of criteria', () => {
  it('lists every criterion under its own name', () => {
    expect(methods.map(({ name }) => name)).toEqual([...CRITERION_NAMES]);
  });

  it.each(['long', 'short', 'sentence'] as const)(
    'gives every criterion a %s title of its own',
    (kind: keyof CriterionTitle) => {
      expect(new Set(methods.map(({ title }) => title[kind])).size).toBe(methods.length);
    },
  );

  it('orders criteria, and those that decide', () => {
    expect(new Set(methods.map(({ importance }) => importance)).size).toBe(methods.length);
    const ranks = methods.flatMap(({ decides }) => (decides ? [decides.rank] : []));
    expect(new Set(ranks).size).toBe(ranks.length);
  });

  it('calls a criterion of a later version by its name', () => {
    expect(criterionTitle('later')).toEqual({ long: 'later', short: 'later', sentence: 'later' });
  });
});

describe('the documentation of criteria', () => {
  it('has a row of the guide for each, by importance, as it is declared', () => {
    const rows = criteriaByImportance({ criteria: methods }).map(
      ({ name, guide: { keeps, appliesTo, source } }) => `| \`${name}\` | ${keeps} | ${appliesTo} | ${source} |`,
    );
    expect(read('guide/how-many-components.md')).toContain(`| --- | --- | --- | --- |\n${rows.join('\n')}\n\n`);
  });

  it('lists all names as values of the option', () => {
    expect(read('library.md')).toContain(
      `which to compute: ${CRITERION_NAMES.map((name) => `\`'${name}'\``).join(', ')} |`,
    );
  });
});
