/// <reference types="node" />
/** Who may import whom. Type-only imports count: a reader follows them too. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Import {
  readonly from: string;
  readonly to: string;
}

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * Folders and files at the top of core, lowest first: each imports itself and those before it, at once or later. Those in one list are
 * one layer. A folder in a folder is a layer of its own.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['base', 'errors.ts', 'warning.ts'],
  ['linalg'],
  ['data/blocks'],
  ['data/statistics'],
  ['data/storage'],
  ['data/inputs'],
  ['table'],
  ['data/encoding'],
  ['data'],
  ['engines'],
  ['solvers'],
  ['model'],
  ['options.ts', 'plan.ts'],
  ['fit'],
  ['missing'],
  ['pca.ts'],
  ['pca-sync.ts'],
  ['stream.ts'],
  ['learn'],
  ['transform.ts', 'exchange'],
  ['pipeline.ts'],
  ['index.ts'],
];
/** Packages that the sources of a package import, besides libraries. */
const DEPENDENCIES: Record<string, readonly string[]> = {
  core: [],
  analysis: ['@scree/core'],
  files: ['@scree/core'],
  scree: ['@scree/core', '@scree/analysis', '@scree/files'],
  lab: ['@scree/core', '@scree/analysis', '@scree/files'],
};

const core = importsOf('core').filter(({ to }) => to.startsWith('.'));
const within = core.map(({ from, to }) => ({
  from,
  to: normalize(join(dirname(from), to)).replace(/\.js$/, '.ts'),
}));

describe('the sources of core', () => {
  it('are in a known layer, and every layer has sources', () => {
    const sources = sourcesOf('core');
    expect(sources.filter((path) => layerOf(path) < 0)).toEqual([]);
    const known = LAYERS.flat();
    expect(known.filter((name) => !sources.some((path) => isIn(path, name)))).toEqual([]);
  });

  it('import their own layer and those below it', () => {
    expect(within.filter(({ from, to }) => layerOf(to) < 0 || layerOf(to) > layerOf(from)).map(shown)).toEqual([]);
  });

  it('name what they import later, so that these checks see it', () => {
    const hidden = sourcesOf('core').filter((path) => /\bimport\((?!\s*')/.test(read('core', path)));
    expect(hidden).toEqual([]);
  });

  it('have no import cycles', () => {
    expect(cyclesOf(within)).toEqual([]);
  });
});

describe.each(Object.keys(DEPENDENCIES))('the sources of %s', (name) => {
  const own = `${packages}/${name}/src`;

  it('import other packages of scree by name, and only those they may', () => {
    const others = importsOf(name).filter(({ to }) => /^(@scree\/|scree(\/|$))/.test(to));
    const allowed = DEPENDENCIES[name];
    expect(
      others.filter(({ to }) => !allowed.some((each) => to === each || to.startsWith(`${each}/`))).map(shown),
    ).toEqual([]);
  });

  it('reach no other package by a path', () => {
    const paths = importsOf(name).filter(({ to }) => to.startsWith('.'));
    const outside = paths.filter(({ from, to }) => {
      const target = relative(own, join(own, dirname(from), to));
      return /^\.\.[\\/]\.\.[\\/](core|analysis|files|scree|lab)[\\/]/.test(target);
    });
    expect(outside.map(shown)).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const text = readFileSync(join(packages, '../docs/architecture.md'), 'utf8');
    const named = new Set(Array.from(text.matchAll(/(?<![\w./-])[\w/-]+\.tsx?\b/g), ([path]) => path));
    const sources = Object.keys(DEPENDENCIES).flatMap((name) =>
      sourcesOf(name).map((path) => `/packages/${name}/src/${path.replaceAll('\\', '/')}`),
    );
    const tests = readdirSync(join(packages, '../test')).map((path) => `/test/${path}`);
    const unknown = [...named].filter(
      (path) => ![...sources, ...tests].some((source) => source.endsWith(`/${path.replace(/^core\/src/, 'src')}`)),
    );
    expect(unknown).toEqual([]);
    expect(named.size).toBeGreaterThan(30);
  });
});

/** The number of the layer that a file belongs to: that of the innermost folder in the list, or -1. */
function layerOf(path: string): number {
  const innermost = LAYERS.flat().reduce(
    (best, name) => (isIn(path, name) && name.length > best.length ? name : best),
    '',
  );
  return LAYERS.findIndex((names) => names.includes(innermost));
}

/** Returns true if a path is a file, or lies in a folder. */
function isIn(path: string, name: string): boolean {
  return `${path.replaceAll('\\', '/')}/`.startsWith(`${name}/`);
}

function shown({ from, to }: Import): string {
  return `${from} imports ${to}`;
}

function sourcesOf(name: string): string[] {
  return readdirSync(`${packages}/${name}/src`, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(tsx?|js)$/.test(path),
  );
}

function read(name: string, path: string): string {
  return readFileSync(`${packages}/${name}/src/${path}`, 'utf8');
}

/** Every import of a package's sources, static or dynamic, as it is written. */
function importsOf(name: string): Import[] {
  return sourcesOf(name).flatMap((from) => {
    const found = read(name, from).matchAll(/^(?:import|export)\b[^'"`;=]*'([^']+)';|\bimport\(\s*'([^']+)',?\s*\)/gm);
    return Array.from(found, ([, fixed, lazy]) => ({ from, to: fixed ?? lazy }));
  });
}

/** A cycle for every import that closes one, as a list of files. */
function cyclesOf(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    for (const to of targets.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const { from } of imports) visit(from, []);
  return cycles;
}
