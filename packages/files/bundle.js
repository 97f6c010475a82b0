/**
 * Puts the compiled modules into few files: sixty small ones take Node longer to find and read than a small table takes to
 * parse. Readers of formats stay files of their own, which are loaded when one is read. The CommonJS build, for tools that cannot load
 * ES modules, such as Jest, contains hyparquet, which is published as ES modules only.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyLicence, markCommonJs, writeDeclarations } from '../../build/declarations.js';
import { collectModules, noticesFor } from '../../build/notices.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const bundled = new Set();
for (const [format, folder, external] of [
  ['esm', 'dist/bundle', /^(?![./]|[A-Za-z]:[\\/])/],
  ['cjs', 'dist/cjs', /^@scree\//],
]) {
  const bundle = await rolldown({
    input: { index: here('dist/index.js'), platform: here('dist/platform/index.js') },
    external,
    treeshake: format === 'cjs',
    plugins: [collectModules(bundled)],
  });
  rmSync(here(folder), { recursive: true, force: true });
  await bundle.write({
    dir: here(folder),
    format,
    dynamicImportInCjs: false,
    chunkFileNames: '[name].js',
    // Left alone: it would write NaN for Number.NaN, and V8 keeps a number that may be the first boxed: CSV took 12% longer.
    minify: false,
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        {
          name: 'shared',
          test: /[\\/]dist[\\/](bytes|table|archive|platform)[\\/](?!inflate|gunzip|zstd|lz4)|[\\/]dist[\\/][a-z-]+\.js$/,
        },
      ],
    },
  });
  await bundle.close();
}
markCommonJs(here('dist'));
writeDeclarations(here('dist'), ['index', 'platform/index']);
copyLicence(here('.'));
writeFileSync(here('THIRD-PARTY-NOTICES'), noticesFor(bundled));
