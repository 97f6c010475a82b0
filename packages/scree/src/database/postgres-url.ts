import { isSparkUrl } from '../cluster/spark-url.js';
import { endsInPassword, hideSecrets, isAddress } from './hide-secrets.js';

/**
 * Addresses of Postgres databases. Every start of the command loads this file to remove passwords from its arguments, so the file imports
 * only `hide-secrets.ts`.
 */

const SCHEME = /^postgres(ql)?:\/\//i;

export function isPostgresUrl(path: string | undefined): path is string {
  return path !== undefined && SCHEME.test(path);
}

/** Returns true if a path is the address of a Postgres or Spark server. */
export function isServerUrl(path: string | undefined): path is string {
  return isPostgresUrl(path) || isSparkUrl(path);
}

/** Returns true if an address seems to contain an unescaped password: one with /, ? or #, which end the authority. */
export function hasUnescapedPassword(url: string): boolean {
  return endsInPassword(url.replace(SCHEME, ''));
}

/** A path, or the address of a database that ends after the database's name, for making a short name of it. */
export function withoutParameters(path: string): string {
  if (isSparkUrl(path)) return 'sc://spark';
  return isPostgresUrl(path) ? path.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*$/, '$1postgres') : path;
}

/** Cache of the addresses as they were typed, by their form without secrets. Only the command adds addresses, and it ends after one. */
const typed = new Map<string, string>();

/** Replaces an address by its form without secrets. `typedUrl` returns the original. Other arguments are returned unchanged. */
export function hidePassword(given: string): string {
  // Spaces around an address come from copying it.
  const address = isAddress(given) ? given.trim() : given;
  const shown = hideSecrets(address);
  if (shown !== address) typed.set(shown, address);
  return shown;
}

export function typedUrl(url: string): string {
  return typed.get(url) ?? url;
}
