/** The names, each once: a second "a" is "a_1". `same` says by what they are told apart. */
export function uniqueNames(names: readonly string[], same = (name: string): string => name): string[] {
  const taken = new Set<string>();
  // The next number to try for each name, because a file may repeat one name a million times.
  const copies = new Map<string, number>();
  return names.map((base) => {
    let name = base;
    let copy = copies.get(same(base)) ?? 1;
    for (; taken.has(same(name)); copy++) name = `${base}_${copy}`;
    copies.set(same(base), copy);
    taken.add(same(name));
    return name;
  });
}
