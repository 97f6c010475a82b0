import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../../test/chromium.js';
import { type Site, serve } from '../../../../test/serve.js';
import { digests, shared } from '../conformance/digests.js';
import { engineChecks } from '../conformance/engines.js';
import { type EngineName, engineSetups, named, type SolverSetup, solverSetups } from '../conformance/setups.js';
import { solverCases } from '../conformance/solvers.js';
import { solverNames } from '../support/data.js';
import { bundlePage } from './bundle.js';

const executablePath = inject('chromium');
let browser: Browser | undefined;
let site: Site;

/** A page of the site under the given headers. Opened before the tests of a `describe`, closed after them, come what may. */
function openPage(headers: Record<string, string>): () => Page {
  const toClose: (() => Promise<void>)[] = [];
  let opened: Page | undefined;
  beforeAll(async () => {
    const server = await serve(site, headers);
    toClose.push(server.close);
    const page = await browser!.newPage();
    toClose.push(() => page.close());
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(server.url);
    if (!(await page.evaluate(() => 'conformance' in globalThis))) {
      throw new Error('The page did not start.', { cause: errors[0] });
    }
    await page.evaluate((seed) => conformance.seed(seed), Number(process.env.SCREE_SEED));
    opened = page;
  });
  afterAll(() => Promise.allSettled(toClose.map((close) => close())));
  return () => opened!;
}

/** Fails with what the page found, the first few in full. */
function expectNone(failures: string[], outOf: number): void {
  if (failures.length === 0) return;
  const shown = failures.slice(0, 10).join('\n');
  throw new Error(`${failures.length} of ${outOf} failed in the page:\n${shown}${failures.length > 10 ? '\n…' : ''}`);
}

const inNode = new Map<EngineName, Promise<Record<string, string>>>();
const inPages = new Map<EngineName, Record<string, string>>();

/** The same bits as in the pages before, and as in Node, wherever the same may be expected (see `digests`). */
async function expectSameBits(engine: EngineName, measuring: Promise<Record<string, string>>): Promise<void> {
  const computing = inNode.get(engine) ?? digests({ engine });
  inNode.set(engine, computing);
  const [measured, here] = await Promise.all([measuring, computing]);
  const before = inPages.get(engine) ?? measured;
  inPages.set(engine, before);
  expect(shared(measured, before), 'bits in this page').toEqual(shared(before, measured));
  expect(shared(measured, here), 'bits in the browser').toEqual(shared(here, measured));
  if (engine === 'reference') expect(shared(measured, here), 'something to compare').not.toEqual({});
}

describe.skipIf(!executablePath)('in Chromium', () => {
  beforeAll(async () => {
    site = await bundlePage();
    browser = await sharedChromium(executablePath);
  });
  afterAll(() => closePages(browser));

  const isolation = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  };
  describe.each<[string, boolean, Record<string, string>]>([
    ['a cross-origin isolated page', true, isolation],
    ['a page like any other', false, {}],
  ])('%s', (_, isolated, headers) => {
    const page = openPage(headers);
    // A page that is not isolated has the same kernels on one thread: the whole grid runs there with SCREE_FULL=1 only.
    const whole = isolated || process.env.SCREE_FULL !== undefined;

    it(`is ${isolated ? '' : 'not '}isolated, and has WebAssembly, on ${isolated ? 'several threads' : 'one thread'}`, async () => {
      const facts = await page().evaluate(() => conformance.facts());
      expect(facts).toMatchObject({ isolated, sharedMemory: isolated, threads: isolated ? 3 : 1 });
      expect(facts.kernels).not.toBe('none');
    });

    it.each(named(engineSetups))('%s gives the same bits as anywhere else', async (_, setup) => {
      await expectSameBits(
        setup.engine,
        page().evaluate((setup) => conformance.digests(setup), setup),
      );
    });

    // A page should do such work in a worker. An engine may do there what it may not do in the page itself.
    it.each(named(engineSetups.filter(({ engine }) => engine === 'wasm')))(
      '%s does so in a worker too',
      async (_, setup) => {
        await expectSameBits(
          setup.engine,
          page().evaluate((setup) => conformance.digestsInWorker(setup), setup),
        );
      },
    );

    describe.runIf(whole).each(named(engineSetups))(
      'engine %s computes the five passes as they are defined',
      (_, setup) => {
        it.each(Object.keys(engineChecks))('%s', async (check) => {
          const asked = [setup, check] as const;
          expectNone(await page().evaluate(([setup, check]) => conformance.engine(setup, check), asked), 1);
        });
      },
    );

    it.each(named(solverSetups))('%s agrees with svd on the reference engine', async (_, setup) => {
      const shapes = whole ? undefined : ['tall', 'wide'];
      const asked = [setup, shapes] as const;
      expectNone(
        await page().evaluate(([setup, shapes]) => conformance.setup(setup, shapes), asked),
        solverCases.length,
      );
    });
  });

  describe('a page whose Content-Security-Policy forbids WebAssembly', () => {
    const page = openPage({ 'Content-Security-Policy': "default-src 'self'" });
    const shapes = ['tall', 'wide'];

    it('has no wasm engine, and says so', async () => {
      expect((await page().evaluate(() => conformance.facts())).kernels).toBe('none');
      const [failure] = await page().evaluate(() => conformance.setup({ engine: 'wasm', solver: 'svd' }, ['tall']));
      expect(failure).toContain('engine is "wasm", which is not available');
    });

    it.each(solverNames)('%s still gives the right results', async (solver) => {
      const asked: [SolverSetup, string[]] = [{ engine: 'auto', solver }, shapes];
      const failures = await page().evaluate(([setup, shapes]) => conformance.setup(setup, shapes), asked);
      expectNone(failures, solverCases.filter(({ shape }) => shapes.includes(shape)).length);
    });

    it('gives the bits of the reference engine', async () => {
      await expectSameBits(
        'reference',
        page().evaluate(() => conformance.digests({ engine: 'auto' })),
      );
    });
  });
});
