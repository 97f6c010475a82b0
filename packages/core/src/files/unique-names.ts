/** The names, each once: a second "a" is "a_1". `same` says by what they are told apart. */
export function uniqueNames(names: readonly string[], same = (name: string): string => name): string[] {
  const taken = new Set<string>();
  return names.map((base) => {
    let name = base;
    for (let copy = 1; taken.has(same(name)); copy++) name = `${base}_${copy}`;
    taken.add(same(name));
    return name;
  });
}
