/**
 * The environments of `npm run test:install`: what to install beside the packed packages, the files of a small program, and the commands
 * that must end with the line that check.js returns.
 */

import { readFileSync } from 'node:fs';

const LIGHT = readFileSync(new URL('check-light.js', import.meta.url), 'utf8');
const CORE = `import * as core from '@scree/core';
import * as transform from '@scree/core/transform';
import * as files from '@scree/files';
import { checkCore } from './check.mjs';
`;
const PROGRAM = `${CORE}checkCore(core, transform, files).then(console.log);\n`;
const SCREE = `import { writeFileSync } from 'node:fs';
import * as scree from 'scree';
import { checkScree } from './check-scree.mjs';
checkScree(scree, process.cwd(), writeFileSync).then(console.log);
`;
const REQUIRE = `const core = require('@scree/core');
const transform = require('@scree/core/transform');
const files = require('@scree/files');
import('./check.mjs').then(({ checkCore }) => checkCore(core, transform, files)).then(console.log);
`;
const REQUIRE_SCREE = `const scree = require('scree');
const { writeFileSync } = require('node:fs');
import('./check-scree.mjs').then(({ checkScree }) => checkScree(scree, process.cwd(), writeFileSync)).then(console.log);
`;
const WORKS = 'scree works';
const ON_DISK = 'scree on disk works';

/** An application whose types and not only whose code must resolve. */
const TYPED = `import { type Model, pca } from '@scree/core';
import { describeComponents } from '@scree/analysis/describe';
import { loadTransform } from '@scree/core/transform';
import { openBlob } from '@scree/files';
import { readModel } from 'scree';
export async function main(): Promise<readonly string[]> {
  const model: Model = await pca([{ a: 1, b: 2 }, { a: 3, b: 5 }], { k: 1, columnNames: ['b'] });
  const numbers: number = loadTransform(model.toBinary()).transform([1]).rows + (await model.transform([[1]])).column(0)[0];
  console.log(typeof openBlob, typeof readModel);
  return numbers > 0 ? describeComponents(model) : [];
}
`;

/** Stored vectors in Postgres with pgvector, which runs in WebAssembly: what is found there is what was measured. */
const PGVECTOR = `import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { encodeVector, loadQueryModel, reduceVectors, vectorText } from '@scree/analysis/vectors';
const [rows, cols] = [300, 24];
const data = Float32Array.from({ length: rows * cols }, (_, i) => Math.sin((i % 7) * (i % cols)) + Math.sin(Math.floor(i / cols) * (i % 5)) + 0.1 * Math.sin(i * i));
const row = (i) => data.subarray(i * cols, (i + 1) * cols);
for (const store of ['float32', 'float16', 'int8', 'bit']) {
  const reduced = await reduceVectors({ rows, cols, data }, { store, k: 8, metric: 'l2', queries: 20 });
  const model = loadQueryModel(reduced.queryModel);
  const sql = reduced.sql();
  const db = await PGlite.create({ extensions: { vector } });
  await db.exec('CREATE EXTENSION vector; CREATE TABLE items (id integer PRIMARY KEY, embedding vector(24));');
  await db.exec(sql.column);
  for (let i = 0; i < rows; i++) {
    await db.query('INSERT INTO items (id, embedding) VALUES ($1, $2)', [i, vectorText('float32', row(i))]);
    await db.query(sql.store, [i, vectorText(store, reduced.code(i), reduced.k)]);
  }
  await db.exec(sql.index);
  const ids = async (text, values) => (await db.query(text, values)).rows.map(({ id }) => id);
  const code = vectorText(store, encodeVector(model, row(5)), reduced.k);
  const embedding = vectorText('float32', row(5));
  const exact = await ids('SELECT id FROM items ORDER BY embedding <-> $1::vector(24) LIMIT 1', [embedding]);
  const found = await ids(sql.rerank, [code, embedding]);
  if ((await ids(sql.query, [code])).length !== 10 || found[0] !== exact[0]) throw new Error(store + ': ' + found);
  await db.close();
}
console.log('pgvector works');
`;

const node = (version) => ({
  name: `Node ${version}`,
  node: version,
  scree: true,
  files: { 'a.mjs': PROGRAM, 'b.cjs': REQUIRE, 'c.mjs': SCREE, 'd.cjs': REQUIRE_SCREE },
  steps: [
    ['node', 'a.mjs', WORKS],
    ['node', 'b.cjs', WORKS],
    ['node', 'c.mjs', ON_DISK],
    ['node', 'd.cjs', ON_DISK],
  ],
});

const typescript = (version) => ({
  name: `TypeScript ${version}`,
  scree: true,
  packages: [`typescript@${version}`, '@types/node@20'],
  files: { 'app.ts': TYPED, 'app.mts': TYPED, 'app.cts': TYPED },
  steps: [
    ...(version < '7'
      ? [
          [
            'npx',
            'tsc --noEmit --strict --target es2022 --module commonjs --moduleResolution node10 --types node app.ts',
            '',
          ],
        ]
      : []),
    ['npx', 'tsc --noEmit --strict --target es2022 --module nodenext --types node app.ts app.mts app.cts', ''],
    ['npx', 'tsc --noEmit --strict --target es2022 --module esnext --moduleResolution bundler --types node app.ts', ''],
  ],
});

/** Packages that scree loads if they are installed. */
const OPTIONAL = ['@duckdb/node-api', 'koffi', 'pg', 'pg-copy-streams'];

export const ENVIRONMENTS = [
  {
    name: 'scree alone',
    scree: true,
    files: { 'check-light.mjs': LIGHT },
    steps: [['node', 'check-light.mjs', 'scree works alone']],
  },
  {
    name: 'scree with optional packages',
    scree: true,
    packages: OPTIONAL,
    files: { 'd.mjs': SCREE },
    steps: [
      ['node', 'd.mjs', ON_DISK],
      ['npx', 'scree fit --sql "select range as a, range * range as b from range(9)" -q --json', '"n":9'],
      ['npx', 'scree doctor', OPTIONAL.map((each) => `${each} +\\d`).join('[^]*')],
    ],
  },
  node('20.19.0'),
  node('22'),
  node('24'),
  {
    name: 'pgvector (PGlite)',
    packages: ['@electric-sql/pglite@0.5.14', '@electric-sql/pglite-pgvector@0.0.15'],
    files: { 'a.mjs': PGVECTOR },
    steps: [['node', 'a.mjs', 'pgvector works']],
  },
  {
    name: 'Deno',
    scree: true,
    packages: ['@deno/linux-x64-glibc'],
    files: { 'a.mjs': PROGRAM, 'c.mjs': SCREE },
    steps: [
      ['node_modules/@deno/linux-x64-glibc/deno', 'run -A a.mjs', WORKS],
      ['node_modules/@deno/linux-x64-glibc/deno', 'run -A c.mjs', ON_DISK],
    ],
  },
  {
    name: 'Bun',
    scree: true,
    packages: ['@oven/bun-linux-x64'],
    files: { 'a.mjs': PROGRAM, 'c.mjs': SCREE },
    steps: [
      ['node_modules/@oven/bun-linux-x64/bin/bun', 'run a.mjs', WORKS],
      ['node_modules/@oven/bun-linux-x64/bin/bun', 'run c.mjs', ON_DISK],
    ],
  },
  typescript('5.4'),
  typescript('5.9'),
  typescript('7'),
  {
    name: 'Jest (CommonJS)',
    scree: true,
    packages: ['jest'],
    files: {
      'scree.test.js': `const { writeFileSync } = require('node:fs');
const { checkCore } = require('./check.cjs');
const { checkScree } = require('./check-scree.cjs');
test('core', async () => {
  expect(await checkCore(require('@scree/core'), require('@scree/core/transform'), require('@scree/files'))).toContain('works');
});
test('scree', async () => {
  expect(await checkScree(require('scree'), __dirname, writeFileSync)).toContain('works');
});
`,
    },
    steps: [['npx', 'jest', 'Tests: +2 passed']],
  },
  {
    name: 'Vitest',
    scree: true,
    packages: ['vitest'],
    files: {
      'scree.test.mjs': `${CORE}import { expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { checkScree } from './check-scree.mjs';
import * as scree from 'scree';
test('core', async () => { expect(await checkCore(core, transform, files)).toContain('works'); });
test('scree', async () => { expect(await checkScree(scree, process.cwd(), writeFileSync)).toContain('works'); });
`,
    },
    steps: [['npx', 'vitest run', '2 passed']],
  },
  {
    name: 'esbuild',
    scree: true,
    packages: ['esbuild'],
    files: { 'a.mjs': PROGRAM, 'c.mjs': SCREE },
    steps: [
      [
        'npx',
        'esbuild a.mjs --bundle --splitting --format=esm --platform=browser --outdir=page --out-extension:.js=.mjs',
        '',
      ],
      ['node', 'page/a.mjs', WORKS],
      ['npx', 'esbuild a.mjs --bundle --format=cjs --platform=node --outfile=a.cjs', ''],
      ['node', 'a.cjs', WORKS],
      [
        'npx',
        'esbuild c.mjs --bundle --format=esm --platform=node --packages=bundle --outfile=server/c.mjs --banner:js="import{createRequire as requireFrom}from\'module\';const require=requireFrom(import.meta.url);"',
        '',
      ],
      ['node', 'server/c.mjs', ON_DISK],
      ['npx', 'esbuild c.mjs --bundle --format=cjs --platform=node --outfile=server/c.cjs', ''],
      ['node', 'server/c.cjs', ON_DISK],
    ],
  },
  {
    name: 'Vite',
    packages: ['vite'],
    files: {
      'a.mjs': PROGRAM,
      'vite.config.mjs':
        "export default { build: { target: 'esnext', modulePreload: false, rollupOptions: { input: 'a.mjs', output: { entryFileNames: 'a.mjs' } } } };\n",
    },
    steps: [
      ['npx', 'vite build', ''],
      ['node', 'dist/a.mjs', WORKS],
    ],
  },
  {
    name: 'Rollup',
    packages: ['rollup', '@rollup/plugin-node-resolve'],
    files: {
      'a.mjs': PROGRAM,
      'rollup.config.mjs':
        "import resolve from '@rollup/plugin-node-resolve';\nexport default { input: 'a.mjs', plugins: [resolve()], output: { dir: 'out', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' } };\n",
    },
    steps: [
      ['npx', 'rollup -c', ''],
      ['node', 'out/a.mjs', WORKS],
    ],
  },
  {
    name: 'webpack',
    packages: ['webpack', 'webpack-cli'],
    files: {
      'a.mjs': PROGRAM,
      'webpack.config.cjs':
        "module.exports = { mode: 'production', entry: './a.mjs', target: 'node', output: { filename: 'a.cjs', chunkFilename: '[id].cjs' } };\n",
    },
    steps: [
      ['npx', 'webpack', ''],
      ['node', 'dist/a.cjs', WORKS],
    ],
  },
  {
    name: 'Parcel',
    packages: ['parcel'],
    // Parcel reads package exports, which @scree/core/transform needs, where it is told to.
    manifest: {
      source: 'a.mjs',
      targets: { app: { distDir: 'out', context: 'node', outputFormat: 'esmodule', includeNodeModules: true } },
      '@parcel/resolver-default': { packageExports: true },
    },
    files: { 'a.mjs': PROGRAM, 'out/package.json': '{ "type": "module" }' },
    steps: [
      ['npx', 'parcel build --no-cache --no-source-maps', ''],
      ['node', 'out/a.js', WORKS],
    ],
  },
  {
    name: 'Parcel (main and module fields)',
    packages: ['parcel'],
    manifest: {
      source: 'a.mjs',
      targets: { app: { distDir: 'out', context: 'node', outputFormat: 'esmodule', includeNodeModules: true } },
    },
    files: {
      'a.mjs': `import { pca } from '@scree/core';\npca([[1, 2], [3, 5], [4, 4]], { k: 1 }).then((model) => console.log('scree works', model.plan.engine));\n`,
      'out/package.json': '{ "type": "module" }',
    },
    steps: [
      ['npx', 'parcel build --no-cache --no-source-maps', ''],
      ['node', 'out/a.js', WORKS],
    ],
  },
  {
    name: 'Next.js (server, edge, client)',
    packages: ['next', 'react', 'react-dom'],
    files: {
      'app/layout.js':
        'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }\n',
      'app/page.js': `'use client';
import { useEffect, useState } from 'react';
export default function Page() {
  const [text, setText] = useState('…');
  useEffect(() => { pca([[1, 2], [3, 5], [4, 4]], { k: 1 }).then((model) => setText(model.plan.reason)); }, []);
  return <p>{text}</p>;
}
`,
      'app/server/route.js': `${CORE.replace('./check.mjs', '../../check.mjs')}
export const dynamic = 'force-dynamic';
export async function GET() { return new Response(await checkCore(core, transform, files)); }
`,
      'app/edge/route.js': `${CORE.replace('./check.mjs', '../../check.mjs')}
export const runtime = 'edge';
export const dynamic = 'force-dynamic';
export async function GET() {
  try { return new Response(await checkCore(core, transform, files)); } catch (error) { return new Response(String(error.stack), { status: 500 }); }
}
`,
    },
    steps: [['npx', 'next build', '/edge']],
    serve: { command: ['npx', 'next start -p PORT'], ready: 'Ready', get: ['/server', '/edge'], wanted: WORKS },
  },
  {
    name: 'Cloudflare Workers (miniflare)',
    packages: ['miniflare', 'esbuild'],
    files: {
      'worker.mjs': `${CORE}
export default { async fetch() { return new Response(await checkCore(core, transform, files)); } };
`,
      'run.mjs': `import { Miniflare } from 'miniflare';
const worker = new Miniflare({ modules: true, scriptPath: 'out/worker.mjs', compatibilityDate: '2025-01-01' });
try { console.log(await (await worker.dispatchFetch('http://localhost/')).text()); } finally { await worker.dispose(); }
`,
    },
    steps: [
      [
        'npx',
        'esbuild worker.mjs --bundle --format=esm --conditions=workerd,worker,browser --outfile=out/worker.mjs',
        '',
      ],
      ['node', 'run.mjs', WORKS],
    ],
  },
];
