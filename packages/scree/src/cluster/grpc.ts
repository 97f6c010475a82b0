import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';

/** Bytes that a server may send ahead of reading. Results arrive in pieces of some megabytes. */
const WINDOW = 8 << 20;
/** One message may take the memory divided by this number. */
const MESSAGE_DIVISOR = 2;
/** Milliseconds to wait for a connection, and then for the first answer. */
export const CONNECT_PATIENCE = 30_000;

/** Status codes of gRPC that are handled separately (grpc.io, "Status codes"). */
export const STATUS = {
  cancelled: 1,
  unknown: 2,
  notFound: 5,
  permissionDenied: 7,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A server answered a call with an error, or the call did not reach the server. */
export class GrpcError extends Error {
  readonly status: number;
  /** Code of the system error, such as ECONNREFUSED. */
  readonly system: string | undefined;

  constructor(status: number, text: string, system?: string) {
    super(text);
    this.status = status;
    this.system = system;
  }
}

/** A server announced a message that is larger than the memory allows. */
export class LargeMessageError extends GrpcError {
  constructor(bytes: number) {
    super(STATUS.internal, `it announces a message of ${bytes} bytes`);
  }
}

export interface GrpcOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of memory; one message may take half of them. */
  readonly memory: number;
}

/**
 * A gRPC client over Node's own HTTP/2 (grpc.io, "gRPC over HTTP2"). A call is a POST of one message. The answer is a sequence of messages: a
 * byte that tells whether the message is compressed, four bytes of length, the message. The status is in the trailers.
 */
export class GrpcClient {
  readonly #options: GrpcOptions;
  #session: ClientHttp2Session | undefined;
  #calls = 0;

  constructor(options: GrpcOptions) {
    this.#options = options;
  }

  /** Returns the last answer. Fails after `patience` milliseconds, if given. */
  async call(method: string, request: Uint8Array, patience?: number): Promise<Uint8Array> {
    let answer: Uint8Array | undefined;
    for await (const each of this.stream(method, request, patience)) answer = each;
    if (!answer) throw new GrpcError(STATUS.internal, 'the answer is empty');
    return answer;
  }

  /** Yields answers as they arrive. Unread answers wait on the server. Leaving the loop early ends the call. */
  async *stream(method: string, request: Uint8Array, patience?: number): AsyncGenerator<Uint8Array, void, void> {
    const session = await this.#connected();
    const stream = this.#request(session, method);
    this.#calls++;
    session.ref();
    let late = false;
    const giveUp = (): void => {
      late = true;
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const timer = patience === undefined ? undefined : setTimeout(giveUp, patience);
    const ended = statusOf(stream);
    // A caller that stops reading early does not read the status.
    ended.catch(() => {});
    const header = Buffer.alloc(5);
    header.writeUInt32BE(request.length, 1);
    stream.write(header);
    stream.end(request);
    try {
      yield* messagesOf(stream, this.#options.memory / MESSAGE_DIVISOR);
      await ended;
    } catch (error) {
      if (late) throw noAnswer(patience);
      throw error instanceof GrpcError ? error : await ended.then(() => systemError(error), asGrpcError);
    } finally {
      clearTimeout(timer);
      stream.close(constants.NGHTTP2_CANCEL);
      // A call keeps the process running. An idle connection does not.
      if (--this.#calls === 0) session.unref();
    }
  }

  #request(session: ClientHttp2Session, method: string): ClientHttp2Stream {
    try {
      return session.request({
        ...this.#options.headers,
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: method,
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-accept-encoding': 'identity',
      });
    } catch (error) {
      // The connection was cut after it was opened.
      throw systemError(error);
    }
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  async #connected(): Promise<ClientHttp2Session> {
    if (this.#session && !this.#session.destroyed && !this.#session.closed) return this.#session;
    const { host, port, tls } = this.#options;
    const place = host.includes(':') ? `[${host}]` : host;
    const session = connect(`${tls ? 'https' : 'http'}://${place}:${port}`, {
      settings: { initialWindowSize: WINDOW, enablePush: false },
    });
    this.#session = session;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => session.destroy(noAnswer(CONNECT_PATIENCE)), CONNECT_PATIENCE);
      session.once('connect', () => {
        clearTimeout(timer);
        session.setLocalWindowSize(2 * WINDOW);
        resolve(session);
      });
      session.on('error', (error) => {
        clearTimeout(timer);
        reject(systemError(error));
      });
      // A server may close the connection before it is open, without an error.
      session.on('close', () => {
        clearTimeout(timer);
        reject(new GrpcError(STATUS.unavailable, 'the server ended the connection', 'ECONNRESET'));
      });
    });
  }
}

function noAnswer(patience = 0): GrpcError {
  return new GrpcError(STATUS.unavailable, `no answer in ${patience / 1000} seconds`, 'ETIMEDOUT');
}

function asGrpcError(error: unknown): GrpcError {
  return error instanceof GrpcError ? error : systemError(error);
}

function systemError(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const code = first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : 'EPROTO';
  return new GrpcError(STATUS.unavailable, first instanceof Error ? first.message : String(first), code);
}

/** Waits for the end of a call. Throws if its status is not 0. */
function statusOf(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    let status: { code: number; text: string } | undefined;
    const look = (headers: Record<string, unknown>): void => {
      const code = headers['grpc-status'];
      if (code !== undefined) status = { code: Number(code), text: decode(String(headers['grpc-message'] ?? '')) };
    };
    stream.on('response', (headers) => {
      look(headers);
      const http = Number(headers[constants.HTTP2_HEADER_STATUS]);
      if (http === 200 || status) return;
      const code = http === 401 ? STATUS.unauthenticated : http === 403 ? STATUS.permissionDenied : STATUS.unavailable;
      status = { code, text: `it answers with HTTP status ${http}` };
    });
    stream.on('trailers', look);
    stream.on('error', (error) => reject(systemError(error)));
    stream.on('close', () => {
      if (!status) reject(new GrpcError(STATUS.unavailable, 'the connection was cut', 'ECONNRESET'));
      else if (status.code === 0) resolve();
      else reject(new GrpcError(status.code, status.text));
    });
  });
}

/** Decodes a text of gRPC, which is percent-encoded UTF-8. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function* messagesOf(stream: ClientHttp2Stream, limit: number): AsyncGenerator<Uint8Array, void, void> {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = 5;
  let header = true;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size);
      const part = whole.subarray(0, wanted);
      chunks = whole.length > wanted ? [whole.subarray(wanted)] : [];
      size -= wanted;
      if (header) {
        if (part[0] !== 0)
          throw new GrpcError(STATUS.internal, 'the server compresses messages, although it was asked not to');
        wanted = part.readUInt32BE(1);
        if (wanted > limit) throw new LargeMessageError(wanted);
      } else {
        yield part;
        wanted = 5;
      }
      header = !header;
    }
  }
  if (size > 0) throw new GrpcError(STATUS.unavailable, 'the last message is incomplete', 'ECONNRESET');
}
