/// <reference types="node" />
/** Editors show the comment above a declaration: every name that a package exports has one. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../packages/', import.meta.url));

interface Exported {
  readonly name: string;
  readonly file: string;
}

/** The names that a declaration file exports, each with the file that declares it. */
function exportsOf(file: string): Exported[] {
  const text = readFileSync(file, 'utf8');
  const target = (path: string): string => join(dirname(file), path.replace(/\.js$/, '.d.ts'));
  const found: Exported[] = [];
  for (const [, path] of text.matchAll(/^export \* from '(\.[^']+)';/gm)) found.push(...exportsOf(target(path)));
  const imported = new Map<string, Exported>();
  for (const [, list, path] of text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)';/gm)) {
    for (const [name, local] of namesIn(list)) imported.set(local, { name, file: target(path) });
  }
  for (const [, list, path] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '(\.[^']+)')?;/gm)) {
    for (const [name] of namesIn(list)) {
      const from = path ? { name, file: target(path) } : (imported.get(name) ?? { name, file });
      found.push(resolve(from));
    }
  }
  for (const [, name] of text.matchAll(declaration('(\\w+)'))) found.push({ name, file });
  return found;
}

/** The file that declares a name, through files that pass it on. */
function resolve({ name, file }: Exported): Exported {
  if (!existsSync(file) || declaration(name).test(readFileSync(file, 'utf8'))) return { name, file };
  return exportsOf(file).find((each) => each.name === name) ?? { name, file };
}

function declaration(name: string): RegExp {
  return new RegExp(
    `^export (?:declare )?(?:abstract )?(?:async )?(?:function|class|interface|type|const|enum) ${name}\\b`,
    'gm',
  );
}

function namesIn(list: string): [string, string][] {
  return list
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [name, local = name] = each.split(' as ');
      return [name, local];
    });
}

/** Returns true if a comment ends right above the declaration. */
function hasComment({ name, file }: Exported): boolean {
  const text = readFileSync(file, 'utf8');
  const at = text.search(declaration(name));
  return at >= 0 && text.slice(0, at).trimEnd().endsWith('*/');
}

describe.each([
  [
    'core',
    ['index', 'engines/index', 'data/index', 'linalg/index', 'pipeline', 'learn/index', 'transform', 'solvers/names'],
  ],
  ['analysis', ['index', 'describe/index']],
  ['files', ['index']],
  ['scree', ['index', 'png']],
])('every name that %s exports', (name, entries) => {
  it.each(entries)('has hover text: %s', (entry) => {
    const all = exportsOf(`${packages}${name}/dist/types/${entry}.d.ts`);
    expect(all.length).toBeGreaterThan(0);
    const bare = all.filter((each) => !hasComment(each)).map((each) => each.name);
    expect([...new Set(bare)].sort()).toEqual([]);
  });
});

describe('the hover text', () => {
  const declarations = (path: string): string => readFileSync(`${packages}${path}`, 'utf8');
  /** The comment right above the place where a text begins. */
  const commentAbove = (text: string, start: string): string => {
    const above = text.slice(0, text.indexOf(start)).trimEnd();
    return above.endsWith('*/') ? above.slice(above.lastIndexOf('/**')) : '';
  };

  it.each([
    ['pca', 'core/dist/types/pca.d.ts', 'export declare function pca<'],
    ['analyze', 'analysis/dist/types/analyze.d.ts', 'export declare function analyze('],
    ['Model', 'core/dist/types/model/model.d.ts', 'export declare class Model '],
    ['RowMatrix', 'core/dist/types/data/blocks/row-matrix.d.ts', 'export declare class RowMatrix'],
  ])('of %s has an example', (_, path, start) => {
    const text = declarations(path);
    expect(text).toContain(start);
    expect(commentAbove(text, start)).toMatch(/```ts\n/);
  });

  it('is there for every field of a model, which the class has from the record that it implements', () => {
    const record = declarations('core/dist/types/model/record.d.ts');
    const body = record.slice(record.indexOf('export interface ModelRecord {'));
    const fields = [...body.slice(0, body.indexOf('\n}')).matchAll(/^ {4}readonly (\w+)\??:/gm)].map(
      ([line, name]) => ({ line, name }),
    );
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter(({ line }) => commentAbove(body, line) === '').map(({ name }) => name)).toEqual([]);
    const model = declarations('core/dist/types/model/model.d.ts');
    expect(model).toMatch(/class Model .*implements ModelRecord/);
    const methods = ['transform', 'transformSync', 'inverseTransform', 'reconstruct', 'reconstructionError', 'biplot', 'first', 'covariance', 'toJSON', 'toBinary']; // biome-ignore format: one line
    for (const name of methods) expect(commentAbove(model, `\n    ${name}(`), name).not.toBe('');
    for (const name of ['k', 'd', 'cumulativeRatios', 'loadings'])
      expect(commentAbove(model, `\n    get ${name}()`), name).not.toBe('');
  });
});
