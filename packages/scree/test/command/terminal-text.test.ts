import { describe, expect, it } from 'vitest';
import { wrap } from '../../src/command/wrap.js';
import { screePlot } from '../../src/scree-plot.js';

describe('text in a terminal', () => {
  it('is broken at spaces, not at no-break spaces, and keeps its indentation', () => {
    expect(wrap('  one two three', 9, 4)).toEqual(['  one two', '    three']);
    expect(wrap('12\u00a0% of it', 6)).toEqual(['12\u00a0%', 'of it']);
    expect(wrap('unbreakable', 4)).toEqual(['unbreakable']);
    expect(wrap('', 4)).toEqual(['']);
  });

  it('a scree plot has marks in its bars and lines below them', () => {
    const lines = screePlot(
      { varianceRatios: Float64Array.of(0.75, 0.25) },
      { width: 8, marks: [0.375, 0.375], below: (i) => (i === 0 ? ['here'] : []) },
    ).split('\n');
    expect(lines.map((line) => line.slice(24))).toEqual(['', '████│███', '', '██▋ │'.trimEnd()]);
    expect(lines[2]).toBe('here');
  });
});
