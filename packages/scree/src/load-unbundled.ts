/**
 * Loads a dependency that bundlers must leave alone, because it is native code or looks for files beside itself. They follow only
 * names that are written in the call, so an application that bundles scree keeps these packages as dependencies.
 */
export async function loadUnbundled<Module>(name: string): Promise<Module> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;
}
