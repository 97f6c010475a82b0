import { createServer, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
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

/** Connections that are open at once. A browser opens six. */
const CONNECTIONS = 64;

/** A server within these limits. */
export function limitedServer(): Server {
  const server = createServer(LIMITS);
  server.setTimeout(SILENCE, (socket) => socket.destroy());
  return server;
}

/**
 * The open connections of a server. When there are too many, one is closed to let the new one in, so idle sockets of
 * another program cannot lock out the browser. The oldest of those that have not shown the token goes first, then the oldest that
 * has and waits for nothing. Only if all of them are downloading is the new one refused.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #trusted = new WeakSet<Socket>();
  readonly #answering = new WeakSet<Socket>();
  readonly #refused = new WeakSet<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      if (this.#open.size >= CONNECTIONS) {
        const victim = this.#leastNeeded() ?? socket;
        victim.destroy();
        this.#open.delete(victim);
        if (victim === socket) return;
      }
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** A request of this connection is answered from now until `response` is closed. */
  startAnswer(socket: Socket, response: ServerResponse): void {
    this.#answering.add(socket);
    response.once('close', () => this.#answering.delete(socket));
  }

  isAnswering(socket: Socket): boolean {
    return this.#answering.has(socket);
  }

  /** This connection has had its last answer. */
  refuse(socket: Socket): void {
    this.#refused.add(socket);
  }

  isRefused(socket: Socket): boolean {
    return this.#refused.has(socket);
  }

  /** This connection has shown the token. */
  trust(socket: Socket): void {
    this.#trusted.add(socket);
  }

  #leastNeeded(): Socket | undefined {
    const oldestFirst = [...this.#open];
    return (
      oldestFirst.find((socket) => !this.#trusted.has(socket)) ??
      oldestFirst.find((socket) => !this.#answering.has(socket))
    );
  }
}

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers what is no HTTP, or not in time; just hangs up where that would end up inside another answer. */
export function tellBroken(error: NodeJS.ErrnoException, socket: Socket, answering: boolean): void {
  if (!socket.writable || answering || error.code === 'ECONNRESET') return void socket.destroy();
  const status = STATUS[error.code ?? ''] ?? 400;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Length: 0'];
  for (const [name, value] of Object.entries(HEADERS)) lines.push(`${name}: ${value}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}
