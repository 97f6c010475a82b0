import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import type { Site } from '../../../../test/serve.js';

/** A test page with the sources in it, built in memory; not minified, so that a failure can be read. */
export async function bundlePage(folder = new URL('.', import.meta.url)): Promise<Site> {
  const output = await build({
    configFile: false,
    root: fileURLToPath(folder),
    logLevel: 'warn',
    worker: { format: 'es' },
    build: { write: false, target: 'esnext', minify: false, modulePreload: false },
  });
  const files = (output as Rolldown.RolldownOutput).output;
  return new Map(files.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]));
}
