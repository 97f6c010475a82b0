import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const drawn = `${root}docs/learn/figures`;
const folder = mkdtempSync(join(tmpdir(), 'scree-figures-'));
afterAll(() => rmSync(folder, { recursive: true }));

const figures = (...args: string[]) =>
  spawnSync(process.execPath, [`${root}figures/dist/run.js`, ...args], { encoding: 'utf8' });

describe('npm run figures', () => {
  it('refuses a name that does not exist, and lists those that do', () => {
    const { status, stderr } = figures('nonsense');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /no figure nonsense[\s\S]*variance, dual, forces, autoencoder, uniqueness, mnist-descent, race/,
    );
  });

  it('draws the quick ones as they are in the chapters, and prints what it measured', () => {
    const { status, stdout } = figures('--to', folder, 'variance', 'dual', 'uniqueness');
    expect(status).toBe(0);
    expect(stdout).toMatch(/Most variance of all whole degrees at 67°, the first component at 66\.82°/);
    expect(stdout).toMatch(/svd has variances right to 1 % down to 1e-28/);
    expect(stdout).toMatch(/above the predicted bound in 0 of them/);
    // Last digits of coordinates may round otherwise on another machine.
    const shape = (file: string): string => readFileSync(file, 'utf8').replace(/[\d.]+/g, '#');
    for (const name of ['variance', 'dual', 'uniqueness']) {
      expect(shape(`${folder}/${name}.svg`)).toBe(shape(`${drawn}/${name}.svg`));
    }
  });
});

describe('a figure of the guide', () => {
  it('is drawn again as it is in its chapter', () => {
    const { status, stdout } = figures('--to', folder, 'wine-criteria', 'noise-stability');
    expect(status).toBe(0);
    expect(stdout).toMatch(/Keep 3: the permutation test, parallel analysis/);
    expect(stdout).toMatch(/Nothing stands out of noise/);
    // Numbers in letters and digits of the drawing may round otherwise on another machine.
    const shape = (file: string): string => readFileSync(file, 'utf8').replace(/[\d.]+/g, '#');
    for (const name of ['wine-criteria', 'noise-stability']) {
      expect(shape(`${folder}/${name}.svg`)).toBe(shape(`${root}docs/guide/figures/${name}.svg`));
    }
  });
});

describe.each(['learn', 'guide'])('the pictures of the chapters in docs/%s', (part) => {
  const chapters = readdirSync(`${root}docs/${part}`).filter((name) => name.endsWith('.md'));
  const text = chapters.map((name) => readFileSync(`${root}docs/${part}/${name}`, 'utf8')).join('\n');
  const drawn = `${root}docs/${part}/figures`;

  it.each(readdirSync(drawn))('%s is shown, small, and can be read aloud', (name) => {
    expect(text).toContain(`](figures/${name})`);
    const svg = readFileSync(`${drawn}/${name}`, 'utf8');
    expect(svg.length).toBeLessThan(300_000);
    expect(svg).toMatch(/role="img"[\s\S]*<title id="title">.+<\/title>\n<desc id="desc">.+<\/desc>/);
    expect(svg).not.toMatch(/NaN|undefined/);
  });
});
