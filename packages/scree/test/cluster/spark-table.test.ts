import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { openFile, pca, sparkSource } from 'scree';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DOUBLE, structOf } from '../../src/cluster/messages.js';
import { type Fields, message } from '../../src/cluster/protobuf.js';
import { type Answer, batch, type Call, complete, FakeServer, VERSION } from './fake-server.js';

const ROWS = Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(3 * i), (i % 7) / 7]);
const RESULT = tableToIPC(
  tableFromArrays({
    n0: Float64Array.from(ROWS, ([a]) => a),
    n1: Float64Array.from(ROWS, ([, b]) => b),
    n2: Float64Array.from(ROWS, ([, , c]) => c),
  }),
  'stream',
);
const SCHEMA = structOf(['a', 'b', 'c'].map((name) => ({ name, type: DOUBLE })));

/** A server with three columns, which answers so to our Python. */
async function serverWith(python: (times: number, version: string) => Answer): Promise<FakeServer> {
  let probes = 0;
  const server = await FakeServer.start((call: Call): Answer => {
    const { method, request } = call;
    if (method === 'AnalyzePlan') return request.has(4) ? { messages: [message([2, message([1, SCHEMA])])] } : VERSION;
    if (method !== 'ExecutePlan') return { messages: [new Uint8Array(0)] };
    const version = pythonOf(request);
    if (version !== undefined) return python(++probes, version);
    return { messages: [batch('a', RESULT), complete('b')] };
  });
  onTestFinished(() => server.stop());
  return server;
}

/** The version of Python that an execution asks for, if it has a function of ours. */
function pythonOf(request: Fields): string | undefined {
  return request.message(3)?.message(1)?.message(28)?.message(2)?.message(4)?.text(4);
}

const DONE: Answer = { messages: [complete('a')] };

describe('a table on Spark', () => {
  it.each([
    '[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.13 than that in driver: 3.11, PySpark cannot run with different minor versions.',
    'Python in worker has different version (3, 13) than that in driver 3.11, PySpark cannot run with different minor versions.',
  ])('takes the version of Python from: %s', async (text) => {
    const server = await serverWith((times) => (times === 1 ? { status: 13, text } : DONE));
    const file = await openFile(server.url, { sql: 'select 1' });
    expect(file.source.remote?.engine).toBe('spark');
    await file.close();
    expect(server.called('ExecutePlan').map(({ request }) => pythonOf(request))).toEqual(['3.11', '3.13']);
  });

  it.each([
    ["ModuleNotFoundError: No module named 'numpy'", /lack the Python package numpy/],
    ['PyArrow >= 15.0.0 must be installed; however, it was not found.', /lack the Python package pyarrow/],
    ['Python UDFs are not allowed on this cluster', /does not allow functions in Python/],
    ['MapPartitions is not supported', /does not allow functions in Python/],
    ['Cannot run program "python3": error=2, No such file or directory', /have no Python/],
  ])('reads rows over the network after: %s', async (text, why) => {
    const server = await serverWith(() => ({ status: 13, text }));
    const model = await pca(await sparkSource({ url: server.url, sql: 'select 1' }), { k: 2 });
    const local = await pca(ROWS, { k: 2, solver: 'covariance' });
    expect([...model.variances]).toEqual([...local.variances]);
    expect(model.warnings).toContainEqual(
      expect.objectContaining({ code: 'ENGINE_FALLBACK', message: expect.stringMatching(why) }),
    );
  });

  it('reads rows from the server once, however often they are needed', async () => {
    const server = await serverWith(() => DONE);
    const model = await pca(await sparkSource({ url: server.url, sql: 'select 1' }), {
      k: 2,
      engine: 'wasm',
      solver: 'svd',
    });
    expect(model.n).toBe(60);
    expect(server.called('ExecutePlan').filter(({ request }) => pythonOf(request) === undefined)).toHaveLength(1);
  });

  it('needs a table or a query, and not both', async () => {
    await expect(sparkSource({ url: 'sc://127.0.0.1:1' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    const both = { url: 'sc://127.0.0.1:1', table: 't', sql: 'select 1' };
    await expect(sparkSource(both)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(sparkSource({ url: 'http://host', sql: 'select 1' })).rejects.toMatchObject({ code: 'BAD_FILE' });
  });
});
