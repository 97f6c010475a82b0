import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as files from '../src/index.js';
import * as platform from '../src/platform/index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const sources = readdirSync(`${root}/src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

const run = (program: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' }));

describe('@scree/files as a package', () => {
  it('exports the functions that open files, their error and their default', () => {
    expect(Object.keys(files).sort()).toEqual(['DEFAULT_MEMORY', 'FileError', 'openBlob', 'openBlobs']);
  });

  it.each([
    ['@scree/files', files],
    ['@scree/files/platform', platform],
  ])('exports the same in its built form: %s', (name, exported) => {
    expect(run(`import * as all from '${name}'; console.log(JSON.stringify(Object.keys(all).sort()))`)).toEqual(
      Object.keys(exported).sort(),
    );
  });

  it('depends on core and on what reads Parquet, and on nothing else', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['@scree/core', 'hyparquet-compressors']);
    const allowed = /^(\.{1,2}\/|@scree\/core(\/(data|engine|linalg|pipeline))?$|hyparquet(-compressors)?$)/;
    for (const name of sources) {
      const imports = readFileSync(`${root}/src/${name}`, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g);
      for (const [, specifier] of imports) expect(specifier, name).toMatch(allowed);
    }
  });

  it('throws errors that are those of core', () => {
    const program = `
      import { DataError, ScreeError } from '@scree/core';
      import { FileError, openBlob } from '@scree/files';
      const errors = await Promise.all([new Blob(['']), new Blob(['PAR1'])].map((blob) => openBlob(blob).catch((error) => error)));
      console.log(JSON.stringify([errors[0] instanceof DataError, errors[1] instanceof FileError, errors[1] instanceof ScreeError]));`;
    expect(run(program)).toEqual([true, true, true]);
  });

  it('names no Node type or module: it runs in a browser as it is', () => {
    for (const name of sources) {
      expect(readFileSync(`${root}/src/${name}`, 'utf8'), name).not.toMatch(/\b(process\.|Buffer\b|require\(|node:)/);
    }
  });
});
