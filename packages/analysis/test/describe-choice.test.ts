import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../core/test/support/table.js';
import { criterionLines, describeChoice } from '../src/describe/index.js';
import { chooseComponents } from '../src/index.js';

describe('a choice in sentences', () => {
  it('says how much the recommended components keep, and what the criteria say', async () => {
    const choice = await chooseComponents(readTable('wine').rows, { permutations: 99 });
    expect(describeChoice(choice)).toEqual([choice.reason, '1 component keeps 99.8\u00a0% of the variance.']);
    const lines = criterionLines(choice);
    expect(lines).toHaveLength(12);
    expect(lines.find(({ name }) => name === 'Kaiser')).toMatchObject({ k: '–' });
    expect(lines.find(({ name }) => name === 'Broken stick')).toMatchObject({ k: '1' });
  });

  it('does not mention structure without structure', async () => {
    const { normal } = random(6);
    const rows = Array.from({ length: 100 }, () => Array.from({ length: 8 }, () => normal()));
    const words = describeChoice(await chooseComponents(rows, { permutations: 199 }));
    expect(words[0]).toMatch(/^Nothing stands out of noise/);
    expect(words[1]).toContain('by chance');
    expect(words.join(' ')).not.toContain('keep');
  });
});
