import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { OptionError } from '@scree/core';
import { refusal } from './guard.js';
import { HEADERS } from './headers.js';
import { limitedServer, tellBroken } from './limits.js';
import type { PageFiles } from './page-files.js';
import { Secret } from './secret.js';
import { say, sendFile } from './send.js';
import type { SharedFile } from './shared-file.js';

export interface LabSettings {
  readonly page: PageFiles;
  /** The one file that the page may read. */
  readonly data?: SharedFile | undefined;
  /** Any free port if there is none. */
  readonly port?: number | undefined;
}

/**
 * The lab's page and one data file, for browsers on this machine.
 *
 * Other users of the machine can reach its ports too, so everything lies below a secret: `/<token>/…`. A cookie would be
 * sent to, and could be set by, whatever else listens on 127.0.0.1, because cookies do not know ports; an address is
 * known only to those who were given it, the page's relative addresses stay below it by themselves, and two labs in one
 * browser do not get in each other's way.
 */
export class LabServer {
  readonly #server: Server;
  readonly #page: PageFiles;
  readonly #data: SharedFile | undefined;
  readonly #token = new Secret();
  /** Good for one visit, and until the page is opened in another way: see `addressForBrowser`. */
  #ticket: Secret | undefined = new Secret();
  readonly #busy = new WeakSet<Socket>();

  private constructor({ page, data }: LabSettings) {
    this.#page = page;
    this.#data = data;
    this.#server = limitedServer();
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch(() => response.destroy());
    };
    // Clients that ask first whether they may go on are answered like others, and with the same headers.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.#server.on(event, handle);
    this.#server.on('clientError', (error, socket) => tellBroken(error, socket as Socket, this.#busy));
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
   * An address to start a browser with: it leads to the real one, once. Everybody on a machine can see the command
   * lines of programs, and the token must not be among what they see.
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
    this.#busy.add(socket);
    response.once('close', () => this.#busy.delete(socket));
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    // A body is not waited for: there is nothing that one could be for.
    if ('content-length' in request.headers || 'transfer-encoding' in request.headers) response.shouldKeepAlive = false;
    const reason = refusal(request, this.#port);
    if (reason !== undefined) return say(response, 403, reason);

    const [, first, rest] = /^\/([^/?]*)(?:\/([^?]*))?(?:\?|$)/.exec(request.url ?? '') ?? [];
    const known = first !== undefined && this.#token.matches(first);
    const ticket = first !== undefined && rest === undefined && this.#ticket?.matches(first) === true;
    if (!known && !ticket) return say(response, 404, 'There is nothing here. Use the whole address.');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return say(response, 405, 'This server is only read from.', { Allow: 'GET, HEAD' });
    }
    if (ticket) {
      if (request.method === 'GET') this.#ticket = undefined;
      return say(response, 303, 'The lab.', { Location: this.#start });
    }
    // Relative addresses need the slash.
    if (rest === undefined) return say(response, 308, 'The lab.', { Location: this.#base });

    this.#ticket = undefined;
    if (this.#data && names(rest, this.#data)) return sendFile(response, this.#data);
    const file = this.#page.get(rest === '' ? 'index.html' : rest);
    if (!file) return say(response, 404, 'There is no such file.');
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': file.content.length });
    response.end(file.content);
  }
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
