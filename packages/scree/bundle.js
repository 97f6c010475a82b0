/**
 * Bundles the compiled library and command into `dist/bin`: one file with the modules that every call of the command needs (parsing,
 * help, the list of commands), and chunks that are loaded when they are needed. Node takes half a millisecond or more per module, and
 * `scree --help` has no other work to do. Dependencies are not bundled.
 *
 * The library is written once more as CommonJS, for tools that cannot load ES modules, such as Jest. That build contains the
 * dependencies that are published as ES modules only.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyLicence, markCommonJs, writeDeclarations } from '../../build/declarations.js';
import { collectModules, noticesFor } from '../../build/notices.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules that every call needs. Another module that these import would become a file of its own in dist/bin. */
const ALWAYS =
  /command[\\/](main|commands|flags|data-flags|method-flags|shared-flags|help|parse|usage-error)\.js$|engine-names\.js$|postgres-url\.js$/;

/** The library, and a worker thread that is started by its file name: see src/disk/table-in-thread.ts. */
const library = {
  index: here('dist/index.js'),
  png: here('dist/png.js'),
  'table-worker': here('dist/disk/table-worker.js'),
};
const bundled = new Set();

async function write(format, folder, input, external, codeSplitting) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external,
    treeshake: { moduleSideEffects: true },
    plugins: [collectModules(bundled)],
  });
  // Chunks of an earlier build would otherwise be published too.
  rmSync(here(folder), { recursive: true, force: true });
  await bundle.write({
    dir: here(folder),
    format,
    dynamicImportInCjs: false,
    chunkFileNames: '[name].js',
    codeSplitting,
  });
  await bundle.close();
}

await write('esm', 'dist/bin', { ...library, scree: here('dist/command/scree.js') }, /^(?![./]|[A-Za-z]:[\\/])/, {
  groups: [{ name: 'main', test: ALWAYS }],
});
await write(
  'cjs',
  'dist/cjs',
  library,
  /^(@scree\/|node:|@duckdb\/|koffi$|linkedom$|node-sqlite3-wasm$|pg(-copy-streams)?$)/,
  {},
);
markCommonJs(here('dist'));
writeDeclarations(here('dist'), ['index', 'png']);
copyLicence(here('.'));
writeFileSync(
  here('THIRD-PARTY-NOTICES'),
  `${noticesFor(bundled)}\nThe page of the lab has its own: dist/lab-server/page/THIRD-PARTY-NOTICES.txt\n`,
);
