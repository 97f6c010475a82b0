import { type CriterionMethod, firstHave, leadingAbove, total } from './criterion.js';

/**
 * The broken stick (Frontier 1976; Jackson 1993): if the variance were a stick broken at random into p pieces, the j-th
 * largest would be bⱼ = (1/p)·Σᵢ₌ⱼᵖ 1/i of it on average. The first components whose share exceeds bⱼ are kept.
 */
export const brokenStick: CriterionMethod = {
  name: 'broken-stick',
  title: { long: 'Broken stick', short: 'broken stick', sentence: 'the broken stick' },
  importance: 6,
  guide: {
    keeps: 'with a larger share than the pieces of a stick broken at random',
    appliesTo: 'everything',
    source: 'Frontier 1976, Jackson 1993',
  },
  // `values`: share of the variance of each component, and the share of the pieces of a stick broken at random.
  needs: [],
  requires: [],
  compute: ({ spectrum }) => {
    const p = spectrum.length;
    const sum = total(spectrum);
    const values = Array.from(spectrum, (value) => value / sum);
    const thresholds = new Array<number>(p);
    for (let j = p - 1, pieces = 0; j >= 0; j--) {
      pieces += 1 / (j + 1);
      thresholds[j] = pieces / p;
    }
    const k = leadingAbove(values, thresholds);
    return {
      k,
      values,
      thresholds,
      sentence: `${firstHave(k)} a larger share of the variance than the pieces of a stick broken at random into ${p} have on average.`,
    };
  },
};
