import { isSparkUrl } from '../cluster/spark-url.js';
import { endsInPassword, hideSecrets, isAddress } from './hide-secrets.js';

/**
 * Addresses of Postgres databases. This file is part of every start of the command, which takes the passwords out of its
 * arguments before anything else sees them, so it imports only what is needed for that.
 */

const SCHEME = /^postgres(ql)?:\/\//i;

export function isPostgresUrl(path: string | undefined): path is string {
  return path !== undefined && SCHEME.test(path);
}

/** Whether a path is the address of a server, of Postgres or of Spark. */
export function isServerUrl(path: string | undefined): path is string {
  return isPostgresUrl(path) || isSparkUrl(path);
}

/** Whether a password seems to contain characters that end the part of the address that it is in. */
export function hasUnescapedPassword(url: string): boolean {
  return endsInPassword(url.replace(SCHEME, ''));
}

/** A path, or the address of a database with its name and nothing else after the last slash: a short name can be made of it. */
export function withoutParameters(path: string): string {
  if (isSparkUrl(path)) return 'sc://spark';
  return isPostgresUrl(path) ? path.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*$/, '$1postgres') : path;
}

/** Addresses as they were typed, by what is shown of them. Only the command, which lives for one address, puts any there. */
const typed = new Map<string, string>();

/** Replaces an address by one without its secrets, which `typedUrl` still finds. Other words are returned unchanged. */
export function hidePassword(given: string): string {
  // Spaces around an address come from copying it.
  const word = isAddress(given) ? given.trim() : given;
  const shown = hideSecrets(word);
  if (shown !== word) typed.set(shown, word);
  return shown;
}

export function typedUrl(url: string): string {
  return typed.get(url) ?? url;
}
