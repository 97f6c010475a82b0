import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import type { Site } from '../../../../test/serve.js';

/** The page, built in memory. It is not minified, so that a failure can be read. */
export async function bundlePage(): Promise<Site> {
  const output = await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { write: false, target: 'esnext', minify: false, modulePreload: false },
  });
  const files = (output as Rolldown.RolldownOutput).output;
  return new Map(files.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]));
}
