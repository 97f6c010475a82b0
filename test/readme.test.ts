import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonWith } from './python.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const markdown = (folder: string): string[] =>
  readdirSync(`${root}${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const pages = [
  'README.md',
  ...markdown('docs'),
  'packages/core/README.md',
  'packages/files/README.md',
  'packages/scree/README.md',
  ...markdown('docs/learn'),
  ...markdown('docs/guide'),
];
/** Those that need a server are marked `no-run`: they are compiled only. */
const snippets = pages.flatMap((page) =>
  Array.from(
    readFileSync(`${root}${page}`, 'utf8').matchAll(/```(?:ts|js)( no-run)?\n([\s\S]*?)```/g),
    ([, not, code]) => ({
      code,
      runs: not === undefined,
    }),
  ),
);
/** The outputs of snippets that chapters show. */
const printed = new Map(
  markdown('docs/guide').flatMap((page) =>
    Array.from(
      readFileSync(`${root}${page}`, 'utf8').matchAll(/```ts\n([\s\S]*?)```\n\nIt prints:\n\n```text\n([\s\S]*?)```/g),
      ([, code, output]): [string, string] => [code, output],
    ),
  ),
);
// Inside the repository, so that packages are found as a user's project finds them.
const folder = `${root}test/.readme/`;

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  snippets.forEach(({ code }, i) => {
    writeFileSync(`${folder}snippet-${i}.ts`, code);
  });
  for (const name of readdirSync(`${root}docs/guide`)) {
    if (name.endsWith('.csv')) copyFileSync(`${root}docs/guide/${name}`, `${folder}${name}`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs built JavaScript or compiled snippets with plain Node, as a reader would. */
const run = (cwd: string, file: string, ...args: string[]): string =>
  execFileSync(process.execPath, [file, ...args], { cwd, encoding: 'utf8' });

const node = (file: string, ...args: string[]): string => run(root, file, ...args);

describe('the READMEs and the chapters', () => {
  // Tens of programs, one after another.
  it('have snippets that compile as strict TypeScript and run in plain Node', { timeout: 240_000 }, () => {
    expect(snippets.length).toBeGreaterThanOrEqual(11);
    const compiler = `${root}node_modules/typescript/bin/tsc`;
    const files = snippets.map((_, i) => `${folder}snippet-${i}.ts`);
    const flags = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--ignoreConfig',
    ];
    node(compiler, ...flags, '--outDir', folder, ...files);
    // In the folder that is thrown away: a snippet may write a file.
    for (const [i, { code, runs }] of snippets.entries()) {
      if (!runs) continue;
      const output = run(folder, `${folder}snippet-${i}.js`);
      expect(output.length).toBeGreaterThan(0);
      const expected = printed.get(code);
      if (expected !== undefined) expect(output.replaceAll('\u00a0', ' ')).toBe(expected);
    }
  });

  it('have Python that prints the same, where scikit-learn is installed', ({ skip }) => {
    const page = readFileSync(`${root}docs/guide/migrating.md`, 'utf8');
    const program = /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const expected = /```python[\s\S]*It prints:\n\n```text\n([\s\S]*?)```/.exec(page)?.[1];
    const python = pythonWith('sklearn') ?? skip();
    expect(execFileSync(python, ['-c', program], { encoding: 'utf8' })).toBe(expected);
  });

  it('names the commands that package.json has, and CI runs the one for tests', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    for (const name of ['start', 'test', 'build', 'check', 'bench', 'figures']) expect(scripts[name]).toBeDefined();
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
    expect(readFileSync(`${root}.ci/run`, 'utf8')).toMatch(/^npm ci && npm test$/m);
  });

  it('links to files that exist, as do the docs', () => {
    for (const page of pages) {
      const text = readFileSync(`${root}${page}`, 'utf8');
      for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        const path = new URL(target, `file://${root}${page}`);
        expect(() => readFileOrFolder(path), `${page} → ${target}`).not.toThrow();
      }
    }
  });
});

function readFileOrFolder(path: URL): void {
  try {
    readdirSync(path);
  } catch {
    readFileSync(path);
  }
}

describe('examples', () => {
  it.each([
    ['quickstart', /variance explained: 9\d\.\d %/],
    ['moments', /2000 rows, of which none was sent/],
    ['uniqueness', /Components 1 and 2 have the same variance[\s\S]*plane determined: true/],
  ])('%s runs and says what it should', (name, output) => {
    expect(node(`${root}examples/dist/${name}.js`)).toMatch(output);
  });

  it('mnist prints the plan, the scree plot and the certificate, and draws the picture', () => {
    const picture = `${folder}mnist.svg`;
    const output = node(`${root}examples/dist/mnist.js`, picture);
    expect(output).toMatch(/784×784 covariance[\s\S]* 1 {2}10\.05 %[\s\S]*83\.2 %[\s\S]*Certificate/);
    expect(readFileSync(picture, 'utf8')).toMatch(/^<svg[\s\S]*cumulative[\s\S]*<\/svg>\n$/);
  });
});
