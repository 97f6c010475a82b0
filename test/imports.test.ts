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

/** Folders of core, lowest first: a folder imports itself and those before it. */
const LAYERS = ['linalg', 'data', 'engines', 'solvers', 'model', 'pipeline'];
/** Files at the top of core that everything may import. They import only each other. */
const BASE = [
  'errors.ts',
  'error-with-details.ts',
  'warning.ts',
  'limits.ts',
  'progress.ts',
  'keep-alive.ts',
  'control.ts',
  'event-loop.ts',
  'builtin-module.ts',
  'built-in-name.ts',
  'nearest-name.ts',
];
/** Files at the top of core that are the pipeline of a fit, the uppermost layer. */
const PIPELINE = [
  'options.ts',
  'suggest-option.ts',
  'plan.ts',
  'moments.ts',
  'reading.ts',
  'problem.ts',
  'code-columns.ts',
  'fit.ts',
  'fit-small.ts',
  'admission.ts',
  'choose-engine.ts',
  'moments-options.ts',
  'too-large.ts',
  'pca.ts',
];
/** Files at the top of core that use the folders and the pipeline; nothing imports them but each other. */
const ENTRIES = ['index.ts', 'transform.ts', 'learn.ts', 'pca-sync.ts', 'pipeline.ts', 'stream.ts', 'descend.ts'];
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
  it('are in a known folder, or are base or entry files', () => {
    const tops = new Set(sourcesOf('core').map(topOf));
    const folders = LAYERS.filter((layer) => layer !== 'pipeline');
    expect([...tops].sort()).toEqual([...folders, ...BASE, ...PIPELINE, ...ENTRIES].sort());
  });

  it('import their own layer and those below it, and the base files', () => {
    const allowed = ({ from, to }: Import): boolean => {
      const [importer, imported] = [topOf(from), topOf(to)];
      if (ENTRIES.includes(importer) || BASE.includes(imported)) return true;
      const level = (top: string): number => LAYERS.indexOf(PIPELINE.includes(top) ? 'pipeline' : top);
      return level(imported) >= 0 && level(imported) <= level(importer);
    };
    expect(within.filter((each) => !allowed(each)).map(shown)).toEqual([]);
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

/** The folder at the top of src, or the file that lies there. */
function topOf(path: string): string {
  return path.split(/[\\/]/)[0];
}

function shown({ from, to }: Import): string {
  return `${from} imports ${to}`;
}

function sourcesOf(name: string): string[] {
  return readdirSync(`${packages}/${name}/src`, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(ts|js|svelte|vue)$/.test(path),
  );
}

/** Every import of a package's sources, static or dynamic, as it is written. */
function importsOf(name: string): Import[] {
  return sourcesOf(name).flatMap((from) => {
    const text = readFileSync(`${packages}/${name}/src/${from}`, 'utf8');
    const found = text.matchAll(/^(?:import|export)\b[^'"`;=]*'([^']+)';|\bimport\('([^']+)'\)/gm);
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
