/** The `details` of the warning RANK_BELOW_K. */
export interface RankDetails {
  readonly rank: number;
  readonly k: number;
  readonly d: number;
}

/** Says how many components have variance, and what the others are. */
export function describeRank({ rank, k, d }: RankDetails): string {
  if (rank === 0)
    return `None of the ${k} components has variance that can be told from zero: the data vary by no more than the rounding of their own numbers.`;
  const others =
    d - rank === 1
      ? `component ${k} is the one direction orthogonal to the others`
      : `the ${k - rank === 1 ? 'other is' : 'others are'} not determined by the data`;
  return `Only ${rank} of the ${k} components ${rank > 1 ? 'have' : 'has'} variance that can be told from zero; ${others}.`;
}
