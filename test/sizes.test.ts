/// <reference types="node" />
/** What a page loads, minified and gzipped, before and during its first fit: built with Rolldown, as Vite builds pages, and with esbuild. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type OutputChunk, rolldown } from 'rolldown';
import { build as viteBuild } from 'vite';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The code of the files that a program loads, those that it loads at once and those later, by their names. */
interface Built {
  readonly first: readonly string[];
  readonly later: ReadonlyMap<string, string>;
}

const programOf = (source: string, name: string): string =>
  `import { ${name} } from '${source}'; console.log(${name});`;

async function withRolldown(source: string, name: string): Promise<Built> {
  const bundle = await rolldown({
    input: 'program',
    cwd: root,
    platform: 'browser',
    logLevel: 'silent',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? '\0program' : undefined),
        load: (id) => (id === '\0program' ? programOf(source, name) : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, chunkFileNames: '[name].js' });
  await bundle.close();
  const chunks = output as OutputChunk[];
  return split(
    new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName),
    (file) => chunks.find(({ fileName }) => fileName === file)?.imports ?? [],
  );
}

async function withEsbuild(source: string, name: string): Promise<Built> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: programOf(source, name), resolveDir: root },
    ...{ bundle: true, minify: true, splitting: true, write: false, metafile: true, outdir: 'out' },
    ...{ format: 'esm', platform: 'browser', logLevel: 'silent', absWorkingDir: root },
  });
  const imports = (file: string): string[] =>
    metafile.outputs[`out/${file}`].imports
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => basename(path));
  return split(new Map(outputFiles.map(({ path, text }) => [basename(path), text])), ['stdin.js'], imports);
}

function split(code: Map<string, string>, entries: string[], imports: (file: string) => readonly string[]): Built {
  const first = new Set(entries);
  for (const file of first) for (const next of imports(file)) first.add(next);
  const later = [...code].filter(([file]) => !first.has(file));
  return {
    first: [...first].map((file) => code.get(file) as string),
    later: new Map(later.map(([file, text]) => [file.replace(/\d*\.js$/, ''), text])),
  };
}

const size = (code: string | undefined): number => gzipSync(code ?? '', { level: 9 }).length;
const sum = (codes: readonly string[]): number => codes.reduce((bytes, code) => bytes + size(code), 0);

/** The bytes that the worker of a page loads before its first fit. */
async function workerOfVite(format: 'es' | 'iife'): Promise<number> {
  const folder = mkdtempSync(join(root, 'test/.vite-'));
  try {
    writeFileSync(
      join(folder, 'worker.js'),
      "import { pca } from '@scree/core'; onmessage = ({ data }) => pca(data).then(postMessage);",
    );
    writeFileSync(join(folder, 'main.js'), "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });");
    const built = await viteBuild({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      worker: { format },
      build: { write: false, minify: true, rolldownOptions: { input: join(folder, 'main.js') } },
    });
    const files = new Map(
      (Array.isArray(built) ? built : [built]).flatMap((each) =>
        'output' in each
          ? each.output.map((file): [string, string] => [
              basename(file.fileName),
              file.type === 'chunk' ? file.code : String(file.source),
            ])
          : [],
      ),
    );
    const first = new Set([...files.keys()].filter((name) => name.startsWith('worker-')));
    for (const name of first) {
      for (const [, next] of (files.get(name) ?? '').matchAll(/(?:from|import)"\.\/([^"]+)"/g)) first.add(next);
    }
    expect(first.size).toBeGreaterThan(0);
    return sum([...first].map((name) => files.get(name) as string));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the size of', () => {
  it('pca is at most 40.8 kB, and a fit of dense numbers loads at most 25 kB more', async () => {
    const { first, later } = await withRolldown('@scree/core', 'pca');
    expect(sum(first)).toBeLessThan(40_800);
    for (const name of ['wasm', 'kernels-relaxed', 'kernels-plain', 'learned', 'sketch', 'encoding']) {
      expect([...later.keys()], name).toContain(name);
    }
    expect(size(later.get('wasm')) + size(later.get('kernels-relaxed'))).toBeLessThan(25_000);
  });

  it('pca is at most 47 kB with esbuild, which keeps what any file that is loaded later needs', async () => {
    const { first, later } = await withEsbuild('@scree/core', 'pca');
    expect(sum(first)).toBeLessThan(47_000);
    expect(later.size).toBeGreaterThan(8);
  });

  it('encoding a query is at most 4 kB, and loads nothing later', async () => {
    for (const built of [withRolldown, withEsbuild]) {
      const { first, later } = await built('@scree/analysis/encode-vector', 'encodeVector, loadQueryModel, vectorText');
      expect(sum(first)).toBeLessThan(4000);
      expect([...later.keys()]).toEqual([]);
    }
  });

  it('analyze is at most 147 kB with the pca that it contains, and asks criteria and the bootstrap later', async () => {
    for (const [built, most] of [
      [withRolldown, 147_000],
      [withEsbuild, 163_000],
    ] as const) {
      const { first, later } = await built('@scree/analysis', 'analyze');
      expect(sum(first)).toBeLessThan(most);
      expect(later.size).toBeGreaterThan(8);
    }
  });

  it('applying a stored model, to rows with missing values too, is at most 12 kB, and loads nothing later', async () => {
    for (const built of [withRolldown, withEsbuild]) {
      const { first, later } = await built('@scree/core/transform', 'loadTransform');
      expect(sum(first)).toBeLessThan(12_000);
      expect([...later.keys()]).toEqual([]);
    }
  });

  it('the class of errors is at most 1.2 kB, and loads nothing else', async () => {
    expect(sum((await withRolldown('@scree/core', 'ScreeError')).first)).toBeLessThan(1_200);
    expect(sum((await withEsbuild('@scree/core/transform', 'ScreeError')).first)).toBeLessThan(1_200);
  });

  it('toOnnx is at most 12.5 kB, and modelFrom at most 42 kB', async () => {
    expect(sum((await withRolldown('@scree/core/exchange', 'toOnnx')).first)).toBeLessThan(12_500);
    expect(sum((await withRolldown('@scree/core/exchange', 'modelFrom')).first)).toBeLessThan(42_000);
  });

  it("a worker that Vite builds is at most 41 kB with worker.format 'es', and has all solvers in one file by default", async () => {
    const [modules, single] = [await workerOfVite('es'), await workerOfVite('iife')];
    expect(modules).toBeLessThan(41_000);
    expect(single).toBeGreaterThan(100_000);
    expect(single).toBeLessThan(175_000);
  });
});
