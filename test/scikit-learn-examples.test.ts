/// <reference types="node" />
/** The examples that exchange models with scikit-learn run, agree with it, and are as short and plain as they say. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pythonWith } from './python.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const python = pythonWith('sklearn', 'numpy');

describe.each(['from-scikit-learn', 'to-scikit-learn'])('examples/%s.ts', (name) => {
  it('has at most 30 lines, and neither a cast nor a non-null assertion', () => {
    const text = readFileSync(`${root}examples/${name}.ts`, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(text).not.toMatch(/\bas (?!const|np)\w|\w!\.|\w!\)|\bany\b/);
  });

  it.runIf(python)('has the scores of scikit-learn', () => {
    const printed = execFileSync(process.execPath, [`${root}examples/dist/${name}.js`], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, SCREE_PYTHON: python },
    });
    const [, difference] = /largest difference: (\S+)/.exec(printed) ?? [];
    expect(Number(difference)).toBeLessThan(1e-12);
  });
});
