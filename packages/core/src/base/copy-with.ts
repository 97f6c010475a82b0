/** A copy of a plain object with some properties replaced. Getters stay getters. */
export function copyWith<Plain extends object>(object: Plain, changes: Partial<Plain>): Plain {
  const copy = { ...changes } as Plain;
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(object),
    ...Object.getOwnPropertyDescriptors(changes),
  });
}
