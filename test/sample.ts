import { random } from '../packages/core/src/linalg/random.js';

const IS_FULL = process.env.SCREE_FULL !== undefined;

/** Number of cases of a random test: `most` if SCREE_FULL is set. */
export const runs = (usual: number, most: number): number => (IS_FULL ? most : usual);

/**
 * Cases of a slow grid: all of them if SCREE_FULL is set, otherwise `count`, in their order. Which ones depends on the seed that
 * test/seed.ts prints, so all of them are tested in the course of time, and SCREE_SEED=… runs the same ones again. Grids with
 * different values of `draw` are drawn independently.
 */
export function sample<Case>(cases: readonly Case[], count: number, draw = 0): readonly Case[] {
  if (IS_FULL || count >= cases.length) return cases;
  const { uniform } = random(Number(process.env.SCREE_SEED) + draw);
  const drawn = cases.map((_, i) => ({ i, key: uniform() })).sort((a, b) => a.key - b.key);
  return drawn
    .slice(0, count)
    .map(({ i }) => i)
    .sort((a, b) => a - b)
    .map((i) => cases[i]);
}
