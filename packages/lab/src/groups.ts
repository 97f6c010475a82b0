/** Colours and shapes people can tell apart; what has more kinds than this shares the last one. */
const MOST = 7;

export interface Groups {
  readonly names: readonly string[];
  /** Group of each row, as an index of `names`. */
  readonly of: readonly number[];
}

/** Labels as groups, most frequent first; the rare ones of a long list together as "other". */
export function groupLabels(labels: readonly string[]): Groups {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const ranked = [...counts.keys()].sort((a, b) => (counts.get(b) as number) - (counts.get(a) as number));
  const kept = ranked.length > MOST ? ranked.slice(0, MOST - 1) : ranked;
  const index = new Map(kept.map((label, i) => [label, i]));
  const names = kept.map((label) => label || '(empty)');
  if (ranked.length > MOST) names.push(`${ranked.length - kept.length} others`);
  return { names, of: labels.map((label) => index.get(label) ?? kept.length) };
}
