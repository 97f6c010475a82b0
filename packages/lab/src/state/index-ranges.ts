/** Indexes as ranges for an address: 0-3,7 for 0, 1, 2, 3 and 7. */
export function formatRanges(indexes: readonly number[]): string {
  const runs: [from: number, to: number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last && index === last[1] + 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}

/** Reads a text of `formatRanges`, without the indexes from `count` on. Returns undefined if the text has another form. */
export function parseRanges(text: string, count: number): readonly number[] | undefined {
  const indexes = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match) return undefined;
    const from = Number(match[1]);
    if (from >= count) continue;
    const to = Math.min(count - 1, Number(match[2] ?? match[1]));
    for (let index = from; index <= to; index++) indexes.add(index);
  }
  return [...indexes].sort((a, b) => a - b);
}
