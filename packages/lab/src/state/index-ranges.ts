/** Places as an address has them: 0-3,7 for 0, 1, 2, 3 and 7. */
export function writePlaces(places: readonly number[]): string {
  const runs: [from: number, to: number][] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last && place === last[1] + 1) last[1] = place;
    else runs.push([place, place]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}

/** What `writePlaces` wrote, as far as there are such places; undefined where it is something else. */
export function readPlaces(text: string, count: number): readonly number[] | undefined {
  const places = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match) return undefined;
    const from = Number(match[1]);
    if (from >= count) continue;
    const to = Math.min(count - 1, Number(match[2] ?? match[1]));
    for (let place = from; place <= to; place++) places.add(place);
  }
  return [...places].sort((a, b) => a - b);
}
