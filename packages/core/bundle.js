/**
 * Puts the compiled modules into few files: over a hundred small ones take Node longer to find and read than the first fit
 * takes to compute. They are written as ES modules, and once more as CommonJS for tools that cannot load those, such as Jest.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyLicence, markCommonJs, writeDeclarations } from '../../build/declarations.js';
import { collectModules, noticesFor } from '../../build/notices.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Modules that a module imports before it runs, and those that they import, with itself. */
function closure(...paths) {
  const found = new Set(paths.map((path) => here(`dist/${path}.js`)));
  for (const file of found) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^'"`;]*'(\.[^']+)';/gm)) {
      found.add(join(dirname(file), path));
    }
  }
  return found;
}

/** Code that every program loads that fits or applies a model. Other files are loaded with the functions that need them. */
const fit = closure('pca', 'model/model', 'data/blocks/matrix');
/** What programs share that apply a model. A group has all that its modules import, so the module that predicts missing values is not in it. */
const apply = closure('transform');
for (const path of ['transform', 'model/conditional']) apply.delete(here(`dist/${path}.js`));
const only = (...paths) => {
  const modules = closure(...paths);
  return (id) => modules.has(normalize(id));
};

/** Predicts missing values. `transform` loads it for rows that miss values, and @scree/core/transform at once. */
const CONDITIONAL = /model[\\/]conditional\.js$/;

/** Writes other characters in strings as escapes: V8 reads a file that has none but ASCII in half the memory, and sooner. */
const inAscii = {
  name: 'in-ascii',
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

const entries = {
  index: 'index',
  engine: 'engines/index',
  data: 'data/index',
  linalg: 'linalg/index',
  pipeline: 'pipeline',
  sync: 'pca-sync',
  learn: 'learn/index',
  transform: 'transform',
  exchange: 'exchange/index',
};

const bundled = new Set();
/** Help texts load the names and nothing else. Programs that fit have a copy of their own: a file that both share would be one more to find. */
const names = await rolldown({ input: { names: here('dist/solvers/names.js') } });
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, here(`dist/${path}.js`)])),
  treeshake: false,
  plugins: [collectModules(bundled), inAscii],
});
for (const [format, folder] of [
  ['esm', 'dist/bundle'],
  ['cjs', 'dist/cjs'],
]) {
  rmSync(here(folder), { recursive: true, force: true });
  await names.write({ dir: here(folder), format });
  await bundle.write({
    dir: here(folder),
    format,
    chunkFileNames: '[name].js',
    // Left alone: it would write NaN for Number.NaN, and V8 keeps a number that may be the first boxed: CSV took 12% longer.
    minify: false,
    // The declarations have them.
    comments: { jsdoc: false },
    codeSplitting: {
      // The first that matches counts.
      groups: [
        // Alone, so that a page that only catches errors loads nothing else.
        { name: 'errors', test: only('errors') },
        { name: 'apply', test: (id) => apply.has(normalize(id)) },
        { name: 'fit', test: (id) => fit.has(normalize(id)) },
        { name: 'conditional', test: CONDITIONAL },
        // Programs that use moments load the first and the last of these three, without the rest of a large fit.
        { name: 'sums', test: only('fit/moment-sums') },
        { name: 'large', test: only('fit/fit-opened', 'fit/fit-moments') },
        { name: 'moments', test: only('fit/moments') },
        { name: 'kernels-plain', test: /kernels-plain\.js$/ },
        { name: 'kernels-relaxed', test: /kernels-relaxed\.js$/ },
        {
          // Also what pcaSync needs besides small fits of pca.
          name: 'passes',
          test: /(summarise|dual-by-multiply|block-statistics|symmetric-eigen|tridiagonal-eigen|tridiagonalise|vector-block|solve-covariance|model[\\/](data-warnings|orient))\.js$/,
        },
        {
          // Also what a program that imports everything shares with files that it need not load at once.
          name: 'subspace',
          test: /(orthonormalise|cholesky|linalg[\\/](row-products|zero-rows)|engines[\\/](basis|same-scaler|provisional-means|summarise-one-pass)|blocks[\\/]block-rows|residual-schedule|rayleigh-ritz|subspace-angles|procrustes|statistics[\\/]checksum|storage[\\/]container|crc32|model[\\/](reconstruction|biplot))\.js$/,
        },
        { name: 'wasm', test: only('engines/wasm/wasm') },
        { name: 'sparse', test: /(wasm[\\/]sparse[\\/].*|reference[\\/]sparse)\.js$/ },
        {
          name: 'wide',
          test: /(dense[\\/](wide|dual|summarise-with-dual|column-strips)|engines[\\/]precomputed-dual)\.js$/,
        },
        { name: 'reference', test: /reference[\\/]dense\.js$/ },
        { name: 'numeric', test: /(numeric-columns|correlation-matrix)\.js$/ },
        { name: 'libraries', test: /(open-columns|library-data)\.js$/ },
        { name: 'dual', test: /direct[\\/](solve-dual|dual-residuals)\.js$/ },
        { name: 'encoding', test: only('fit/column-options', 'data/encoding/encoded-source', 'data/encoding/decode') },
        {
          name: 'learned',
          test: only('solvers/learned/points', 'solvers/learned/autoencoder', 'solvers/learned/hebbian'),
        },
        { name: 'sketch', test: only('solvers/sketch/streaming', 'solvers/sketch/sketch-bytes') },
        { name: 'learn', test: only('learn/index') },
        { name: 'exchange', test: /(exchange[\\/](index|onnx)|storage[\\/]protobuf)\.js$/ },
        { name: 'covariance', test: only('exchange/fit-covariance') },
        { name: 'stream', test: /open-stream\.js$/ },
        { name: 'iterative', test: only('solvers/direct/block-krylov', 'solvers/direct/float32-scatter') },
        { name: 'webgpu', test: /engines[\\/]webgpu[\\/](?!offer\.)/ },
        // Before the groups of everything, which would take the table steps, and be loaded with them.
        { name: 'missing', test: only('missing/handle-missing') },
        { name: 'filling', test: only('missing/fill-by-model', 'missing/em', 'missing/iterative', 'missing/nipals') },
        { name: 'library', test: only('index') },
        { name: 'parts', test: only('pipeline', 'data/index', 'linalg/index') },
      ],
    },
  });
}
await bundle.close();
await names.close();
markCommonJs(here('dist'));
writeDeclarations(here('dist'), [...Object.values(entries), 'solvers/names']);
copyLicence(here('.'));
writeFileSync(here('THIRD-PARTY-NOTICES'), noticesFor(bundled));
