/**
 * Puts the compiled modules into few files: over a hundred small ones take Node longer to find and read than the first fit
 * takes to compute. They are written as ES modules, and once more as CommonJS for tools that cannot load those, such as Jest.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyLicence, markCommonJs, writeDeclarations } from '../../build/declarations.js';
import { collectModules, noticesFor } from '../../build/notices.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules of `@scree/core/learn` alone: they stay out of what every program loads. */
const LEARN =
  /[\\/](dist[\\/]learn|autoencoder-terms|descend|exact-rows|memory-replies|neighbour-forces|procrustes|snapshot|watched-data)\.js$/;
/** Solvers and criteria that are loaded when they are asked for; what solvers declare of themselves is always there. */
const ON_DEMAND = /[\\/]solvers[\\/](learned|sketch)[\\/](?!declarations?\.|sketch-options\.)|[\\/]criteria[\\/]/;

/** The first look at columns, loaded when it is asked for. */
const COLUMNS = /[\\/]analysis[\\/](columns|column-names|column-warnings|duplicate-columns)\.js$/;

/** The bootstrap, loaded when it is asked for; its options are always checked. */
const BOOTSTRAP = /[\\/]analysis[\\/]bootstrap[\\/](?!bootstrap\.|default-replicates\.)/;

const entries = {
  index: 'index',
  engine: 'engine-kit',
  names: 'solvers/names',
  learn: 'learn',
  describe: 'describe/index',
};

const bundled = new Set();
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, here(`dist/${path}.js`)])),
  treeshake: false,
  plugins: [collectModules(bundled)],
});
for (const [format, folder] of [
  ['esm', 'dist/bundle'],
  ['cjs', 'dist/cjs'],
]) {
  rmSync(here(folder), { recursive: true, force: true });
  await bundle.write({
    dir: here(folder),
    format,
    chunkFileNames: '[name].js',
    // Left alone: it would write NaN for Number.NaN, and V8 keeps a number that may be the first boxed: CSV took 12% longer.
    minify: false,
    codeSplitting: {
      groups: [
        {
          name: 'shared',
          test: (id) => !LEARN.test(id) && !ON_DEMAND.test(id) && !BOOTSTRAP.test(id) && !COLUMNS.test(id),
        },
        { name: 'learned', test: (id) => !LEARN.test(id) && /[\\/]solvers[\\/]learned[\\/]/.test(id) },
        { name: 'bootstrap', test: BOOTSTRAP },
        { name: 'choose', test: /[\\/]criteria[\\/]/ },
        { name: 'columns', test: COLUMNS },
        { name: 'sketch', test: /[\\/]solvers[\\/]sketch[\\/]/ },
      ],
    },
  });
}
await bundle.close();
markCommonJs(here('dist'));
writeDeclarations(here('dist'), Object.values(entries));
copyLicence(here('.'));
writeFileSync(here('THIRD-PARTY-NOTICES'), noticesFor(bundled));
