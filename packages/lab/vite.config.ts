import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { collectModules, noticesFor } from '../../build/notices.js';
import { BUILT_FROM, hashOfSources } from './sources-hash.js';

/** Modules in the files of the page and of its worker, which are built one after the other. */
const bundled = new Set<string>();

/** Puts the licences of the libraries and data that the page contains beside it. */
function thirdPartyNotices(): Plugin {
  return {
    name: 'third-party-notices',
    apply: 'build',
    closeBundle() {
      const data = readFileSync(new URL('src/data/NOTICES.txt', import.meta.url), 'utf8');
      writeFileSync(new URL('dist/THIRD-PARTY-NOTICES.txt', import.meta.url), `${noticesFor(bundled)}\n${data}`);
    },
  };
}

/** Writes down from which sources `dist` was built. Tests then take this build, if the sources are still the same. */
function rememberSources(): Plugin {
  const dist = fileURLToPath(new URL('dist', import.meta.url));
  let hash = '';
  let folder = '';
  return {
    name: 'remember-sources',
    apply: 'build',
    configResolved({ build }) {
      folder = build.outDir;
    },
    buildStart() {
      hash = hashOfSources();
      if (resolve(folder) === dist) rmSync(BUILT_FROM, { force: true });
    },
    closeBundle() {
      if (resolve(folder) === dist) writeFileSync(BUILT_FROM, hash);
    },
  };
}

/** Gives the worker's start a script of its own, before the page's: a worker takes as long to start as all the rest. */
function workerFirst(): Plugin {
  const start = fileURLToPath(new URL('src/worker/start.ts', import.meta.url));
  return {
    name: 'worker-first',
    apply: 'build',
    config: () => ({
      build: { rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'start', test: start }] } } } },
    }),
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunk = Object.values(bundle).find((file) => file.type === 'chunk' && file.moduleIds.includes(start));
        if (!chunk) throw new Error('There is no chunk that starts the worker.');
        const page = '<script type="module"';
        return html.replace(page, `<script type="module" crossorigin src="./${chunk.fileName}"></script>\n    ${page}`);
      },
    },
  };
}

export default defineConfig({
  // Relative addresses, so that the built site works from whatever folder it is put in.
  base: './',
  resolve: {
    // The library's sources, so that the lab builds before the library is built and never shows an old one.
    alias: {
      '@scree/analysis/criteria': fileURLToPath(new URL('../analysis/src/choose/criteria/index.ts', import.meta.url)),
      '@scree/analysis/describe': fileURLToPath(new URL('../analysis/src/describe/index.ts', import.meta.url)),
      '@scree/analysis': fileURLToPath(new URL('../analysis/src/index.ts', import.meta.url)),
      '@scree/files/platform': fileURLToPath(new URL('../files/src/platform/index.ts', import.meta.url)),
      '@scree/files': fileURLToPath(new URL('../files/src/index.ts', import.meta.url)),
      '@scree/core/names': fileURLToPath(new URL('../core/src/solvers/names.ts', import.meta.url)),
      '@scree/core/engine': fileURLToPath(new URL('../core/src/engines/index.ts', import.meta.url)),
      '@scree/core/data': fileURLToPath(new URL('../core/src/data/index.ts', import.meta.url)),
      '@scree/core/linalg': fileURLToPath(new URL('../core/src/linalg/index.ts', import.meta.url)),
      '@scree/core/pipeline': fileURLToPath(new URL('../core/src/pipeline.ts', import.meta.url)),
      '@scree/core/learn': fileURLToPath(new URL('../core/src/learn/index.ts', import.meta.url)),
      '@scree/core': fileURLToPath(new URL('../core/src/index.ts', import.meta.url)),
    },
  },
  plugins: [workerFirst(), collectModules(bundled), thirdPartyNotices(), rememberSources()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: {
    format: 'es',
    plugins: () => [collectModules(bundled)],
    // One file, but for Parquet, zstd, WebGPU and kernels for old browsers, which most never need, and what is computed after the first picture: a worker waits long for
    // every further file while the page is loading.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'worker',
              test: /^(?!.*(parquet|zstd|engines.(webgpu.(?!offer)|wasm.kernels-plain)|analysis.src.(missing|choose.(computations|collect|evaluate|recommend)|bootstrap|robust|vectors|inspect.structure|rows.(monitor|drift|limits|calibrat))|core.src.missing|solvers.(learned|sketch).(?!declaration|check)))/,
            },
          ],
        },
      },
    },
  },
  build: {
    // Browsers that know light-dark(): for older ones it would become variables that follow the system's theme alone, and
    // not the page's own.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The packed size counts, because packed files travel. A test holds it below 400 KB.
    chunkSizeWarningLimit: 600,
    // Small files stay files: as data: addresses the page's own Content-Security-Policy would not let them be fetched.
    assetsInlineLimit: 0,
  },
});
