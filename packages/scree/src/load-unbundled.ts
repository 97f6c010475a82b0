/**
 * Loads a package that bundlers must not bundle, because it is optional, is native code or looks for files beside itself. Bundlers follow only
 * names that are written in the call, so an application that bundles scree keeps these packages as dependencies.
 */
export async function loadUnbundled<Module>(name: string): Promise<Module> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;
}
