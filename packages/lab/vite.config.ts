import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  // Relative addresses, so that the built site works from whatever folder it is put in.
  base: './',
  resolve: {
    // The library's sources, so that the lab builds before the library is built and never shows an old one.
    alias: {
      '@scree/core/engine': fileURLToPath(new URL('../core/src/engine-kit.ts', import.meta.url)),
      '@scree/core/words': fileURLToPath(new URL('../core/src/words/index.ts', import.meta.url)),
      '@scree/core/files': fileURLToPath(new URL('../core/src/files/index.ts', import.meta.url)),
      '@scree/core': fileURLToPath(new URL('../core/src/index.ts', import.meta.url)),
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: {
    // What counts is what travels, packed: a test holds that below 400 KB.
    chunkSizeWarningLimit: 600,
    // Small files stay files: as data: addresses the page's own Content-Security-Policy would not let them be fetched.
    assetsInlineLimit: 0,
  },
});
