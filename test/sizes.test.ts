/// <reference types="node" />
/** What a page loads, minified and gzipped, before and during its first fit: built with Rolldown, as Vite builds pages. */

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bytes of the files that `import { name } from source` loads at once, and of those that are loaded later, by their names. */
async function sizes(source: string, name: string): Promise<{ first: number; later: Map<string, number> }> {
  const program = `import { ${name} } from '${source}'; console.log(${name});`;
  const bundle = await rolldown({
    input: 'program',
    cwd: root,
    platform: 'browser',
    logLevel: 'silent',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? '\0program' : undefined),
        load: (id) => (id === '\0program' ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, chunkFileNames: '[name].js' });
  await bundle.close();
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk as OutputChunk]));
  const size = (file: string): number => gzipSync((chunks.get(file) as OutputChunk).code, { level: 9 }).length;
  const first = new Set(
    output.filter((chunk) => chunk.type === 'chunk' && chunk.isEntry).map(({ fileName }) => fileName),
  );
  for (const file of first) for (const next of chunks.get(file)?.imports ?? []) first.add(next);
  const later = [...chunks.keys()].filter((file) => !first.has(file));
  return {
    first: [...first].reduce((sum, file) => sum + size(file), 0),
    later: new Map(later.map((file) => [file.replace(/\d*\.js$/, ''), size(file)])),
  };
}

describe('the size of', () => {
  it('pca is at most 45 kB, and a fit of dense numbers loads at most 25 kB more', async () => {
    const { first, later } = await sizes('@scree/core', 'pca');
    expect(first).toBeLessThan(45_000);
    for (const name of [
      'wasm',
      'kernels-relaxed',
      'kernels-plain',
      'learned',
      'sketch',
      'bootstrap',
      'choose',
      'coding',
    ]) {
      expect([...later.keys()], name).toContain(name);
    }
    expect((later.get('wasm') ?? 0) + (later.get('kernels-relaxed') ?? 0)).toBeLessThan(25_000);
  });

  it('applying a stored model is at most 8 kB, and loads nothing later', async () => {
    const { first, later } = await sizes('@scree/core/transform', 'loadTransform');
    expect(first).toBeLessThan(8_000);
    expect([...later.keys()]).toEqual([]);
  });
});
