/** How many components are needed for a share of the variance; undefined where those kept do not reach it. */
export function componentsFor(ratios: ArrayLike<number>, share: number): number | undefined {
  let sum = 0;
  for (let i = 0; i < ratios.length; i++) {
    sum += ratios[i];
    // All of the variance is reached by sums that have been rounded.
    if (sum >= share - 1e-12) return i + 1;
  }
  return undefined;
}
