import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Client } from 'pg';

/** Thrown if the server sent bytes that are too large or are not a message of Postgres. */
export class MessageError extends Error {
  readonly tooLarge: boolean;

  constructor(what: string, tooLarge = false) {
    super(what);
    this.tooLarge = tooLarge;
  }
}

/** Letters of messages (Postgres docs: "Message Formats"). */
const [COPY_DATA, READY, COPY_DONE, FAILED] = [...'dZcE'].map((letter) => letter.charCodeAt(0));
/** A letter, and four bytes of length, which count themselves. */
const HEADER = 5;
const LEAST = 4;

/**
 * Checks the messages of a server by their headers. `pg` holds a message in memory until it is complete, whatever length it claims, and
 * holds all rows of an answer, so a server could fill the memory.
 */
export class MessageCheck {
  /** True if the answer is rows of COPY, which are streamed and not held. */
  copying = false;
  readonly #limit: number;
  readonly #header = Buffer.alloc(HEADER);
  #filled = 0;
  /** Bytes of the message that are still to come. */
  #rest = 0;
  /** Bytes of the answer so far. */
  #answer = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws a `MessageError` if a message that begins in these bytes is invalid or too large. */
  follow(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#rest > 0) {
        const step = Math.min(this.#rest, chunk.length - at);
        this.#rest -= step;
        at += step;
      } else {
        this.#header[this.#filled++] = chunk[at++];
        if (this.#filled === HEADER) this.#begin();
      }
    }
  }

  #begin(): void {
    this.#filled = 0;
    const code = this.#header[0];
    const length = this.#header.readUInt32BE(1);
    if (length < LEAST)
      throw new MessageError(`a message says that it has ${length} bytes, fewer than its length takes`);
    this.#rest = length - LEAST;
    if (code === COPY_DATA && this.copying) return;
    this.#answer += length;
    if (length > this.#limit) throw new MessageError(`it announces a message of ${length} bytes`, true);
    if (this.#answer > this.#limit)
      throw new MessageError(`an answer that is not rows of a table has more than ${this.#limit} bytes`, true);
    if (code === COPY_DONE || code === FAILED || code === READY) this.copying = false;
    if (code === READY) this.#answer = 0;
  }
}

declare module 'pg' {
  interface Connection {
    /** Makes `pg` parse the messages of a stream. Called once, after a TLS handshake. */
    attachListeners(stream: EventEmitter): void;
  }
}

/** Checks all bytes from the server before `pg` sees them. An error, also one that `pg` throws for a message, ends the connection. */
export function checkMessages({ connection }: Client, check: MessageCheck): void {
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (events) => {
    const stream = events as Duplex;
    const push = stream.push.bind(stream);
    // Everything that is read goes through `push`: messages, and rows of COPY, which `pg` does not see.
    stream.push = (chunk: Uint8Array | null, encoding) => {
      try {
        if (chunk !== null) check.follow(chunk);
      } catch (error) {
        stream.destroy(error as MessageError);
        return false;
      }
      return push(chunk, encoding);
    };
    const messages = new EventEmitter();
    stream.on('data', (chunk: Uint8Array) => {
      try {
        messages.emit('data', chunk);
      } catch (error) {
        stream.destroy(new MessageError(`a message cannot be read: ${(error as Error).message}`));
      }
    });
    stream.on('end', () => messages.emit('end'));
    attach(messages);
  };
}
