/**
 * A module of Node, or undefined where there is none. It is found at run time, so that bundlers for pages do not look for it. The edge
 * runtime of Next.js has a `process` whose functions throw.
 */
export function builtinModule<Module>(name: string): Module | undefined {
  try {
    const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Module | undefined } };
    return process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}
