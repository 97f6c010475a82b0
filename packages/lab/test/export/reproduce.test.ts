import { describe, expect, it } from 'vitest';
import { commandLine, program } from '../../src/export/reproduce.js';
import type { Fitted } from '../../src/state/fit.js';

function fitted(names: readonly string[], used: readonly number[], name = 'data.csv'): Fitted {
  const columns = names.map((title) => ({ name: title, usable: true }));
  const request = { data: 1, columns: used, scale: 'unit', missing: 'drop', solver: 'auto' };
  return { data: { info: { name, columns } }, columns: used, request, incompleteRows: 0 } as unknown as Fitted;
}

describe('the command line and the program', () => {
  it('contain the settings of the fit', () => {
    const analysis = { fitted: fitted(['a', 'b', 'c'], [0, 2]), k: 2 };
    expect(commandLine(analysis)).toBe('scree fit data.csv -k 2 --columns a,c --scale unit -o model.json');
    expect(program(analysis)).toContain('columns: ["a","c"]');
    expect(program(analysis)).toContain("{ k: 2, scale: 'unit' }");
  });

  it('name the columns if one with a few words in it was left out, which the command would refuse', () => {
    const now = fitted(['a', 'b', 'c'], [0, 2]);
    const columns = now.data.info.columns.map((column, j) =>
      j === 1 ? { ...column, usable: false, firstNonNumber: { row: 2, value: 'x' } } : column,
    );
    const analysis = { fitted: { ...now, data: { ...now.data, info: { ...now.data.info, columns } } }, k: 2 };
    expect(commandLine(analysis)).toContain('--columns a,c');
  });

  it('escape bidirectional control characters', () => {
    expect(program({ fitted: fitted(['a\u202e', 'b'], [0]), k: 1 })).toContain('columns: ["a\\u202e"]');
  });

  it('read the file that pasted data are saved as', () => {
    const now = fitted(['a', 'b'], [0, 1], 'pasted table');
    const info = { ...now.data.info, format: 'CSV' };
    const data = { ...now.data, info, source: { kind: 'text', name: 'pasted table', text: 'a,b' } as const };
    expect(commandLine({ fitted: { ...now, data }, k: 1 })).toContain('scree fit pasted-table.csv');
    expect(program({ fitted: { ...now, data }, k: 1 })).toContain('openFile("pasted-table.csv")');
  });

  it('double commas in names, as the command expects, and quote special characters of the shell', () => {
    const names = ['x, y', "it's", '$HOME', 'other'];
    expect(commandLine({ fitted: fitted(names, [0, 1, 2]), k: 1 })).toContain(`--columns 'x,, y,it'\\''s,$HOME'`);
  });
});
