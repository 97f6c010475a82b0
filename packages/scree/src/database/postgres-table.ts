import { checkColumns, chunksOf, streamedBytes, type Table, uniqueNames } from '@scree/files/platform';
import { copyToDisk } from '../disk/temporary-copy.js';
import { arrayHead, type CopyType } from './copy-rows.js';
import { brokenRows, copyTable, ROW_SHARE, type RowStore, rowsByChunk, type SentColumn } from './copy-table.js';
import { chooseTable } from './duck-table.js';
import { identifier } from './duckdb.js';
import { type Address, PostgresConnection, type ResultField } from './postgres-connection.js';
import { type Doing, postgresError } from './postgres-error.js';

/** Types of numbers, by identifiers that are the same on every server. */
const NUMBERS: Readonly<Record<number, CopyType>> = {
  16: 'bool',
  20: 'int8',
  21: 'int2',
  23: 'int4',
  700: 'float4',
  701: 'float8',
  1700: 'numeric',
};
const NUMBER_ARRAYS: Readonly<Record<number, CopyType>> = {
  1000: 'bool',
  1005: 'int2',
  1007: 'int4',
  1016: 'int8',
  1021: 'float4',
  1022: 'float8',
  1231: 'numeric',
};
const MONEY = 790;
/** text, varchar, char, name, "char" and uuid. Identifiers of enumerations differ between servers. */
const TEXTS = [25, 1043, 1042, 19, 18, 2950];
/** Neither numbers nor text, but short: dates, times, addresses and oid may name rows. */
const SHORT = [1082, 1083, 1266, 1114, 1184, 1186, 869, 650, 829, 26];
/**
 * Rows of tables up to this size, in bytes, are counted when the table is opened, because the plan is better if it knows the number of
 * rows.
 */
const COUNTED_SIZE = 2 ** 30;

/**
 * Without these, Postgres may return the rows of a table in another order every time: it lets one scan join another in the middle of
 * the table, divides the scan among processes, or reads an index that has all columns asked for.
 */
const SAME_ORDER = [
  'synchronize_seqscans = off',
  'max_parallel_workers_per_gather = 0',
  'enable_indexonlyscan = off',
  'enable_indexscan = off',
  'enable_bitmapscan = off',
];

export interface PostgresOptions {
  readonly memory: number;
  readonly member?: string | undefined;
  readonly sql?: string | undefined;
  /** Cancels the work of the server. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A table of a Postgres database, or the result of a query, read by binary COPY in a read-only transaction.
 *
 * Every pass reads a table from the server, from the snapshot that was taken when it was opened. A query or a view runs once, and its
 * result is kept in a temporary file, because a second run may return other rows or another order.
 */
export async function openPostgres(
  address: Address,
  options: PostgresOptions,
): Promise<{ readonly table: Table; readonly bytes: number | undefined }> {
  const { path } = address;
  const { memory, sql, signal } = options;
  signal?.throwIfAborted();
  const session = new Session(address, memory, signal);
  try {
    const main = await session.connect();
    const relation = sql === undefined ? await findTable(main, options.member, path) : queryRelation(sql);
    const { fields } = await main.query(`SELECT * FROM ${relation.sql} AS data LIMIT 0`);
    checkColumns(fields.length, memory, path);
    const columns = await describeColumns(main, fields);
    const open = relation.stored ? openStored : openOnce;
    const store = await open(session, main, relation, columns, { path, memory });
    return {
      table: await copyTable(store, columns, { path, memory, format: relation.format, close: () => session.close() }),
      bytes: store.bytes,
    };
  } catch (error) {
    await session.close();
    throw session.explain(error, sql === undefined ? 'reading' : 'querying');
  }
}

/** The connections of one table. Aborting the signal cancels their work. */
class Session {
  readonly #address: Address;
  readonly #memory: number;
  readonly #signal: AbortSignal | undefined;
  readonly #connections = new Set<PostgresConnection>();
  readonly #onAbort = (): void => {
    for (const connection of this.#connections) void connection.cancel();
  };

  constructor(address: Address, memory: number, signal: AbortSignal | undefined) {
    this.#address = address;
    this.#memory = memory;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
  }

  async connect(snapshot?: string): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(this.#address, this.#memory, snapshot);
    this.#connections.add(connection);
    if (this.#signal?.aborted) {
      await this.end(connection);
      throw this.#signal.reason;
    }
    return connection;
  }

  async end(connection: PostgresConnection, busy = false): Promise<void> {
    this.#connections.delete(connection);
    await (busy ? connection.cancel() : connection.close());
  }

  explain(error: unknown, doing: Doing = 'reading'): unknown {
    return this.#signal?.aborted ? this.#signal.reason : postgresError(error, this.#address.path, doing);
  }

  /** Yields the output of a COPY statement. If the reader stops early, the server is told to stop. */
  async *copy(connection: PostgresConnection, text: string, doing?: Doing): AsyncGenerator<Buffer, number, void> {
    let busy = true;
    try {
      const stream = await connection.copy(text);
      // The reader of the stream gets the first error. Further errors need a listener.
      stream.on('error', () => {});
      for await (const chunk of stream) yield chunk as Buffer;
      // After the answer to another statement, the count of rows is known.
      await connection.run('SELECT');
      busy = false;
      return stream.rowCount;
    } catch (error) {
      throw this.explain(error, doing);
    } finally {
      if (busy) await this.end(connection, true);
    }
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    await Promise.all([...this.#connections].map((connection) => this.end(connection)));
  }
}

/** A table or query after FROM. `stored` is true for stored rows, which can be read again in the same order. */
interface Relation {
  readonly sql: string;
  readonly format: string;
  readonly stored: boolean;
  readonly bytes?: number | undefined;
}

function queryRelation(sql: string): Relation {
  // The line break ends a comment at the end of the query.
  return { sql: `(${sql.trim().replace(/;\s*$/, '')}\n)`, format: 'Postgres, SQL', stored: false };
}

async function findTable(main: PostgresConnection, member: string | undefined, path: string): Promise<Relation> {
  const { rows } = await main.query(
    `SELECT nspname, relname, relkind, pg_table_size(c.oid)::text
     FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'm', 'v', 'f') AND NOT relispartition
       AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname !~ '^pg_(toast|temp)'
       AND has_table_privilege(c.oid, 'SELECT')
     ORDER BY pg_table_is_visible(c.oid) DESC, nspname, relname`,
  );
  const tables = rows as [string, string, string, string][];
  const chosen = chooseTable(tables as unknown as readonly (readonly [string, string])[], member, path);
  const [schema, name, kind, size] = chosen as unknown as [string, string, string, string];
  return {
    sql: `${identifier(schema)}.${identifier(name)}`,
    format: `Postgres, ${name}`,
    // A table, a partitioned table or a materialised view. A view is a query, and a foreign table is on another server.
    stored: 'rpm'.includes(kind),
    // The size of a partitioned table is 0, because its parts hold the rows.
    bytes: kind === 'p' ? undefined : Number(size),
  };
}

async function describeColumns(main: PostgresConnection, fields: readonly ResultField[]): Promise<SentColumn[]> {
  const ids = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))];
  const { rows } = await main.query(
    `SELECT oid::text, format_type(oid, NULL), typtype,
       EXISTS (SELECT FROM pg_cast WHERE castsource = pg_type.oid AND casttarget = 'real[]'::regtype)::text
     FROM pg_type WHERE oid = ANY($1::oid[])`,
    [ids],
  );
  const types = new Map(
    rows.map(([id, name, kind, vector]) => [
      Number(id),
      { name: String(name), kind: String(kind), isVector: vector === 'true' },
    ]),
  );
  const names = uniqueNames(fields.map(({ name }) => name));
  return fields.map(({ dataTypeID: id }, j): SentColumn => {
    const { name: type = 'unknown', kind = '', isVector = false } = types.get(id) ?? {};
    const column = { name: names[j], type, cast: 'c', array: false, length: 1 };
    if (NUMBERS[id]) return { ...column, kind: 'number', sent: NUMBERS[id] };
    // The number of decimal digits of an amount depends on the server.
    if (id === MONEY) return { ...column, kind: 'number', sent: 'numeric', cast: 'c::numeric' };
    if (NUMBER_ARRAYS[id]) return { ...column, kind: 'number', sent: NUMBER_ARRAYS[id], array: true };
    // vector and halfvec of the extension pgvector. Their identifiers differ between servers.
    if (isVector) return { ...column, kind: 'number', sent: 'float4', cast: 'c::real[]', array: true };
    const text = { ...column, sent: 'text' as const, cast: 'c::text' };
    if (TEXTS.includes(id) || kind === 'e') return { ...text, kind: 'text' };
    if (SHORT.includes(id)) return { ...text, kind: 'other' };
    return { ...column, kind: 'other', sent: undefined };
  });
}

/** COPY of some columns. They are named c0, c1, …, because columns of a query may have equal names or no name. */
function copyStatement({ sql }: Relation, columns: readonly SentColumn[], chosen: readonly number[]): string {
  const list = chosen.map((j) => columns[j].cast.replace('c', `c${j}`)).join(', ');
  const aliases = columns.map((_, j) => `c${j}`).join(', ');
  return `COPY (SELECT ${list} FROM ${sql} AS data${columns.length > 0 ? `(${aliases})` : ''}) TO STDOUT (FORMAT binary)`;
}

/** Rows that stay on the server. Every pass has its own connection, and all connections see the same snapshot. */
async function openStored(
  session: Session,
  main: PostgresConnection,
  relation: Relation,
  columns: readonly SentColumn[],
): Promise<RowStore> {
  const { rows: exported } = await main.query('SELECT pg_export_snapshot()');
  const snapshot = String(exported[0][0]);
  const count = async (): Promise<number> =>
    Number((await main.query(`SELECT count(*)::text FROM ${relation.sql}`)).rows[0][0]);
  const idle: PostgresConnection[] = [];
  const connect = async (): Promise<PostgresConnection> => {
    const connection = await session.connect(snapshot);
    await connection.run(SAME_ORDER.map((setting) => `SET LOCAL ${setting}`).join('; '));
    return connection;
  };
  async function* read(chosen: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
    let connection: PostgresConnection;
    try {
      connection = idle.pop() ?? (await connect());
    } catch (error) {
      throw session.explain(error);
    }
    yield* session.copy(connection, copyStatement(relation, columns, chosen));
    idle.push(connection);
  }
  return {
    rows: relation.bytes !== undefined && relation.bytes <= COUNTED_SIZE ? await count() : undefined,
    bytes: relation.bytes,
    read: (chosen) => ({ order: chosen, chunks: read(chosen) }),
    lengthOf: async (j) => {
      const name = `(SELECT * FROM ${relation.sql}) AS data(${columns.map((_, i) => `c${i}`).join(', ')})`;
      const array = columns[j].cast.replace('c', `c${j}`);
      const { rows } = await main.query(`SELECT cardinality(${array}) FROM ${name} WHERE c${j} IS NOT NULL LIMIT 1`);
      return Number(rows[0]?.[0] ?? 0);
    },
    close: async () => {},
  };
}

/** Rows of a query. It runs once. */
async function openOnce(
  session: Session,
  main: PostgresConnection,
  relation: Relation,
  columns: readonly SentColumn[],
  { path, memory }: { readonly path: string; readonly memory: number },
): Promise<RowStore> {
  const order = [...columns.keys()].filter((j) => columns[j].sent !== undefined);
  let rows: number | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    rows = yield* session.copy(main, copyStatement(relation, columns, order), 'querying');
  }
  const copy = await copyToDisk(streamedBytes(path, chunks()));
  // The server is not needed any more.
  await session.end(main);
  const read = (): AsyncIterable<Uint8Array> => chunksOf(copy.bytes.open(), 1 << 20);
  return {
    rows,
    bytes: copy.bytes.size,
    read: () => ({ order, chunks: read() }),
    lengthOf: async (j) => {
      const field = order.indexOf(j);
      let row = 0;
      try {
        for await (const part of rowsByChunk(read(), order.length, path, memory / ROW_SHARE)) {
          const { view, starts, lengths } = part;
          for (; part.next(); row++) {
            if (lengths[field] >= 0) return arrayHead(view, starts[field], lengths[field]).length;
          }
        }
      } catch (error) {
        throw brokenRows(error, path, row, columns[j].name);
      }
      return 0;
    },
    close: () => copy.close(),
  };
}
