import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

/** docs/guide/from-r.md: both sides of its tables are run and compared. */

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(`${root}docs/guide/from-r.md`, 'utf8');
const [, rSetup] = /```r\n([\s\S]*?)```/.exec(page) ?? [];
const [, tsSetup] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
const pairs = page
  .split('\n## ')
  .filter((part) => part.split('\n')[0].endsWith('(both run)'))
  .flatMap((part) => Array.from(part.matchAll(/^\| `(.+?)` \| `(.+)` \|$/gm), ([, r, scree]) => ({ r, scree })));

const PACKAGES = ['FactoMineR', 'factoextra', 'psych', 'GPArotation', 'pls', 'vegan'];

function hasR(): boolean {
  try {
    const asked = PACKAGES.map((name) => `requireNamespace("${name}", quietly = TRUE)`).join(' && ');
    execFileSync('Rscript', ['-e', `quit(status = if (${asked}) 0 else 1)`], { stdio: 'ignore', timeout: 120_000 });
    return true;
  } catch {
    process.stderr.write(`SKIPPED: no R with ${PACKAGES.join(', ')} for docs/guide/from-r.md\n`);
    return false;
  }
}

describe('the tables "R function → scree"', () => {
  // Inside the repository, so that packages are found as a user's project finds them.
  mkdirSync(`${root}test/.from-r`, { recursive: true });
  const folder = mkdtempSync(`${root}test/.from-r/run-`);
  afterAll(() => rmSync(`${root}test/.from-r`, { recursive: true }));

  it('has many rows', () => {
    expect(pairs.length).toBeGreaterThan(50);
  });

  it.skipIf(!hasR())('has the same numbers on both sides of every row, to six digits', { timeout: 240_000 }, () => {
    for (const name of ['decathlon.csv', 'poison.csv']) copyFileSync(`${root}docs/guide/${name}`, `${folder}/${name}`);
    const inR = runR(folder);
    const inScree = runScree(folder);
    const differing = pairs.flatMap(({ r, scree }, i) =>
      same(inR[i], inScree[i], /rotate\(|dimdesc/.test(r + scree))
        ? []
        : [{ r, scree, inR: inR[i], inScree: inScree[i] }],
    );
    expect(differing).toEqual([]);
  });
});

/** The numbers of every R expression, in the order of R: column by column. */
function runR(cwd: string): number[][] {
  const program = [
    'suppressPackageStartupMessages({',
    rSetup,
    '})',
    'show <- function(x) cat(paste(formatC(as.numeric(unlist(x)), digits = 15, format = "g"), collapse = " "), "\\n", sep = "")',
    'quiet <- function(e) { sink("out.txt"); x <- suppressWarnings(suppressMessages(e)); sink(); x }',
    ...pairs.map(
      ({ r }) =>
        `tryCatch(show(quiet(unclass(${r}))), error = function(e) cat("failed:", gsub("\n", " ", conditionMessage(e)), "\n"))`,
    ),
  ].join('\n');
  writeFileSync(`${cwd}/program.R`, program);
  const printed = execFileSync('Rscript', ['program.R'], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return printed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
}

/** The numbers of every expression of the right column. */
function runScree(cwd: string): number[][] {
  const program = [
    tsSetup.replace(/\(name: string\)/, '(name)').replace(/^console\.log.*$/m, ''),
    'const flat = (x) => (typeof x === "number" ? [x] : Array.from(x, flat).flat());',
    'const all = [];',
    ...pairs.map(({ scree }) => `all.push(flat(${scree}));`),
    'console.log(JSON.stringify(all));',
  ].join('\n');
  writeFileSync(`${cwd}/program.mjs`, program);
  return JSON.parse(execFileSync(process.execPath, ['program.mjs'], { cwd, encoding: 'utf8' }));
}

/** Equal up to sign, read row by row or column by column; in any order, as sorted lists. */
function same(r: readonly number[] | undefined, scree: readonly number[] | undefined, anyOrder: boolean): boolean {
  if (!r || !scree || r.length !== scree.length || r.length === 0) return false;
  const size = Math.max(...r.map(Math.abs));
  const close = (a: readonly number[], b: readonly number[]): boolean =>
    a.every((value, i) => Math.abs(Math.abs(value) - Math.abs(b[i])) <= 1e-6 * Math.max(size, Math.abs(value)));
  const turned = (cols: number): number[] =>
    r.map((_, at) => r[(at % cols) * (r.length / cols) + Math.floor(at / cols)]);
  const widths = Array.from({ length: r.length }, (_, i) => i + 1).filter((cols) => r.length % cols === 0);
  const sorted = (values: readonly number[]): number[] => values.map(Math.abs).sort((a, b) => a - b);
  return widths.some((cols) => close(turned(cols), scree)) || (anyOrder && close(sorted(r), sorted(scree)));
}
