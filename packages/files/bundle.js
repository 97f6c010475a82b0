/**
 * Puts the compiled modules into few files: sixty small ones take Node longer to find and read than a small table takes to
 * parse. Readers of formats stay files of their own, which are loaded when one is read.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const bundle = await rolldown({
  input: { index: here('dist/index.js'), internal: here('dist/internal.js') },
  external: /^(?![./]|[A-Za-z]:[\\/])/,
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
        test: /[\\/]dist[\\/](bytes|table|archive)[\\/](?!inflate|gunzip|zstd|lz4)|[\\/]dist[\\/][a-z-]+\.js$/,
      },
    ],
  },
});
await bundle.close();
