/**
 * Puts the compiled modules into few files: over a hundred small ones take Node longer to find and read than the first fit
 * takes to compute.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

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

/** The WebGPU engine, loaded when it is asked for or worth it. */
const WEBGPU = /[\\/]engines[\\/]webgpu[\\/](?!offer\.)/;

const bundle = await rolldown({
  input: {
    index: here('dist/index.js'),
    engine: here('dist/engine-kit.js'),
    names: here('dist/solvers/names.js'),
    learn: here('dist/learn.js'),
    describe: here('dist/describe/index.js'),
  },
  treeshake: false,
});
await bundle.write({
  dir: here('dist/bundle'),
  format: 'esm',
  chunkFileNames: '[name].js',
  sourcemap: true,
  // Left alone: it would write NaN for Number.NaN, and V8 keeps a number that may be the first boxed: CSV took 12% longer.
  minify: false,
  codeSplitting: {
    groups: [
      {
        name: 'shared',
        test: (id) =>
          !LEARN.test(id) && !ON_DEMAND.test(id) && !BOOTSTRAP.test(id) && !COLUMNS.test(id) && !WEBGPU.test(id),
      },
      { name: 'learned', test: (id) => !LEARN.test(id) && /[\\/]solvers[\\/]learned[\\/]/.test(id) },
      { name: 'bootstrap', test: BOOTSTRAP },
      { name: 'webgpu', test: WEBGPU },
      { name: 'choose', test: /[\\/]criteria[\\/]/ },
      { name: 'columns', test: COLUMNS },
      { name: 'sketch', test: /[\\/]solvers[\\/]sketch[\\/]/ },
    ],
  },
});
await bundle.close();
