import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests in Chromium. */
const BROWSER = [
  'packages/*/test/**/*browser.test.ts',
  'packages/core/test/browser/*.test.ts',
  'packages/core/test/webgpu/chromium.test.ts',
];

/** Tests that need a process of their own, because they replace modules or globals, offer engines, or measure memory. */
const ALONE = [
  'packages/core/test/base/event-loop.test.ts',
  'packages/core/test/engines/kernel-pool.test.ts',
  'packages/core/test/engines/memory.test.ts',
  'packages/core/test/engines/{stalled-workers,threads}.test.ts',
  'packages/core/test/stream.test.ts',
  'packages/core/test/webgpu/{node,offer}.test.ts',
  'packages/files/test/zstd.test.ts',
  'packages/lab/test/worker/session.test.ts',
  'packages/scree/test/blas*.test.ts',
  'packages/scree/test/compress/hostile.test.ts',
  'packages/scree/test/database/sqlite-unlocked.test.ts',
  'packages/scree/test/faults/*.test.ts',
  'packages/scree/test/optional-package.test.ts',
  'test/{corpus,one-analysis}.test.ts',
];

const resolve = {
  // Tests run the sources, so a stale build can never make them pass.
  alias: {
    '@scree/analysis/criteria': source('./packages/analysis/src/choose/criteria/index.ts'),
    '@scree/analysis/describe': source('./packages/analysis/src/describe/index.ts'),
    '@scree/analysis/vectors': source('./packages/analysis/src/vectors/index.ts'),
    '@scree/analysis/encode-vector': source('./packages/analysis/src/vectors/encode-vector.ts'),
    '@scree/analysis': source('./packages/analysis/src/index.ts'),
    '@scree/files/platform': source('./packages/files/src/platform/index.ts'),
    '@scree/files': source('./packages/files/src/index.ts'),
    '@scree/core/names': source('./packages/core/src/solvers/names.ts'),
    '@scree/core/engine': source('./packages/core/src/engines/index.ts'),
    '@scree/core/data': source('./packages/core/src/data/index.ts'),
    '@scree/core/linalg': source('./packages/core/src/linalg/index.ts'),
    '@scree/core/pipeline': source('./packages/core/src/pipeline.ts'),
    '@scree/core/exchange': source('./packages/core/src/exchange/index.ts'),
    '@scree/core/transform': source('./packages/core/src/transform.ts'),
    '@scree/core/sync': source('./packages/core/src/pca-sync.ts'),
    '@scree/core/learn': source('./packages/core/src/learn/index.ts'),
    '@scree/core': source('./packages/core/src/index.ts'),
    scree: source('./packages/scree/src/index.ts'),
  },
};

/**
 * Test files of one project. Those that share a process load the sources once; otherwise half a second of a processor per file is
 * start and imports. Projects run in the order of their names, so files that share a process follow one another.
 */
const project = (name: string, include: string[], exclude: string[], isolate: boolean): TestProjectConfiguration => ({
  resolve,
  test: {
    name,
    include,
    exclude: ['**/node_modules/**', ...exclude],
    isolate,
    setupFiles: ['./test/seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for in a browser comes when it comes; a second is not enough where others work beside it.
    expect: { poll: { timeout: 15_000 } },
  },
});

export default defineConfig({
  test: {
    projects: [
      project('alone', ALONE, [], true),
      project('browser', BROWSER, ALONE, false),
      project('command', ['packages/scree/test/**/*.test.ts'], [...ALONE, ...BROWSER], true),
      project(
        'library',
        ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
        ['packages/scree/**', ...ALONE, ...BROWSER],
        false,
      ),
    ],
    globalSetup: ['./test/chromium-setup.ts', './test/openblas.ts'],
    // Tests in a browser wait for another process: even on two cores there is work for a second worker meanwhile. A third made it slower.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
