import type { IncomingMessage } from 'node:http';

/**
 * Returns the reason to refuse a request, for any address; undefined if it may be answered.
 *
 * Any page in the browser can send requests to this machine, but the browser says which page it was. Host is the name in the
 * address; another name that points here is DNS rebinding. Origin and Sec-Fetch-Site name the page that sent the request. Other
 * ports of this machine count as the "same site", but are not trusted either.
 *
 * `fromFile` is for the address in the redirect file. For the browser a local file is another site. The file may open that
 * address as a page, but a frame, script or fetch may not load it.
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

/** Browsers leave out the port if it is 80, the default of HTTP. */
function ownHosts(port: number): string[] {
  return ['127.0.0.1', 'localhost'].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}
