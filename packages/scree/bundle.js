/**
 * Puts the compiled command into few files, `dist/bin`: what every call needs (parsing, help, the list of commands) into
 * one, the rest into parts that are loaded when a command asks for them. Node takes half a millisecond and more to find
 * and read a module, and `scree --help` has no other work to do. Libraries stay where they are installed.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules of every call; an import that is not listed here shows as another file beside. */
const ALWAYS = /command[\\/](main|commands|flags|data-flags|help|nearest|parse|usage-error)\.js$/;

const bundle = await rolldown({
  input: {
    scree: here('dist/command/scree.js'),
    // The program of a thread, which is started by its name: see src/disk/table-in-thread.ts.
    'table-worker': here('dist/disk/table-worker.js'),
  },
  platform: 'node',
  external: /^(?![./]|[A-Za-z]:[\\/])/,
  treeshake: { moduleSideEffects: true },
});
// Parts of an earlier version would be published with this one.
rmSync(here('dist/bin'), { recursive: true, force: true });
await bundle.write({
  dir: here('dist/bin'),
  format: 'esm',
  sourcemap: true,
  chunkFileNames: '[name].js',
  codeSplitting: { groups: [{ name: 'main', test: ALWAYS }] },
});
await bundle.close();
