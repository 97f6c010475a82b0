/**
 * Returns a built-in module of Node, or undefined outside Node. The module is found at run time, so that bundlers for browsers do not
 * search for it. The edge runtime of Next.js has a `process` whose functions throw.
 */
export function builtinModule<Module>(name: string): Module | undefined {
  try {
    const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Module | undefined } };
    return process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}
