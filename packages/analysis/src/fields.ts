/** Options with every default filled in. */
export type Filled<Options> = { [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** The named fields of an object that are not undefined. */
export function pick<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  ...names: readonly Name[]
): { [Each in Name]?: Exclude<Whole[Each], undefined> } {
  return Object.fromEntries(names.filter((name) => whole[name] !== undefined).map((name) => [name, whole[name]])) as {
    [Each in Name]?: Exclude<Whole[Each], undefined>;
  };
}

/** An object without the named fields. */
export function omit<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  ...names: readonly Name[]
): Omit<Whole, Name> {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name as Name))) as Omit<
    Whole,
    Name
  >;
}
