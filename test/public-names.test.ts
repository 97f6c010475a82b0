/// <reference types="node" />
/** Every name that the published packages export, types too, so that adding one is a decision. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The names that each entry point should export. */
const listed: Readonly<Record<string, readonly string[]>> = JSON.parse(read('test/public-names.json'));

/** The source file of each entry point, found by the path of its types. */
const sources = new Map(
  ['core', 'analysis', 'files', 'scree'].flatMap((folder) => {
    const { name, exports } = JSON.parse(read(`packages/${folder}/package.json`));
    return Object.entries(exports as Record<string, { readonly import?: { readonly types: string } }>).flatMap(
      ([path, { import: entry }]): [string, string][] => {
        if (!entry) return [];
        const source = entry.types.replace('./dist/types/', 'src/').replace(/\.d\.ts$/, '.ts');
        return [[name + path.slice(1), `packages/${folder}/${source}`]];
      },
    );
  }),
);

/** Names that a source file exports. All names of another package are one entry: "* from @scree/core". */
function namesIn(file: string): string[] {
  const text = read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found: string[] = [];
  for (const [, names] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    const each = names.split(',').map((name) => name.trim().replace(/^type |^.* as /g, ''));
    found.push(...each.filter((name) => name !== ''));
  }
  for (const [, from] of text.matchAll(/^export \* from '([^']+)'/gm)) {
    if (!from.startsWith('.')) found.push(`* from ${from}`);
    else found.push(...namesIn(join(dirname(file), from.replace(/\.js$/, '.ts'))));
  }
  const declared = text.matchAll(
    /^export (?:declare |abstract |async )*(?:const|let|class|interface|type|enum|function\*?) (\w+)/gm,
  );
  for (const [, name] of declared) found.push(name);
  return [...new Set(found)].sort();
}

describe('the names that a package exports', () => {
  it('are listed for every entry point', () => {
    expect([...sources.keys()].sort()).toEqual(Object.keys(listed).sort());
  });

  it.each([...sources])(
    'are those of test/public-names.json, to which a new name is added by hand: %s',
    (entry, file) => {
      expect(namesIn(file)).toEqual(listed[entry]);
    },
  );

  it('are at most 60 in the root of @scree/core', () => {
    expect(listed['@scree/core'].length).toBeLessThanOrEqual(60);
  });
});
