import { describe, expect, it } from 'vitest';
import type { Fitted } from '../../src/state/fit.js';
import { commandLine, program } from '../../src/take/same-analysis.js';

function fitted(names: readonly string[], used: readonly number[], name = 'data.csv'): Fitted {
  const columns = names.map((title) => ({ name: title, usable: true }));
  const request = { data: 1, columns: used, scale: 'unit', missing: 'drop', solver: 'auto' };
  return { data: { facts: { name, columns } }, columns: used, request, incomplete: 0 } as unknown as Fitted;
}

describe('the same analysis in other words', () => {
  it('has what was fitted', () => {
    const analysis = { fitted: fitted(['a', 'b', 'c'], [0, 2]), k: 2 };
    expect(commandLine(analysis)).toBe('scree fit data.csv -k 2 --columns a,c --scale unit -o model.json');
    expect(program(analysis)).toContain('columns: ["a","c"]');
    expect(program(analysis)).toContain("{ k: 2, scale: 'unit' }");
  });

  it('doubles commas in names, as the command wants them, and quotes what a shell would take for something', () => {
    const names = ['x, y', "it's", '$HOME', 'other'];
    expect(commandLine({ fitted: fitted(names, [0, 1, 2]), k: 1 })).toContain(`--columns 'x,, y,it'\\''s,$HOME'`);
  });
});
