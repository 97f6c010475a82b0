import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as core from '../src/index.js';
import * as learn from '../src/learn/index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

const sources = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) =>
    statSync(`${folder}/${name}`).isDirectory() ? sources(`${folder}/${name}`) : [`${folder}/${name}`],
  );

describe('@scree/core as a package', () => {
  it('has no runtime dependency of any kind', () => {
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(manifest[kind]).toBeUndefined();
    for (const file of sources(`${root}/src`)) {
      const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s+'([^']+)'/g);
      for (const [, specifier] of imports) expect(specifier, file).toMatch(/^\.{1,2}\//);
    }
  });

  it('exports exactly what its index says, and nothing else can be imported', () => {
    expect(Object.keys(core).sort()).toEqual([
      'ConvergenceError',
      'DataError',
      'EngineError',
      'Model',
      'ModelError',
      'Moments',
      'OptionError',
      'RowMatrix',
      'SOLVERS',
      'ScreeError',
      'Stream',
      'loadModel',
      'makePlan',
      'pca',
      'referenceEngine',
      'stream',
      'toRows',
      'wasmEngine',
    ]);
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      './engine',
      './sync',
      './learn',
      './names',
      './transform',
      './exchange',
      './data',
      './linalg',
      './pipeline',
      './package.json',
    ]);
  });

  it('exports for learning exactly the rules, their terms and the linear algebra of a page that animates them', () => {
    expect(Object.keys(learn).sort()).toEqual([
      'autoencoderTerms',
      'averageTerms',
      'combineRows',
      'descend',
      'eigenOf',
      'neighbourForces',
      'orthonormalRows',
      'random',
      'rotatedOnto',
      'rowProducts',
      'scatterOf',
    ]);
  });

  it.each([
    ['@scree/core', core],
    ['@scree/core/learn', learn],
  ])('is imported in its built form by a plain Node program, and exports the same there: %s', (name, exported) => {
    const program = `import * as all from '${name}'; console.log(JSON.stringify(Object.keys(all).sort()))`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual(Object.keys(exported).sort());
  });

  it('keeps what only @scree/core/learn needs, and the WebGPU engine, out of the bundle of @scree/core', () => {
    const loaded = (file: string, seen = new Map<string, string>()): Map<string, string> => {
      if (seen.has(file)) return seen;
      seen.set(file, readFileSync(`${root}/dist/bundle/${file}`, 'utf8'));
      for (const [, next] of seen.get(file)?.matchAll(/^(?:import|export)\b.* from "\.\/([^"]+)";$/gm) ?? [])
        loaded(next, seen);
      return seen;
    };
    const defines = (entry: string): string[] =>
      ['descend', 'autoencoderTerms', 'neighbourForces', 'pca', 'openWebGpu'].filter((name) =>
        [...loaded(entry).values()].some((text) => text.includes(`function ${name}(`)),
      );
    expect(defines('index.js')).toEqual(['pca']);
    expect(defines('learn.js')).toEqual(['descend', 'autoencoderTerms', 'neighbourForces', 'pca']);
  });

  it('names no Node type or module: it runs in a browser as it is', () => {
    for (const file of sources(`${root}/src`)) {
      const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '');
      expect(code, file).not.toMatch(/\b(process\.|Buffer\b|require\(|node:)/);
    }
  });
});
