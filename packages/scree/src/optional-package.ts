import { FileError } from '@scree/files';
import { loadUnbundled } from './load-unbundled.js';

interface Facts {
  readonly purpose: string;
  /** Arguments of `npm install`. */
  readonly install: string;
}

/** Optional peers of this package: they are large, or few users need them. Each is loaded when an address, a format or a flag needs it. */
export const OPTIONAL_PACKAGES = {
  '@duckdb/node-api': { purpose: 'DuckDB databases and SQL queries over files', install: '@duckdb/node-api' },
  koffi: { purpose: 'native BLAS and, on Linux, the locks of SQLite', install: 'koffi' },
  pg: { purpose: 'Postgres databases', install: 'pg pg-copy-streams' },
  'pg-copy-streams': { purpose: 'Postgres databases', install: 'pg pg-copy-streams' },
} satisfies Record<string, Facts>;

export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** Loads an optional package. If that fails, returns why and how to install it: "is not installed (npm install koffi)". */
export async function loadOptional<Module extends object>(name: OptionalPackage): Promise<Module | string> {
  try {
    return await loadUnbundled<Module>(name);
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
    // If an installed package lacks its binary for this platform, the message names another package.
    const why = message.includes(`'${name}'`) ? 'is not installed' : `does not load: ${message}`;
    return `${why} (npm install ${OPTIONAL_PACKAGES[name].install})`;
  }
}

/** Loads an optional package that reading `path` needs. */
export async function requireOptional<Module extends object>(name: OptionalPackage, path: string): Promise<Module> {
  const loaded = await loadOptional<Module>(name);
  if (typeof loaded !== 'string') return loaded;
  const message = `${OPTIONAL_PACKAGES[name].purpose} need the package ${name}, which ${loaded}.`;
  throw new FileError('UNSUPPORTED', path, message, { reason: 'missing-package', value: name, cause: loaded });
}
