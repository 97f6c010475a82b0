/**
 * Bundles the compiled command into `dist/bin`: one file with the modules that every call needs (parsing, help, the list of
 * commands), and chunks that are loaded when a command needs them. Node takes half a millisecond or more per module, and
 * `scree --help` has no other work to do. Dependencies are not bundled.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules that every call needs. Another module that these import would become a file of its own in dist/bin. */
const ALWAYS =
  /command[\\/](main|commands|flags|data-flags|help|nearest|parse|usage-error)\.js$|engine-names\.js$|postgres-url\.js$/;

const bundle = await rolldown({
  input: {
    scree: here('dist/command/scree.js'),
    // A worker thread, started by its file name: see src/disk/table-in-thread.ts.
    'table-worker': here('dist/disk/table-worker.js'),
  },
  platform: 'node',
  external: /^(?![./]|[A-Za-z]:[\\/])/,
  treeshake: { moduleSideEffects: true },
});
// Chunks of an earlier build would otherwise be published too.
rmSync(here('dist/bin'), { recursive: true, force: true });
await bundle.write({
  dir: here('dist/bin'),
  format: 'esm',
  sourcemap: true,
  chunkFileNames: '[name].js',
  codeSplitting: { groups: [{ name: 'main', test: ALWAYS }] },
});
await bundle.close();
