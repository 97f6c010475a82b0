import { describe, expect, it } from 'vitest';
import { WIDEST_SCATTER } from '../../src/base/limits.js';
import { DEFAULT_MEMORY, MEMORY_SHARES, MemoryBudget, type MemoryUser } from '../../src/base/memory-budget.js';

const users = Object.keys(MEMORY_SHARES) as MemoryUser[];

describe('a memory budget', () => {
  it('has shares that add up to the whole, whatever its size', () => {
    for (const bytes of [1, 16e6, 32e6, 256e6, DEFAULT_MEMORY, 2 ** 40, 123_456_789]) {
      const budget = new MemoryBudget(bytes);
      const sum = users.reduce((total, user) => total + budget.share(user), 0);
      expect(sum).toBeLessThanOrEqual(bytes);
      expect(sum).toBeGreaterThan(bytes - users.length);
    }
  });

  it('divides among readers that work at the same time', () => {
    const budget = new MemoryBudget(100e6);
    for (const count of [1, 3, 7]) {
      const part = budget.divide(count);
      expect(count * part.share('decoder')).toBeLessThanOrEqual(budget.share('decoder'));
      expect(count * part.bytes).toBeGreaterThan(budget.bytes - count);
    }
    expect(budget.divide(0).bytes).toBe(budget.bytes);
  });

  it('holds the four matrices of the widest covariance by default', () => {
    expect(4 * 8 * WIDEST_SCATTER ** 2).toBeLessThan(new MemoryBudget().share('engine'));
  });
});
