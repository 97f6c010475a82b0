import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planOf, sqlQuery } from '../../src/cluster/messages.js';
import { SparkSession } from '../../src/cluster/spark-session.js';
import { type Answer, batch, type Call, complete, FakeServer, tasks, VERSION } from './fake-server.js';

const PLAN = planOf(sqlQuery('select 1'));
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** A session with a server that answers so; other calls than these get an empty message. */
async function sessionWith(
  answers: Readonly<Record<string, (call: Call, times: number) => Answer>>,
  after = '',
): Promise<{ session: SparkSession; server: FakeServer }> {
  const server = await FakeServer.start((call) => {
    const answer = answers[call.method];
    if (answer) return answer(call, server.called(call.method).length);
    return call.method === 'AnalyzePlan' ? VERSION : { messages: [bytes()] };
  });
  onTestFinished(() => server.stop());
  const { session } = await SparkSession.open(server.url + after, { memory: 2 ** 26 });
  return { session, server };
}

async function collect(batches: AsyncIterable<Uint8Array>): Promise<number[][]> {
  const found: number[][] = [];
  for await (const each of batches) found.push([...each]);
  return found;
}

describe('a session of Spark Connect', () => {
  it('reads a result, its counts of tasks, and releases it', async () => {
    const { session, server } = await sessionWith({
      ExecutePlan: () => ({
        messages: [tasks('a', 1, 4), batch('b', bytes(1)), tasks('c', 4, 4), batch('d', bytes(2)), complete('e')],
      }),
    });
    const counts: unknown[] = [];
    const found = await collect(session.execute(PLAN, { onTasks: (tasks) => counts.push(tasks) }));
    expect(found).toEqual([[1], [2]]);
    expect(counts).toEqual([
      { done: 1, total: 4 },
      { done: 4, total: 4 },
    ]);
    const [execute] = server.called('ExecutePlan');
    expect(execute.request.text(7)).toBe('scree');
    await expect.poll(() => server.called('ReleaseExecute').some(({ request }) => request.has(5))).toBe(true);
    expect(server.called('ReleaseExecute')[0].request.text(3)).toBe(execute.request.text(6));
    await session.close();
    expect(server.called('ReleaseSession')).toHaveLength(1);
  });

  it('asks for the rest after a cut connection, and gets every batch once', async () => {
    const { session, server } = await sessionWith({
      ExecutePlan: () => ({ messages: [batch('a', bytes(1)), batch('b', bytes(2))], end: 'cut' }),
      ReattachExecute: (_, times) =>
        times === 1
          ? { messages: [batch('c', bytes(3))], end: 'cut' }
          : { messages: [batch('d', bytes(4)), complete('e')] },
    });
    expect(await collect(session.execute(PLAN))).toEqual([[1], [2], [3], [4]]);
    expect(server.called('ReattachExecute').map(({ request }) => request.text(5))).toEqual(['b', 'c']);
    expect(server.called('ExecutePlan')).toHaveLength(1);
    await session.close();
  });

  it.each([
    ['a stream ends before anything was said', { messages: [] }],
    ['a cut request was taken, and is not taken again', { end: 'cut' }],
  ] as const)('asks for the whole result where %s', async (_, first) => {
    const { session, server } = await sessionWith({
      ExecutePlan: (_call, times) =>
        times === 1 ? first : { status: 2, text: '[INVALID_HANDLE.OPERATION_ALREADY_EXISTS] It exists.' },
      ReattachExecute: () => ({ messages: [batch('a', bytes(1)), complete('b')] }),
    });
    expect(await collect(session.execute(PLAN))).toEqual([[1]]);
    expect(server.called('ReattachExecute').map(({ request }) => request.has(5))).toEqual([false]);
    await session.close();
  });

  it('asks for the rest if a stream ends before the result does', async () => {
    const { session, server } = await sessionWith({
      ExecutePlan: () => ({ messages: [batch('a', bytes(1))] }),
      ReattachExecute: () => ({ messages: [complete('b')] }),
    });
    expect(await collect(session.execute(PLAN))).toEqual([[1]]);
    expect(server.called('ReattachExecute')).toHaveLength(1);
    await session.close();
  });

  it('interrupts its operation when it is aborted', async () => {
    const { session, server } = await sessionWith({
      ExecutePlan: () => ({ messages: [tasks('a', 0, 8)], end: 'hang' }),
    });
    const controller = new AbortController();
    const reading = collect(session.execute(PLAN, { signal: controller.signal, onTasks: () => controller.abort() }));
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => server.called('Interrupt').length).toBe(1);
    const { request } = server.called('Interrupt')[0];
    expect([request.number(4), request.text(6)]).toEqual([3, server.called('ExecutePlan')[0].request.text(6)]);
    await session.close();
  });

  it('interrupts its operation when a reader stops early', async () => {
    const { session, server } = await sessionWith({
      ExecutePlan: () => ({ messages: [batch('a', bytes(1)), batch('b', bytes(2))], end: 'hang' }),
    });
    for await (const _ of session.execute(PLAN)) break;
    expect(server.called('Interrupt')).toHaveLength(1);
    await session.close();
  });

  it('sends the token and further headers with every call', async () => {
    const { session, server } = await sessionWith({}, '/;token=hush;x-workspace=7');
    expect(server.calls[0].headers).toMatchObject({ authorization: 'Bearer hush', 'x-workspace': '7' });
    await session.close();
  });

  it('says nothing of the token in errors', async () => {
    const server = await FakeServer.start(() => ({ status: 16, text: 'Invalid token' }));
    onTestFinished(() => server.stop());
    const error = await SparkSession.open(`${server.url}/;token=hush`, { memory: 2 ** 26 }).catch(
      (problem: unknown) => problem,
    );
    expect(error).toMatchObject({ code: 'NO_ACCESS', path: server.url });
    expect(JSON.stringify(error) + String(error)).not.toContain('hush');
  });

  it.each([
    ['sc://example.org/;token=hush', 'NO_ACCESS', /unencrypted/],
    ['sc://', 'BAD_FILE', /cannot be understood/],
    ['sc://host/;token=a%', 'BAD_FILE', /cannot be understood/],
    ['sc://127.0.0.1:1', 'NO_CONNECTION', /cannot be reached/],
  ])('refuses %s', async (url, code, text) => {
    const error = await SparkSession.open(url, { memory: 2 ** 26 }).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code, message: expect.stringMatching(text) });
    expect(String(error)).not.toContain('hush');
  });

  it('waits for the first answer of a server for a limited time', async () => {
    const silent = await FakeServer.start(() => ({ end: 'hang' }));
    onTestFinished(() => silent.stop());
    // Takes connections, and does not even speak HTTP/2.
    const mute = createServer(() => {}).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    onTestFinished(() => void mute.close());
    const { port } = mute.address() as AddressInfo;
    for (const url of [silent.url, `sc://127.0.0.1:${port}`]) {
      await expect(SparkSession.open(url, { memory: 2 ** 26, patience: 100 })).rejects.toMatchObject({
        code: 'NO_CONNECTION',
        message: expect.stringContaining('no answer in 0.1 seconds'),
      });
    }
  });

  it('refuses a message that is larger than the memory allows, before it comes', async () => {
    const { session } = await sessionWith({
      ExecutePlan: () => ({ head: Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]), end: 'hang' }),
    });
    await expect(collect(session.execute(PLAN))).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('2147483647 bytes'),
    });
    await session.close();
  });

  it('names a lost connection if a result cannot be continued', async () => {
    const { session } = await sessionWith({
      ExecutePlan: () => ({ messages: [batch('a', bytes(1))], end: 'cut' }),
      ReattachExecute: () => ({ status: 5, text: '[INVALID_HANDLE.OPERATION_NOT_FOUND] gone' }),
    });
    await expect(collect(session.execute(PLAN))).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    await session.close();
  });

  it.each([
    [{ status: 13, text: '[TABLE_OR_VIEW_NOT_FOUND] The table or view `t` cannot be found.' }, 'reading', 'NO_FILE'],
    [{ status: 13, text: '[PARSE_SYNTAX_ERROR] Syntax error at or near "selec".' }, 'querying', 'BAD_OPTION'],
    [{ status: 7, text: 'no SELECT' }, 'reading', 'NO_ACCESS'],
    [{ messages: [bytes(255, 255)] }, 'reading', 'BAD_FILE'],
  ] as const)('turns %j while %s into %s', async (answer, doing, code) => {
    const { session } = await sessionWith({ ExecutePlan: () => answer });
    await expect(collect(session.execute(PLAN, { doing }))).rejects.toMatchObject({ code });
    await session.close();
  });
});
