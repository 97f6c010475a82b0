import { random } from '../packages/core/src/linalg/random.js';

/**
 * Cases of a slow grid: all of them if SCREE_FULL is set, otherwise `count`, in their order. Which ones depends on the seed that
 * test/seed.ts prints, so all of them are tested in the course of time, and SCREE_SEED=… runs the same ones again.
 */
export function sample<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (process.env.SCREE_FULL !== undefined || count >= cases.length) return cases;
  const { uniform } = random(Number(process.env.SCREE_SEED));
  const drawn = cases.map((_, i) => ({ i, key: uniform() })).sort((a, b) => a.key - b.key);
  return drawn
    .slice(0, count)
    .map(({ i }) => i)
    .sort((a, b) => a - b)
    .map((i) => cases[i]);
}
