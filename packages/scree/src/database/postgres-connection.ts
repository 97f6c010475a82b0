import { connect as connectSocket, Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import { requireOptional } from '../optional-package.js';
import { badUrl, postgresError } from './postgres-error.js';
import { checkMessages, MessageCheck } from './postgres-messages.js';
import { hasUnescapedPassword } from './postgres-url.js';

type CopyTo = typeof import('pg-copy-streams').to;

/** Seconds to wait for a server, unless PGCONNECT_TIMEOUT or connect_timeout in the address say otherwise. */
const CONNECT_SECONDS = 30;
/** How often the server looks whether a killed client is gone. Without this it notices only when it sends rows. */
const CHECK_INTERVAL = '2s';
/** The part of the memory that one answer may take. `pg` holds a message more than once while it comes. */
const ANSWER_SHARE = 4;
/** Milliseconds to wait until a server has taken a request to cancel. */
const CANCEL_PATIENCE = 700;

/** The address of a server, and its form for messages. */
export interface Address {
  /** Without a password. */
  readonly path: string;
  readonly url: string;
}

/**
 * A connection with one read-only transaction, which sees the database as it was at one moment. All settings belong to the transaction, so
 * a connection pooler gets its connection back unchanged.
 */
export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #check: MessageCheck;
  readonly #copyTo: CopyTo;
  #closed = false;

  private constructor(client: Client, socket: Socket, check: MessageCheck, copyTo: CopyTo) {
    this.#client = client;
    this.#socket = socket;
    this.#check = check;
    this.#copyTo = copyTo;
    checkMessages(client, check);
  }

  /**
   * Connects. With `snapshot`, the transaction sees the same state as the transaction that exported the snapshot. Answers other than rows
   * of COPY are held in memory, and may take a quarter of `memory`.
   */
  static async open(address: Address, memory: number, snapshot?: string): Promise<PostgresConnection> {
    const { path } = address;
    // Otherwise a part of the password would be taken for a host or a database, and be shown.
    if (hasUnescapedPassword(address.url)) throw badUrl(path);
    const { default: pg } = await requireOptional<{ readonly default: typeof import('pg') }>('pg', path);
    const { to } = await requireOptional<{ readonly to: CopyTo }>('pg-copy-streams', path);
    const socket = new Socket();
    const seconds = connectSeconds(address.url);
    let connection: PostgresConnection;
    try {
      const client = new pg.Client({
        connectionString: completeUrl(address.url),
        // Our own socket, so that a connection that waits for rows can be dropped.
        stream: () => socket,
        keepAlive: true,
        fallback_application_name: 'scree',
      });
      // Every query reports the loss of its connection. Without a listener an idle one would end the process.
      client.on('error', () => {});
      connection = new PostgresConnection(client, socket, new MessageCheck(memory / ANSWER_SHARE), to);
    } catch (error) {
      throw badUrl(path, error);
    }
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      connection.drop();
    }, 1000 * seconds);
    try {
      await connection.#client.connect();
      // Servers before version 14 do not have this, and some systems cannot do it.
      await connection.#client.query(`SET client_connection_check_interval = '${CHECK_INTERVAL}'`).catch(() => {});
      await connection.#begin(snapshot);
      return connection;
    } catch (error) {
      connection.drop();
      throw postgresError(
        late ? new Error(`timeout expired: no answer in ${seconds} seconds`) : error,
        path,
        'connecting',
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async #begin(snapshot: string | undefined): Promise<void> {
    const statements = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'];
    if (snapshot !== undefined) statements.push(`SET TRANSACTION SNAPSHOT ${this.#client.escapeLiteral(snapshot)}`);
    statements.push(
      "SET LOCAL client_encoding = 'UTF8'",
      // The transaction waits while a fit computes.
      'SET LOCAL idle_in_transaction_session_timeout = 0',
    );
    await this.#client.query(statements.join('; '));
  }

  /** All rows of a small result. `text` must be one statement: the protocol for prepared statements allows no second one. */
  async query(text: string, values: unknown[] = []): Promise<{ rows: unknown[][]; fields: readonly ResultField[] }> {
    const query = { text, values, rowMode: 'array' as const, queryMode: 'extended' as const };
    const { rows, fields } = await this.#client.query<unknown[]>(query);
    return { rows, fields };
  }

  /** Statements without a result. */
  async run(text: string): Promise<void> {
    await this.#client.query(text);
  }

  /** Streams the result of COPY … TO STDOUT. Unread rows wait on the server. */
  async copy(text: string): Promise<Readable & { readonly rowCount: number }> {
    this.#check.copying = true;
    return this.#client.query(this.#copyTo(text));
  }

  /** Stops what the server is doing for this connection, and drops the connection. */
  async cancel(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { host, port } = this.#client;
    const { processID, secretKey } = this.#client as unknown as { processID: number | null; secretKey: number | null };
    if (processID !== null && secretKey !== null) await requestCancel(host, port, processID, secretKey);
    this.#socket.destroy();
  }

  /** Ends an idle connection. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Not awaited for long: a server that is gone does not answer.
    const ended = this.#client.end().catch(() => {});
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CANCEL_PATIENCE).unref())]);
    this.#socket.destroy();
  }

  drop(): void {
    this.#closed = true;
    this.#socket.destroy();
  }
}

export interface ResultField {
  readonly name: string;
  /** Identifier of the type. For a domain: of its base type. */
  readonly dataTypeID: number;
}

/**
 * Sends a CancelRequest, as `psql` does on Ctrl-C: 16 bytes on a separate connection, which the server closes when it has passed the
 * request on. The request contains a secret that serves only to cancel.
 */
async function requestCancel(host: string, port: number, processId: number, secret: number): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(80877102, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secret, 12);
  const socket = host.startsWith('/') ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port, host);
  await new Promise<void>((resolve) => {
    socket.setTimeout(CANCEL_PATIENCE, resolve);
    // If the server cannot be reached, it notices that the connection is gone.
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.end(message);
    socket.resume();
  });
  socket.destroy();
}

/**
 * The address in the form that `pg` expects. An address without a user gets the name of the system's user. TLS modes are replaced by the
 * modes that `pg` implements, which avoids its warning.
 */
function completeUrl(url: string): string {
  const user = /^[^:/?#]+:\/\/[^/?#]*@/.test(url) || /[?&]user=/.test(url) || process.env.PGUSER || process.env.USER;
  const verified = /[?&]uselibpqcompat=true/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
  if (user) return verified;
  return `${verified}${verified.includes('?') ? '&' : '?'}user=${encodeURIComponent(userInfo().username)}`;
}

function connectSeconds(url: string): number {
  const given = /[?&]connect_timeout=(\d+)/.exec(url)?.[1] ?? process.env.PGCONNECT_TIMEOUT;
  return Number(given) || CONNECT_SECONDS;
}
