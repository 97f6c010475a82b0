import { createServer, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HEADERS } from './headers.js';

/** Limits for clients, so that no request keeps the server busy for ever. */
const LIMITS = {
  /** Bytes. All servers on 127.0.0.1 share their cookies, so browsers may send many. */
  maxHeaderSize: 16 * 2 ** 10,
  /** Milliseconds until the headers and the whole request must have arrived, and between two checks of that. */
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  /** The server rejects such requests itself, with its own headers. */
  requireHostHeader: false,
} satisfies ServerOptions;

/** Milliseconds without a byte in either direction. The page may pause a large download while it computes. */
const IDLE_TIMEOUT = 5 * 60_000;

/** Limit for open connections. A browser opens six. */
const MAX_CONNECTIONS = 64;

/** A server with these limits. */
export function limitedServer(): Server {
  const server = createServer(LIMITS);
  server.setTimeout(IDLE_TIMEOUT, (socket) => socket.destroy());
  return server;
}

/**
 * The open connections of a server. When there are too many, an old one is closed for the new one, so idle sockets
 * of another program cannot lock out the browser. The oldest connection that has not sent the token is closed first, then the
 * oldest that is idle. The new one is refused only if all others are downloading.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #trusted = new WeakSet<Socket>();
  readonly #responding = new WeakSet<Socket>();
  readonly #refused = new WeakSet<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      if (this.#open.size >= MAX_CONNECTIONS) {
        const victim = this.#leastNeeded() ?? socket;
        victim.destroy();
        this.#open.delete(victim);
        if (victim === socket) return;
      }
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** The connection is busy from now until `response` is closed. */
  startResponse(socket: Socket, response: ServerResponse): void {
    this.#responding.add(socket);
    response.once('close', () => this.#responding.delete(socket));
  }

  isResponding(socket: Socket): boolean {
    return this.#responding.has(socket);
  }

  /** This connection gets no more responses. */
  refuse(socket: Socket): void {
    this.#refused.add(socket);
  }

  isRefused(socket: Socket): boolean {
    return this.#refused.has(socket);
  }

  /** This connection has sent the token. */
  trust(socket: Socket): void {
    this.#trusted.add(socket);
  }

  #leastNeeded(): Socket | undefined {
    const oldestFirst = [...this.#open];
    return (
      oldestFirst.find((socket) => !this.#trusted.has(socket)) ??
      oldestFirst.find((socket) => !this.#responding.has(socket))
    );
  }
}

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Responds to a request that is invalid or too slow. Only closes the connection if another response is being sent. */
export function rejectInvalid(error: NodeJS.ErrnoException, socket: Socket, responding: boolean): void {
  if (!socket.writable || responding || error.code === 'ECONNRESET') return void socket.destroy();
  const status = STATUS[error.code ?? ''] ?? 400;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Length: 0'];
  for (const [name, value] of Object.entries(HEADERS)) lines.push(`${name}: ${value}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}
