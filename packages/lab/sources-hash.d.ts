/** The hash of all inputs of the build is written into this file, so that tests use a build only if it is of these sources. */
export const BUILT_FROM: string;
/** A hash of all inputs of the build: the lab, the sources of all packages, and the versions of their dependencies. */
export function hashOfSources(): string;
