import { describe, expect, it } from 'vitest';
import { History } from '../../src/learn/shared/history.js';

function recorded(count: number, capacity: number): History<{ epoch: number }> {
  const history = new History<{ epoch: number }>(capacity);
  for (let epoch = 0; epoch < count; epoch++) history.push({ epoch });
  return history;
}

describe('the history of a run', () => {
  it('has every moment while there are few', () => {
    const history = recorded(20, 50);
    expect(history.all.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(history.at(7)?.epoch).toBe(7);
    expect(history.after(7)?.epoch).toBe(8);
    expect(history.before(7)?.epoch).toBe(6);
    expect(history.until(3)).toHaveLength(4);
  });

  it('is bounded, keeps both ends, and stays in order', () => {
    for (const count of [51, 100, 999, 12_345]) {
      const history = recorded(count, 50);
      const epochs = history.all.map(({ epoch }) => epoch);
      expect(epochs.length).toBeLessThanOrEqual(51);
      expect(epochs.length).toBeGreaterThan(20);
      expect(epochs[0]).toBe(0);
      expect(epochs[epochs.length - 1]).toBe(count - 1);
      expect([...epochs].sort((a, b) => a - b)).toEqual(epochs);
    }
  });

  it('answers with the last kept moment before an epoch that was dropped', () => {
    const history = recorded(1000, 50);
    const kept = history.all.map(({ epoch }) => epoch);
    for (const epoch of [1, 77, 500, 998]) {
      expect(history.at(epoch)?.epoch).toBe(kept.filter((one) => one <= epoch).pop());
      expect(history.before(epoch)?.epoch).toBe(kept.filter((one) => one < epoch).pop());
      expect(history.after(epoch)?.epoch).toBe(kept.find((one) => one > epoch));
    }
  });

  it('has nothing beyond its ends', () => {
    const history = recorded(5, 50);
    expect(history.after(4)).toBeUndefined();
    expect(history.before(0)).toBeUndefined();
    expect(new History().at(0)).toBeUndefined();
  });
});
