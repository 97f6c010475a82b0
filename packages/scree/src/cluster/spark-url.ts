/**
 * Addresses of Spark Connect servers: sc://host:15002/;use_ssl=true;token=… (Spark docs: "Spark Connect: Client connection string"). Every start
 * of the command loads this file, so it imports little.
 */

import { hideSecrets } from '../database/hide-secrets.js';

const SCHEME = /^sc:\/\//i;
const DEFAULT_PORT = 15002;
/** Parameters that Spark defines. Others are sent as headers. */
const KNOWN = ['use_ssl', 'token', 'user_id', 'user_agent', 'session_id'];

export interface SparkAddress {
  /** The address without its token, for messages. */
  readonly path: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly token: string | undefined;
  readonly user: string | undefined;
  /** Further headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export function isSparkUrl(path: string | undefined): boolean {
  return path !== undefined && SCHEME.test(path);
}

/** Parses an address. Returns undefined if it is invalid. */
export function parseSparkUrl(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): SparkAddress | undefined {
  const [, host, port, rest] = /^sc:\/\/([^/:;?#@\s]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(\/.*)?$/i.exec(url) ?? [];
  if (host === undefined || Number(port ?? 1) > 65535 || Number(port ?? 1) === 0) return undefined;
  const headers: Record<string, string> = {};
  const found: Record<string, string> = {};
  const [path = '', ...parameters] = (rest ?? '/').slice(1).split(';');
  if (path !== '') return undefined;
  for (const parameter of parameters.filter((each) => each !== '')) {
    const equals = parameter.indexOf('=');
    if (equals < 1) return undefined;
    const name = parameter.slice(0, equals);
    let value: string;
    try {
      value = decodeURIComponent(parameter.slice(equals + 1));
    } catch {
      return undefined;
    }
    if (KNOWN.includes(name)) found[name] = value;
    else if (/^[a-z0-9_.-]+$/i.test(name) && /^[\x20-\x7e]*$/.test(value)) headers[name.toLowerCase()] = value;
    else return undefined;
  }
  const token = found.token ?? environment.SPARK_CONNECT_AUTHENTICATE_TOKEN;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) return undefined;
  return {
    path: hideSecrets(url),
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? DEFAULT_PORT : Number(port),
    tls: /^true$/i.test(found.use_ssl ?? ''),
    token,
    user: found.user_id,
    headers,
  };
}

/** Returns true if data for this host stay on this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host);
}
