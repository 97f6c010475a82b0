import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';

/** The contents of a site by path, `/index.html` first of all. */
export type Site = ReadonlyMap<string, string | Uint8Array>;

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Serves a site to this machine alone, on a port that is free, with the same headers on every answer. */
export async function serve(
  site: Site,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const content = site.get(path);
    const type = types[extname(path)] ?? 'application/octet-stream';
    response.writeHead(content === undefined ? 404 : 200, { ...headers, 'Content-Type': type }).end(content);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
