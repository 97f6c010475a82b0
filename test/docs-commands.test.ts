/// <reference types="node" />
/** Commands that the README and the docs show have flags that exist, and CI names scripts that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../packages/scree/src/command/commands.js';
import { parse } from '../packages/scree/src/command/parse.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', 'Dockerfile', 'packages/scree/README.md'].concat(
  ['docs', 'docs/guide', 'docs/learn'].flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
);

/** Words of a line as a shell splits them, up to a comment or the next command. */
function words(line: string): string[] {
  const found = line.replaceAll('\\|', '|').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const end = found.findIndex((word) => /^(#|[|>&;]+$)/.test(word));
  return found.slice(0, end < 0 ? undefined : end).map((word) => word.replaceAll(/['"]/g, ''));
}

/** Lines of shell blocks and code in sentences that begin with a command of scree and its arguments. */
const shown = pages.flatMap((page) => {
  const text = read(page);
  const shell = Array.from(text.matchAll(/```(?:sh|bash)\n([\s\S]*?)```/g), ([, block]) => block).join('\n');
  const blocks = Array.from(shell.matchAll(/^(?:[A-Z_]+=\S+ )*scree ([a-z]+(?: .*)?)$/gm), ([, line]) => line);
  const spans = Array.from(text.matchAll(/`scree ([a-z]+ [^`]+)`/g), ([, line]) => line);
  return [...blocks, ...spans].map((line) => [page, line] as const);
});

describe('the docs', () => {
  it('show commands whose flags exist and whose values can be read', () => {
    expect(shown.length).toBeGreaterThan(60);
    for (const [page, line] of shown) {
      const [name, ...rest] = words(line);
      const command = COMMANDS.find((each) => each.name === name);
      expect(command, `${page}: scree ${line}`).toBeDefined();
      expect(() => parse(rest, command?.flags ?? []), `${page}: scree ${line}`).not.toThrow();
    }
  });

  it('name scripts that package.json has, as do CI and the Dockerfile', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const workflows = readdirSync(`${root}.github/workflows`).map((name) => `.github/workflows/${name}`);
    for (const page of [...pages, ...workflows, '.ci/run']) {
      for (const [, script] of read(page).matchAll(/npm run ([a-z:-]+[a-z])/g)) {
        expect(Object.keys(scripts), `${page}: npm run ${script}`).toContain(script);
      }
      for (const [, file] of read(page).matchAll(/run: (?:node )?((?:test|build|\.ci)\/\S+)/g)) {
        expect(existsSync(`${root}${file}`), `${page}: ${file}`).toBe(true);
      }
    }
  });
});
