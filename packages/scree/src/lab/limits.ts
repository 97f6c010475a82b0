import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HEADERS } from './headers.js';

/** How much a client may ask for, and how long it may take: nothing that comes in keeps the server busy for ever. */
const LIMITS = {
  /** Bytes. All programs on 127.0.0.1 share their cookies, so browsers may have some to send. */
  maxHeaderSize: 16 * 2 ** 10,
  /** Milliseconds until headers, and a whole request, must be here; how often that is looked after. */
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  /** We refuse it ourselves, with our headers. */
  requireHostHeader: false,
} satisfies ServerOptions;

/** Milliseconds without a byte in either direction: a page that computes may let a large answer wait. */
const SILENCE = 5 * 60_000;

/** A browser has six. */
const CONNECTIONS = 64;

/** A server within these limits. */
export function limitedServer(): Server {
  const server = createServer(LIMITS);
  server.maxConnections = CONNECTIONS;
  server.setTimeout(SILENCE, (socket) => socket.destroy());
  return server;
}

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers what is no HTTP, or not in time; just hangs up where that would end up inside another answer. */
export function tellBroken(error: NodeJS.ErrnoException, socket: Socket, busy: WeakSet<Socket>): void {
  if (!socket.writable || busy.has(socket) || error.code === 'ECONNRESET') return void socket.destroy();
  const status = STATUS[error.code ?? ''] ?? 400;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Length: 0'];
  for (const [name, value] of Object.entries(HEADERS)) lines.push(`${name}: ${value}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}
