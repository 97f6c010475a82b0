import type { IncomingMessage } from 'node:http';

/**
 * Why a request may not be answered, whatever it asks for; undefined if it may.
 *
 * Any page that is open in the browser can make it send requests to this machine. The browser says truthfully on whose
 * behalf: Host is the name that was asked for (a foreign name that points here is DNS rebinding), Origin and
 * Sec-Fetch-Site name the page that sent the request. Other ports of this machine count as the "same site", but are not trusted either.
 *
 * `fromFile` is for the address in the redirect file: a local file is another site to the browser, so the file may open
 * that address as a page of its own, but nothing may load it in a frame, a script or a fetch.
 */
export function refusal(
  { headersDistinct: headers }: IncomingMessage,
  port: number,
  fromFile = false,
): string | undefined {
  const [host, ...more] = headers.host ?? [];
  if (host === undefined || more.length > 0 || !ownHosts(port).includes(host.toLowerCase())) {
    return 'This is not the name of this server.';
  }
  const own = `http://${host.toLowerCase()}`;
  if (headers.origin?.some((origin) => origin !== own)) return 'Another site asks.';
  const opensPage =
    String(headers['sec-fetch-mode']) === 'navigate' && String(headers['sec-fetch-dest']) === 'document';
  if (fromFile && opensPage) return undefined;
  if (headers['sec-fetch-site']?.some((site) => site !== 'same-origin' && site !== 'none')) {
    return 'Another site asks. If you followed a link, copy the address into a new tab.';
  }
  return undefined;
}

/** Browsers leave out the port where it is that of HTTP. */
function ownHosts(port: number): string[] {
  return ['127.0.0.1', 'localhost'].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}
