import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { OptionError } from '@scree/core';
import { refusal } from './guard.js';
import { HEADERS } from './headers.js';
import { Connections, limitedServer, tellBroken } from './limits.js';
import type { PageFile, PageFiles } from './page-files.js';
import { redirectPage } from './redirect.js';
import { Secret } from './secret.js';
import { sendFile, sendText } from './send.js';
import type { SharedFile } from './shared-file.js';

export interface LabSettings {
  readonly page: PageFiles;
  /** The one file that the page may read. */
  readonly data?: SharedFile | undefined;
  /** Any free port if there is none. */
  readonly port?: number | undefined;
  /** Called once, when `addressForBrowser` was used or is no longer good because the page was opened in another way. */
  readonly onOpened?: (() => void) | undefined;
}

/**
 * The lab's page and one data file, for browsers on this machine.
 *
 * Other users of the machine can reach its ports too, so everything lies below a secret: `/<token>/…`. A cookie would be
 * sent to, and could be set by, whatever else listens on 127.0.0.1, because cookies do not know ports; an address is
 * known only to users who were given it, the page's relative addresses stay below it by themselves, and two labs in one
 * browser do not get in each other's way.
 */
export class LabServer {
  readonly #server: Server;
  readonly #page: PageFiles;
  readonly #data: SharedFile | undefined;
  readonly #token = new Secret();
  /** Good for one visit, and until the page is opened in another way: see `addressForBrowser`. */
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
    // Clients that ask first whether they may go on are answered like others, and with the same headers.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.#server.on(event, handle);
    this.#server.on('clientError', (error, stream) => {
      const socket = stream as Socket;
      tellBroken(error, socket, this.#connections.isAnswering(socket));
    });
  }

  /** Starts it. */
  static async start(settings: LabSettings): Promise<LabServer> {
    const lab = new LabServer(settings);
    const { port = 0 } = settings;
    await new Promise<void>((resolve, reject) => {
      // Later ones too: a connection that cannot be taken is lost, and the server goes on.
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
   * Where the page begins. Its part after # tells it of the data: `file`, as URLSearchParams reads it, is an address
   * relative to the page that can be fetched as it is. That takes a second encoding of whatever the first one encoded.
   */
  get #start(): string {
    const file = this.#data?.address.split('/').map(encodeURIComponent).join('/');
    return `${this.#base}${file === undefined ? '' : `#/explore?file=${file}`}`;
  }

  /** The address for people. */
  get address(): string {
    return `http://127.0.0.1:${this.#port}${this.#start}`;
  }

  /**
   * The address in the file that a browser is started with: it leads to the real one, once. So a file that was copied or
   * left behind is of no use to another user who finds it.
   */
  get addressForBrowser(): string {
    return `http://127.0.0.1:${this.#port}/${this.#ticket?.text ?? ''}`;
  }

  /** Ends it, whatever is still under way. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    if (this.#connections.isRefused(socket)) return void request.destroy();
    this.#connections.startAnswer(socket, response);
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    // A body is not waited for: there is nothing that one could be for.
    if ('content-length' in request.headers || 'transfer-encoding' in request.headers) response.shouldKeepAlive = false;
    const [, first, rest] = /^\/([^/?]*)(?:\/([^?]*))?(?:\?|$)/.exec(request.url ?? '') ?? [];
    const known = first !== undefined && this.#token.matches(first);
    const ticket = first !== undefined && rest === undefined && this.#ticket?.matches(first) === true;
    const reason = refusal(request, this.#port, ticket);
    if (reason !== undefined || !(known || ticket)) {
      // One answer per connection: requests sent ahead by the thousand would keep the server busy.
      response.shouldKeepAlive = false;
      this.#connections.refuse(socket);
      if (reason !== undefined) return sendText(response, 403, reason);
      return sendText(response, 404, 'There is nothing here. Use the whole address.');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendText(response, 405, 'This server is only read from.', { Allow: 'GET, HEAD' });
    }
    this.#connections.trust(socket);
    if (ticket) {
      if (request.method === 'GET') this.#spendTicket();
      // Not a redirect of HTTP: to the browser that would still be the local file asking, and so another site.
      return sendPage(response, { type: 'text/html; charset=utf-8', content: Buffer.from(redirectPage(this.#start)) });
    }
    // Relative addresses need the slash.
    if (rest === undefined) return sendText(response, 308, 'The lab.', { Location: this.#base });

    this.#spendTicket();
    if (this.#data && names(rest, this.#data)) return sendFile(response, this.#data);
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

/** Is it this file that is named? However it is spelled: it can be no other. */
function names(address: string, { name }: SharedFile): boolean {
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
