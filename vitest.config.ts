import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
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
      '@scree/core/learn': source('./packages/core/src/learn/index.ts'),
      '@scree/core': source('./packages/core/src/index.ts'),
      scree: source('./packages/scree/src/index.ts'),
    },
  },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['./test/chromium-setup.ts', './test/openblas.ts'],
    setupFiles: ['./test/seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for in a browser comes when it comes; a second is not enough where others work beside it.
    expect: { poll: { timeout: 15_000 } },
    // Tests in a browser wait for another process: even on two cores there is work for a second worker meanwhile. A third made it slower.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
