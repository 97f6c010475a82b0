import { isSparkUrl, withoutToken } from '../cluster/spark-url.js';

/**
 * Addresses of Postgres databases. This file is part of every start of the command, which takes the passwords out of its
 * arguments before anything else sees them, so it imports only the addresses of Spark.
 */

const SCHEME = /^postgres(ql)?:\/\//i;

export function isPostgresUrl(path: string | undefined): path is string {
  return path !== undefined && SCHEME.test(path);
}

/** Whether a path is the address of a server, of Postgres or of Spark. */
export function isServerUrl(path: string | undefined): path is string {
  return isPostgresUrl(path) || isSparkUrl(path);
}

/** The address without passwords and tokens: what messages, reports and checkpoints name. */
export function withoutPassword(url: string): string {
  if (isSparkUrl(url)) return withoutToken(url);
  if (!isPostgresUrl(url)) return url;
  const [scheme] = SCHEME.exec(url) as RegExpExecArray;
  const rest = url.slice(scheme.length).replace(/([?&])(?:password|sslpassword)=[^&#]*&?/gi, '$1');
  const [authority] = /^[^/?#]*/.exec(rest) as RegExpExecArray;
  const behind = rest.slice(authority.length).replace(/[?&]$/, '');
  const at = authority.lastIndexOf('@');
  if (at >= 0) return `${scheme}${authority.slice(0, at).replace(/:.*$/s, '')}${authority.slice(at)}${behind}`;
  // A / ? or # in a password must be written as %2F, %3F or %23. Otherwise the address ends there, and the rest is not shown.
  if (hasUnescapedPassword(url)) return `${scheme}${authority.replace(/:.*$/s, '')}`;
  return `${scheme}${authority}${behind}`;
}

/** Whether a password seems to contain characters that end the part of the address that it is in. */
export function hasUnescapedPassword(url: string): boolean {
  const rest = url.replace(SCHEME, '');
  const [authority] = /^[^/?#]*/.exec(rest) as RegExpExecArray;
  if (authority.includes('@') || !authority.includes(':')) return false;
  // What follows a host is a port.
  return !/:\d*$/.test(authority) || /^[^?]*@/.test(rest.slice(authority.length));
}

/** A path, or the address of a database with its name and nothing else after the last slash: a short name can be made of it. */
export function withoutParameters(path: string): string {
  if (isSparkUrl(path)) return 'sc://spark';
  return isPostgresUrl(path) ? path.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*$/, '$1postgres') : path;
}

/** Addresses as they were typed, by what is shown of them. Only the command, which lives for one address, puts any there. */
const typed = new Map<string, string>();

/** Replaces an address by one without its password, which `typedUrl` still finds. Other words are returned unchanged. */
export function hidePassword(word: string): string {
  const shown = withoutPassword(word);
  if (shown !== word) typed.set(shown, word);
  return shown;
}

export function typedUrl(url: string): string {
  return typed.get(url) ?? url;
}
