/// <reference types="node" />
/** One name, one meaning: which names two files of the packages export. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../packages', import.meta.url));
const EXPORT =
  /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm;

/** Names that several files may export, each with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  kernels: 'two builds of the same kernels, generated side by side; the engine loads one of them',
  decodeParquet: 'reader-notes.ts loads the function of the same name from the reader when it is called',
  openParquet: 'reader-notes.ts loads the function of the same name from the reader when it is called',
  run: 'every command exports its program under this name, and commands.ts loads it by the name of the command',
  verifyParquet: 'reader-notes.ts loads the function of the same name from the reader when it is called',
};
const MOST_ALLOWED = 15;

/** The source files that export each name. */
function filesByName(): Map<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const folder of readdirSync(packages)) {
    const source = join(packages, folder, 'src');
    for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(file)) continue;
      const text = readFileSync(join(source, file), 'utf8');
      for (const name of new Set([...text.matchAll(EXPORT)].map(([, found]) => found))) {
        files.set(name, [...(files.get(name) ?? []), relative(packages, join(source, file))]);
      }
    }
  }
  return files;
}

describe('An exported name', () => {
  const files = filesByName();
  const repeated = new Map([...files].filter(([, where]) => where.length > 1));

  it('is exported by one file, apart from those that have a reason', () => {
    const rest = [...repeated].filter(([name]) => !(name in ALLOWED));
    expect(rest, 'give one of them a name of its own').toEqual([]);
    // Without names the search itself would be wrong.
    expect(files.size).toBeGreaterThan(1000);
  });

  it('needs its reason: what one file exports is not on the list', () => {
    expect(Object.keys(ALLOWED).filter((name) => !repeated.has(name))).toEqual([]);
    expect(Object.keys(ALLOWED).length).toBeLessThanOrEqual(MOST_ALLOWED);
  });
});
