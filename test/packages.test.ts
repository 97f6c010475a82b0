/// <reference types="node" />
/** What the published packages contain, as `npm pack` would write them. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, it } from 'vitest';
import { absoluteLinks, repositoryPage, withLinks } from '../build/readme.js';
import { type ReleaseManifest, releaseProblems } from '../build/release-problems.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

const known = new Map<string, string[]>();

/** Files that `npm pack` puts into a package. */
function packed(folder: string): string[] {
  const before = known.get(folder);
  if (before) return before;
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: `${root}packages/${folder}`,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const result = JSON.parse(printed) as Record<string, { files: { path: string }[] }>;
  const files = Object.values(result)[0].files.map(({ path }) => path);
  known.set(folder, files);
  return files;
}

/** Every path that is written in a manifest: entries, types and commands. */
function paths(value: unknown): string[] {
  if (typeof value === 'string')
    return value.startsWith('./') || value.startsWith('bin/') ? [posix.normalize(value)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(paths) : [];
}

/** Files that scripts and declarations import, and those that they import. */
function reached(folder: string, entries: readonly string[]): Set<string> {
  const found = new Set(entries);
  const shipped = new Set(packed(folder));
  for (const file of found) {
    // Comments of third-party code name files of its own.
    if (!/\.(js|d\.ts)$/.test(file) || !shipped.has(file)) continue;
    const text = read(`packages/${folder}/${file}`);
    for (const [, path] of text.matchAll(/(?:from|import|import\(|require\(|URL\()\s*["'`](\.[^"'`]+\.js)["'`]/g)) {
      const target = file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path;
      found.add(posix.normalize(posix.join(posix.dirname(file), target)));
    }
  }
  return found;
}

/** Packages whose modules a bundle names in its comments. */
function bundledInto(folder: string): string[] {
  const scripts = packed(folder).filter((path) => /^dist\/(bin|bundle|cjs)\/.*\.js$/.test(path));
  const names = scripts.flatMap((path) => {
    const comments = read(`packages/${folder}/${path}`).matchAll(
      /^\s*\/\/.*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm,
    );
    return Array.from(comments, ([, name]) => name);
  });
  return [...new Set(names)].sort();
}

describe.each(['core', 'analysis', 'files', 'scree'])('the package in packages/%s', (folder) => {
  const manifest = JSON.parse(read(`packages/${folder}/package.json`));
  const files = packed(folder);

  it('has the fields that a registry and every resolver need', () => {
    expect(manifest.keywords.length).toBeGreaterThan(5);
    expect(manifest.publishConfig).toEqual({ access: 'public' });
    for (const field of ['main', 'module', 'types']) expect(files, field).toContain(posix.normalize(manifest[field]));
    // TypeScript's node10 knows subpaths only from here.
    const subpaths = Object.keys(manifest.exports).filter((path) => !['.', './package.json'].includes(path));
    expect(Object.keys(manifest.typesVersions['*']).sort()).toEqual(subpaths.map((path) => path.slice(2)).sort());
    for (const path of paths([manifest.exports, manifest.bin, manifest.typesVersions])) {
      if (path !== 'package.json') expect(files).toContain(path);
    }
  });

  it('contains its licence, its README and the notices of code that it bundles', () => {
    for (const name of ['LICENSE', 'README.md']) expect(files).toContain(name);
    expect(read(`packages/${folder}/LICENSE`)).toBe(read('LICENSE'));
    const bundled = bundledInto(folder);
    if (bundled.length === 0 && !files.includes('THIRD-PARTY-NOTICES')) return;
    const notices = read(`packages/${folder}/THIRD-PARTY-NOTICES`);
    for (const name of bundled) expect(notices, name).toContain(`\n- ${name} `);
  });

  it('contains nothing that its entries do not reach', () => {
    const entries = [...paths([manifest.exports, manifest.bin]), 'dist/bin/scree.js'];
    const used = reached(
      folder,
      entries.filter((path) => files.includes(path)),
    );
    const page =
      /^(dist\/lab-server\/page\/|dist\/cjs\/package\.json$|README\.md$|LICENSE$|THIRD-PARTY-NOTICES$|package\.json$)/;
    expect(files.filter((path) => !used.has(path) && !page.test(path))).toEqual([]);
  });

  it('has declarations that compile with its dependencies alone, and with TypeScript 5, which has no types of WebGPU', () => {
    const known = ['node:', ...Object.keys(manifest.dependencies ?? {})];
    for (const file of files.filter((path) => path.endsWith('.d.ts'))) {
      const text = read(`packages/${folder}/${file}`).replace(/\/\*[\s\S]*?\*\//g, '');
      const imports = Array.from(text.matchAll(/(?:from |import\()['"]([^.'"][^'"]*)/g), ([, name]) => name);
      expect(imports.filter((name) => !known.some((each) => name.startsWith(each)))).toEqual([]);
      expect(text, file).not.toMatch(/\bGPU\w*\b/);
    }
  });

  it('is clean for publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: `${root}packages/${folder}`, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

describe('third-party code', () => {
  it('is bundled if it draws figures, and in CommonJS builds if it is published as ES modules only', () => {
    expect(bundledInto('core')).toEqual([]);
    expect(bundledInto('files')).toContain('hyparquet-compressors');
    for (const name of ['@observablehq/plot', 'linkedom', 'hyparquet-writer'])
      expect(bundledInto('scree')).toContain(name);
  });

  it('of the page of the lab has its notices beside the page, with the licence texts that it was installed with', () => {
    const notices = read('packages/scree/dist/lab-server/page/THIRD-PARTY-NOTICES.txt');
    const { devDependencies } = JSON.parse(read('packages/lab/package.json'));
    const inPage = Object.keys(devDependencies).filter((name) => /plot|preact/.test(name));
    expect(inPage).toHaveLength(3);
    for (const name of [...inPage, 'd3-scale', 'd3-array', 'isoformat']) {
      const licence = readdirSync(`${root}node_modules/${name}`).find((file) => /^licen/i.test(file));
      expect(notices, name).toContain(read(`node_modules/${name}/${licence}`).trim());
    }
    for (const data of ['Iris', 'US arrests', 'Penguins', 'Wine', 'MNIST digits'])
      expect(notices).toContain(`\n${data}`);
  });
});

describe('a README in a package', () => {
  const text =
    'See [the docs](../../docs/library.md#rows), ![a picture](../../docs/a.svg) and [npm](https://www.npmjs.com/).';

  it('has absolute links where the manifest names a repository', () => {
    const page = repositoryPage({ repository: { url: 'git+https://example.org/o/scree.git' } });
    expect(absoluteLinks(text, 'packages/core', page)).toBe(
      'See [the docs](https://example.org/o/scree/blob/main/docs/library.md#rows), ![a picture](https://example.org/o/scree/raw/main/docs/a.svg) and [npm](https://www.npmjs.com/).',
    );
  });

  it('has no links that lead nowhere where it names none', () => {
    expect(absoluteLinks(text, 'packages/core', repositoryPage({}))).toBe(
      'See the docs,  and [npm](https://www.npmjs.com/).',
    );
  });
});

describe('the manifest of a packed package', () => {
  it('has homepage and bugs on the page of its repository, unless it names others', () => {
    const manifest = { name: '@scree/core', repository: { url: 'git+https://example.org/o/scree.git' } };
    expect(withLinks(manifest, 'packages/core')).toEqual({
      ...manifest,
      homepage: 'https://example.org/o/scree/tree/main/packages/core#readme',
      bugs: { url: 'https://example.org/o/scree/issues' },
    });
    const own = { ...manifest, homepage: 'https://example.org/docs' };
    expect(withLinks(own, 'packages/core').homepage).toBe('https://example.org/docs');
    expect(withLinks({ name: 'a' }, 'packages/core')).toEqual({ name: 'a' });
  });
});

describe('a release', () => {
  const ready: ReleaseManifest[] = ['@scree/core', 'scree'].map((name) => ({
    name,
    version: '1.2.3',
    author: 'A. Publisher',
    repository: { url: 'https://example.org/o/scree.git' },
    ...(name === 'scree' ? { dependencies: { '@scree/core': '1.2.3', pg: '^8.0.0' } } : {}),
  }));
  const changes = '# Changes\n\n## 1.2.3\n';

  it('is refused without author, repository or a section of the changelog, and where versions differ', () => {
    expect(releaseProblems(ready, changes)).toEqual([]);
    const { author, repository, ...bare } = ready[0];
    expect([author, repository]).not.toContain(undefined);
    expect(releaseProblems([bare], changes)).toEqual([
      expect.stringContaining('@scree/core names no author'),
      expect.stringContaining('@scree/core names no repository'),
    ]);
    expect(releaseProblems(ready, '# Changes\n')).toEqual(['CHANGELOG.md has no section ## 1.2.3.']);
    expect(releaseProblems([{ ...ready[0], version: '1.3.0-next' }], '\n## 1.3.0-next')).toEqual([
      expect.stringContaining('1.3.0-next is the version of what is not released'),
    ]);
    expect(releaseProblems([{ ...ready[0], version: '1.3.0' }, ready[1]], '\n## 1.3.0')).toEqual([
      'scree has version 1.2.3, but @scree/core has 1.3.0.',
      'scree depends on @scree/core 1.2.3, not 1.3.0.',
    ]);
  });
});

describe('require()', () => {
  const run = (program: string): string =>
    execFileSync(process.execPath, ['--input-type=commonjs', '-e', program], { cwd: root, encoding: 'utf8' }).trim();

  it.each(['@scree/core', '@scree/core/transform', '@scree/files', 'scree'])(
    'gives the same modules as import, so that there is one copy of each class: %s',
    (name) => {
      const program = `const a = require('${name}'); import('${name}').then((b) => console.log(a === b || Object.keys(b).every((each) => a[each] === b[each])));`;
      expect(run(program)).toBe('true');
    },
  );

  it('of the CommonJS build, which tools load that know nothing else, fits a file', () => {
    const program = `const { pca } = require('./packages/core/dist/cjs/index.js');
      const { openBlob } = require('./packages/files/dist/cjs/index.js');
      openBlob(new Blob(['a,b\\n1,2\\n3,5\\n4,4\\n'])).then(async ({ source }) => console.log((await pca(source, { k: 1 })).n));`;
    expect(run(program)).toBe('3');
  });
});

describe('the citation', () => {
  it('is of the version that the packages have', () => {
    const { version } = JSON.parse(read('packages/core/package.json'));
    expect(read('CITATION.cff')).toContain(`\nversion: ${version}\n`);
  });
});
