import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Fields, message } from '../../src/cluster/protobuf.js';
import type { KeyPair } from './proxy.js';

/** A call that a client made: its method without the service, its message, and its headers. */
export interface Call {
  readonly method: string;
  readonly request: Fields;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** How to answer: messages and a status, or `cut` to drop the connection after the messages, or `hang` to say nothing more. */
export interface Answer {
  readonly messages?: readonly Uint8Array[];
  /** The head of a further message, without the message. */
  readonly head?: Uint8Array;
  readonly status?: number;
  readonly text?: string;
  readonly end?: 'cut' | 'hang';
}

/** A server that speaks gRPC as Spark Connect does, with the answers of a test. */
export class FakeServer {
  readonly calls: Call[] = [];
  readonly #server: Http2Server | Http2SecureServer;
  readonly #sessions = new Set<{ destroy(): void }>();

  private constructor(server: Http2Server | Http2SecureServer) {
    this.#server = server;
  }

  /** With `tls`, only over TLS. */
  static async start(answer: (call: Call) => Answer, tls?: KeyPair): Promise<FakeServer> {
    const server = tls ? createSecureServer(tls) : createServer();
    server.on('tlsClientError', () => {});
    const fake = new FakeServer(server);
    server.on('session', (session) => {
      fake.#sessions.add(session);
      session.on('error', () => {});
    });
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('error', () => {});
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const request = new Fields(Buffer.concat(chunks).subarray(5));
        const call = { method: String(headers[':path']).split('/').at(-1) ?? '', request, headers };
        fake.calls.push(call);
        respond(stream, answer(call));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `sc://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  called(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function respond(stream: ServerHttp2Stream, { messages = [], head: last, status = 0, text = '', end }: Answer): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': encodeURIComponent(text) }),
  );
  for (const each of messages) {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(each.length, 1);
    stream.write(Buffer.concat([head, each]));
  }
  if (last) stream.write(last);
  if (end === 'cut') setTimeout(() => stream.session?.destroy(), 50);
  else if (end !== 'hang') stream.end();
}

/** The answer of AnalyzePlan: the version. */
export const VERSION: Answer = { messages: [message([8, message([1, '9.9'])])] };

/** Answers of ExecutePlan: a batch, the end, counts of tasks. */
export const batch = (id: string, data: Uint8Array): Uint8Array => message([13, id], [2, message([1, 1], [2, data])]);
export const complete = (id: string): Uint8Array => message([13, id], [14, new Uint8Array(0)]);
export const tasks = (id: string, done: number, total: number): Uint8Array =>
  message([13, id], [18, message([1, message([1, 1], [2, total], [3, done])])]);
