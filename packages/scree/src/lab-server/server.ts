import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { OptionError } from '@scree/core';
import { refusal } from './guard.js';
import { HEADERS } from './headers.js';
import { Connections, limitedServer, rejectInvalid } from './limits.js';
import type { PageFile, PageFiles } from './page-files.js';
import { redirectPage } from './redirect.js';
import { Secret } from './secret.js';
import { sendFile, sendText } from './send.js';
import type { SharedFile } from './shared-file.js';

export interface LabSettings {
  readonly page: PageFiles;
  /** The one file that the page may read. */
  readonly data?: SharedFile | undefined;
  /** Default any free port. */
  readonly port?: number | undefined;
  /** Called once: when `addressForBrowser` was used, or has become invalid because the page was opened in another way. */
  readonly onOpened?: (() => void) | undefined;
}

/**
 * The lab's page and one data file, for browsers on this machine.
 *
 * Other users of the machine can reach its ports too, so every address contains a secret: `/<token>/…`. A cookie would not be
 * safe, because cookies ignore ports: any server on 127.0.0.1 receives them and can set them. Only the user and programs
 * that were given an address know it, relative addresses of the page keep the token, and two labs in one browser do not interfere.
 */
export class LabServer {
  readonly #server: Server;
  readonly #page: PageFiles;
  readonly #data: SharedFile | undefined;
  readonly #token = new Secret();
  /** Valid for one visit, or until the page is opened in another way: see `addressForBrowser`. */
  #ticket: Secret | undefined = new Secret();
  readonly #onOpened: (() => void) | undefined;
  readonly #connections: Connections;

  private constructor({ page, data, onOpened }: LabSettings) {
    this.#page = page;
    this.#data = data;
    this.#onOpened = onOpened;
    this.#server = limitedServer();
    this.#connections = new Connections(this.#server);
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch(() => response.destroy());
    };
    // Requests with an Expect header get the same responses and headers as others.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.#server.on(event, handle);
    this.#server.on('clientError', (error, stream) => {
      const socket = stream as Socket;
      rejectInvalid(error, socket, this.#connections.isResponding(socket));
    });
  }

  static async start(settings: LabSettings): Promise<LabServer> {
    const lab = new LabServer(settings);
    const { port = 0 } = settings;
    await new Promise<void>((resolve, reject) => {
      // Also handles later errors: if a connection cannot be accepted, the server goes on.
      lab.#server.on('error', (error) => reject(portError(error, port)));
      lab.#server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
    });
    return lab;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get #base(): string {
    return `/${this.#token.text}/`;
  }

  /**
   * The address of the page. The part after # names the data: `file`, decoded by URLSearchParams, is an address relative to the
   * page. It is therefore encoded twice.
   */
  get #start(): string {
    const file = this.#data?.address.split('/').map(encodeURIComponent).join('/');
    return `${this.#base}${file === undefined ? '' : `#/explore?file=${file}`}`;
  }

  /** The address to show to the user. */
  get address(): string {
    return `http://127.0.0.1:${this.#port}${this.#start}`;
  }

  /**
   * The address in the redirect file, which the browser is started with. It redirects to the page once, so another user cannot use a file that was copied
   * or left behind.
   */
  get addressForBrowser(): string {
    return `http://127.0.0.1:${this.#port}/${this.#ticket?.text ?? ''}`;
  }

  /** Stops the server and closes all connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    if (this.#connections.isRefused(socket)) return void request.destroy();
    this.#connections.startResponse(socket, response);
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    // No request needs a body, so the server does not wait for one.
    if ('content-length' in request.headers || 'transfer-encoding' in request.headers) response.shouldKeepAlive = false;
    const [, first, rest] = /^\/([^/?]*)(?:\/([^?]*))?(?:\?|$)/.exec(request.url ?? '') ?? [];
    const known = first !== undefined && this.#token.matches(first);
    const ticket = first !== undefined && rest === undefined && this.#ticket?.matches(first) === true;
    const reason = refusal(request, this.#port, ticket);
    if (reason !== undefined || !(known || ticket)) {
      // One response per connection: thousands of pipelined requests would keep the server busy.
      response.shouldKeepAlive = false;
      this.#connections.refuse(socket);
      if (reason !== undefined) return sendText(response, 403, reason);
      return sendText(response, 404, 'There is nothing here. Use the whole address.');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendText(response, 405, 'This server answers only GET and HEAD.', { Allow: 'GET, HEAD' });
    }
    this.#connections.trust(socket);
    if (ticket) {
      if (request.method === 'GET') this.#spendTicket();
      // Not an HTTP redirect: for the browser that would still be a request of the local file, which is another site.
      return sendPage(response, { type: 'text/html; charset=utf-8', content: Buffer.from(redirectPage(this.#start)) });
    }
    // Relative addresses need the slash at the end.
    if (rest === undefined) return sendText(response, 308, 'The lab.', { Location: this.#base });

    this.#spendTicket();
    if (this.#data && namesFile(rest, this.#data)) return sendFile(response, this.#data);
    const file = this.#page.get(rest === '' ? 'index.html' : rest);
    if (!file) return sendText(response, 404, 'There is no such file.');
    sendPage(response, file);
  }

  #spendTicket(): void {
    if (this.#ticket === undefined) return;
    this.#ticket = undefined;
    this.#onOpened?.();
  }
}

function sendPage(response: ServerResponse, { type, content }: PageFile): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': content.length });
  response.end(content);
}

/** Returns true if an address names the data file, in any encoding. */
function namesFile(address: string, { name }: SharedFile): boolean {
  const [, encoded] = /^data\/([^/]+)$/.exec(address) ?? [];
  try {
    return encoded !== undefined && decodeURIComponent(encoded) === name;
  } catch {
    return false;
  }
}

function portError(error: NodeJS.ErrnoException, port: number): Error {
  const details = { option: 'port', value: port };
  if (error.code === 'EADDRINUSE') {
    return new OptionError('BAD_OPTION', `Port ${port} is in use. Choose another, or leave --port out.`, details);
  }
  if (error.code === 'EACCES') {
    return new OptionError('BAD_OPTION', `Port ${port} is not for this user. Choose one from 1024 up.`, details);
  }
  return error;
}
