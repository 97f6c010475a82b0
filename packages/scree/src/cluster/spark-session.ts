import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { CONNECT_PATIENCE, GrpcClient, GrpcError } from './grpc.js';
import { type Encoded, METHODS, planOf, type SchemaField, schemaOf } from './messages.js';
import { Fields, message } from './protobuf.js';
import { badSparkUrl, type SparkStep, sparkError, unsafeToken } from './spark-error.js';
import { isLoopback, parseSparkUrl, type SparkAddress } from './spark-url.js';

/** Attempts to continue a result after the connection was cut, and milliseconds before the first attempt. The wait doubles each time. */
const ATTEMPTS = 8;
const FIRST_WAIT = 100;
/** Milliseconds for requests that only release or interrupt something. */
const SHORT = 5_000;
/** Tag of every operation. It helps to find and interrupt the operations of a client that was killed. */
const TAG = 'scree';

/** Progress of Spark: tasks that are done, and tasks that are known so far. */
export interface TaskCounts {
  readonly done: number;
  readonly total: number;
}

export interface SessionOptions {
  readonly memory: number;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the first answer, the version. Later answers may take hours. */
  readonly patience?: number;
}

export interface ExecuteOptions {
  readonly signal?: AbortSignal | undefined;
  readonly doing?: SparkStep | undefined;
  readonly onTasks?: ((tasks: TaskCounts) => void) | undefined;
}

/**
 * A session of Spark Connect. Executions are tagged and reattachable: if the connection is cut, the client asks for the rest of the result, and
 * Spark does not compute it twice. An abort interrupts the operation on the server, because closing the connection would not.
 */
export class SparkSession {
  readonly path: string;
  readonly #client: GrpcClient;
  readonly #id = randomUUID();
  readonly #user: Encoded;
  readonly #releases = new Set<Promise<unknown>>();
  /** The version of Python on the executors. If it is wrong, the first refusal tells the right one. */
  python = '3.11';

  private constructor(address: SparkAddress, memory: number) {
    this.path = address.path;
    const { host, port, tls, token, headers } = address;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#client = new GrpcClient({ host, port, tls, headers: { ...headers, ...authorization }, memory });
    const user = address.user ?? userName();
    this.#user = message([1, user], [2, user]);
  }

  /** Connects and asks for the version of Spark, so a wrong address or token is detected here. */
  static async open(
    url: string,
    { signal, memory, patience = CONNECT_PATIENCE }: SessionOptions,
  ): Promise<{ session: SparkSession; version: string }> {
    signal?.throwIfAborted();
    const address = parseSparkUrl(url, process.env);
    if (!address) throw badSparkUrl(url);
    if (address.token !== undefined && !address.tls && !isLoopback(address.host)) throw unsafeToken(address.path);
    const session = new SparkSession(address, memory);
    try {
      return { session, version: await session.#version(patience) };
    } catch (error) {
      session.#client.close();
      throw sparkError(error, address.path, 'connecting');
    }
  }

  #sessionFields(userField = 2): [number, string | Uint8Array][] {
    return [
      [1, this.#id],
      [userField, this.#user],
    ];
  }

  async #version(patience: number): Promise<string> {
    const request = message(...this.#sessionFields(), [3, TAG], [10, new Uint8Array(0)]);
    const answer = await this.#client.call(METHODS.analyze, request, patience);
    return new Fields(answer).message(8)?.text(1) ?? '';
  }

  /** The columns of a relation. */
  async schema(relation: Encoded, doing: SparkStep = 'reading'): Promise<SchemaField[]> {
    try {
      const request = message(...this.#sessionFields(), [3, TAG], [4, message([1, planOf(relation)])]);
      const answer = new Fields(await this.#client.call(METHODS.analyze, request));
      return schemaOf(answer.message(2)?.bytes(1) ?? new Uint8Array(0));
    } catch (error) {
      throw sparkError(error, this.path, doing);
    }
  }

  /** Returns those settings of the server that have a value and may be read. */
  async settings(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const get = message([4, message([1, names.map((name) => Buffer.from(name))])]);
    const request = message(...this.#sessionFields(), [3, get], [4, TAG]);
    const answer = await this.#client.call(METHODS.config, request).catch(() => undefined);
    const pairs = answer ? new Fields(answer).messages(2) : [];
    return new Map(pairs.filter((pair) => pair.has(2)).map((pair) => [pair.text(1), pair.text(2)]));
  }

  /** Runs a plan. Yields the batches of its result, each an Arrow stream. */
  async *execute(plan: Encoded, options: ExecuteOptions = {}): AsyncGenerator<Uint8Array, void, void> {
    const { signal, doing = 'reading', onTasks } = options;
    signal?.throwIfAborted();
    const operation = randomUUID();
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      void this.#interrupt(operation).finally(() => this.#client.close());
    };
    signal?.addEventListener('abort', stop, { once: true });
    let finished = false;
    try {
      const stages = new Map<number, TaskCounts>();
      for await (const answer of this.#answers(plan, operation)) {
        if (stopped) break;
        const progress = answer.message(18);
        if (progress && onTasks) {
          for (const stage of progress.messages(1)) {
            stages.set(stage.number(1), { total: stage.number(2), done: stage.number(3) });
          }
          onTasks(sumOf(stages));
        }
        const data = answer.message(2)?.bytes(2);
        if (data) yield data;
      }
      finished = true;
    } catch (error) {
      if (!signal?.aborted) throw sparkError(error, this.path, doing);
    } finally {
      signal?.removeEventListener('abort', stop);
      if (finished && !stopped) this.#release(operation);
      // A caller that stops reading early does not need the rest.
      else if (!stopped) await this.#interrupt(operation);
    }
    signal?.throwIfAborted();
  }

  /** Yields all answers to an execution, and reconnects if necessary. */
  async *#answers(plan: Encoded, operation: string): AsyncGenerator<Fields, void, void> {
    const reattachable = message([1, message([1, true])]);
    const execute = message(...this.#sessionFields(), [6, operation], [3, plan], [4, TAG], [5, reattachable], [7, TAG]);
    let request: { method: string; body: Uint8Array } = { method: METHODS.execute, body: execute };
    let last: string | undefined;
    for (let attempt = 0; ; ) {
      try {
        let heard = false;
        for await (const bytes of this.#client.stream(request.method, request.body)) {
          const answer = new Fields(bytes);
          heard = true;
          attempt = 0;
          const id = answer.text(13);
          if (id !== '') last = id;
          yield answer;
          if (answer.has(14)) return;
          if (id !== '' && answer.has(2)) this.#release(operation, id);
        }
        // Servers that cannot continue a result do not number their answers and do not mark the last one. Spark ends every stream after two minutes, even if it has sent nothing.
        if (last === undefined && heard) return;
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error;
        // Spark 3.5 does not take the same request twice.
        const isThere = last === undefined && /OPERATION_ALREADY_EXISTS/.test(error.message);
        if ((error.system === undefined && !isThere) || ++attempt > ATTEMPTS) throw error;
        const isNew = request.method === METHODS.execute && last === undefined && !isThere;
        if (isNew && attempt > 2) throw error;
        await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT * 2 ** (attempt - 1)));
        // No answer has arrived. The request has the same operation, so the server does not run it twice.
        if (isNew) continue;
      }
      const after: [number, string][] = last === undefined ? [] : [[5, last]];
      const body = message(...this.#sessionFields(), [3, operation], [4, TAG], ...after);
      request = { method: METHODS.reattach, body };
    }
  }

  /** Tells the server that a result was read, completely or up to an answer. */
  #release(operation: string, until?: string): void {
    const what: [number, Uint8Array] = until === undefined ? [5, new Uint8Array(0)] : [6, message([1, until])];
    const request = message(...this.#sessionFields(), [3, operation], [4, TAG], what);
    const told = this.#client
      .call(METHODS.releaseExecute, request, SHORT)
      .catch(() => {})
      .finally(() => this.#releases.delete(told));
    this.#releases.add(told);
  }

  async #interrupt(operation: string): Promise<void> {
    const request = message(...this.#sessionFields(), [3, TAG], [4, 3], [6, operation]);
    await this.#client.call(METHODS.interrupt, request, SHORT).catch(() => {});
  }

  /** Ends the session. Servers before Spark 4 cannot end sessions; they expire after an hour. */
  async close(): Promise<void> {
    await Promise.all(this.#releases);
    const request = message(...this.#sessionFields(), [3, TAG]);
    await this.#client.call(METHODS.releaseSession, request, SHORT).catch(() => {});
    this.#client.close();
  }
}

function sumOf(stages: ReadonlyMap<number, TaskCounts>): TaskCounts {
  let [done, total] = [0, 0];
  for (const stage of stages.values()) {
    done += stage.done;
    total += stage.total;
  }
  return { done, total };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return TAG;
  }
}
