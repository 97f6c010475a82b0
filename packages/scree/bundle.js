/**
 * Bundles the compiled library and command into `dist/bin`: one file with the modules that every call of the command needs (parsing,
 * help, the list of commands), and chunks that are loaded when they are needed. Node takes half a millisecond or more per module, and
 * `scree --help` has no other work to do. The packages that draw figures are bundled: a tenth of them is used. Dependencies are not.
 *
 * The library is written once more as CommonJS, for tools that cannot load ES modules, such as Jest. That build also contains the
 * dependencies that are published as ES modules only.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { copyLicence, markCommonJs, writeDeclarations } from '../../build/declarations.js';
import { collectModules, noticesFor } from '../../build/notices.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules that every call needs. Another module that these import would become a file of its own in dist/bin. */
const ALWAYS =
  /command[\\/](main|commands|flags|data-flags|method-flags|shared-flags|help|parse|usage-error)\.js$|engine-names\.js$|postgres-url\.js$/;

/** The library, and worker threads that are started by their file names: see src/disk/table-in-thread.ts and decoding-threads.ts. */
const library = {
  index: here('dist/index.js'),
  png: here('dist/png.js'),
  'table-worker': here('dist/disk/table-worker.js'),
  'decoding-worker': here('dist/disk/decoding-worker.js'),
};
const { dependencies } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
/** Dependencies that require() cannot load. */
const ES_MODULES = ['hyparquet-writer'];
/** The packages that draw figures, in a chunk of their own. */
const DRAWING = { name: 'drawing', test: /[\\/]node_modules[\\/](?!hyparquet)/ };
const bundled = new Set();

/** Whether an import stays in the output: modules of Node, and dependencies without those in `inside`. */
const outside = (inside) => (id) => {
  if (id.startsWith('node:')) return true;
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(id) ?? [];
  return name in dependencies && !inside.includes(name);
};

/** linkedom draws on a canvas if that package is installed. Figures have none. */
const noCanvas = {
  name: 'no-canvas',
  load: (id) =>
    /linkedom[\\/]commonjs[\\/]canvas\.cjs$/.test(id) ? "module.exports = require('./canvas-shim.cjs');" : null,
};

/** Minifies the packages that draw figures. Comments keep the paths of their modules, as other chunks have them. */
const minifyDrawing = {
  name: 'minify-drawing',
  renderChunk(code, { name, modules }) {
    if (name !== DRAWING.name) return null;
    const paths = Object.keys(modules).map((id) => `// ${id.replace(/^.*(?=node_modules[\\/])/, '')}\n`);
    return paths.join('') + minifySync(`${name}.js`, code, { mangle: { toplevel: true } }).code;
  },
};

async function write(format, folder, input, external, codeSplitting) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external,
    treeshake: { moduleSideEffects: true },
    plugins: [noCanvas, minifyDrawing, collectModules(bundled)],
  });
  // Chunks of an earlier build would otherwise be published too.
  rmSync(here(folder), { recursive: true, force: true });
  await bundle.write({
    dir: here(folder),
    format,
    dynamicImportInCjs: false,
    comments: { jsdoc: false },
    chunkFileNames: '[name].js',
    codeSplitting,
  });
  await bundle.close();
}

await write('esm', 'dist/bin', { ...library, scree: here('dist/command/scree.js') }, outside([]), {
  groups: [{ name: 'main', test: ALWAYS }, DRAWING],
});
await write('cjs', 'dist/cjs', library, outside(ES_MODULES), { groups: [DRAWING] });
markCommonJs(here('dist'));
writeDeclarations(here('dist'), ['index', 'png']);
copyLicence(here('.'));
writeFileSync(
  here('THIRD-PARTY-NOTICES'),
  `${noticesFor(bundled)}\nThe page of the lab has its own: dist/lab-server/page/THIRD-PARTY-NOTICES.txt\n`,
);
