import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROGRAM, useBinary } from './binary.js';

const binary = useBinary('escapes');
const { run, path, write } = binary;

/** Sets the clipboard, moves the cursor, ends in a one-byte CSI, turns the direction of writing. */
const EVIL = 'x\x1b]52;c;cm0gLXJm\x07\x1b[2J\x9b31m\x7f\u202e\u2066y';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const ACTIVE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const rows = Array.from({ length: 12 }, (_, i) => `${i},${(i * i) % 7},${(i * 5) % 11},name${i}`).join('\n');
write('evil.csv', `${EVIL},b,c,"t\x1b]0;title\x07"\n${rows}\n`);
write('lines.csv', `"a\nRounding: forged",b,c\n${rows.replaceAll(/,name\d+/g, '')}\n`);
run(['fit', 'evil.csv', '-k', '2', '-o', 'model.json', '-q']);

/** A model with more of it: in the sentences that a model file brings along. */
function evilModel(): void {
  const model = JSON.parse(readFileSync(path('model.json'), 'utf8'));
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === 'reason' || key === 'message' ? `${EVIL}\nforged` : change(inner),
      ]),
    );
  };
  const text = JSON.stringify(change(model));
  // An attacker can compute the right checksum: the error of a wrong one contains it.
  write('evil.json', text);
  const [, stored, right] =
    /checksum is "(\w+)", its content gives "(\w+)"/.exec(run(['inspect', 'evil.json']).err) ?? [];
  write('evil.json', text.replace(stored, right));
}
evilModel();

describe('nothing from a file controls the terminal', () => {
  it.each<[string, string[]]>([
    ['columns that are left out', ['fit', 'evil.csv', '-k', '2']],
    ['columns of a model', ['inspect', 'model.json']],
    ['the reason of a plan in a model', ['inspect', 'evil.json']],
    ['a column in an error', ['fit', 'evil.csv', '-k', '2', '--columns', 'nothing']],
    ['a column in an error of a model', ['transform', 'model.json', 'lines.csv', '-o', 'out.npy']],
    ['a file name', ['fit', `no${EVIL}.csv`]],
    ['a wrong word', ['fit', 'evil.csv', `--${EVIL}`]],
    ['an error with its stack', ['fit', `no${EVIL}.csv`, '--debug']],
    ['JSON', ['fit', 'evil.csv', '-k', '2', '--json']],
  ])('%s', (_, args) => {
    const { out, err } = run(args);
    expect(out + err).toMatch(/\\u001b|\\u009b|\\u202e/);
    expect(out).not.toMatch(ACTIVE);
    expect(err).not.toMatch(ACTIVE);
  });

  it('a name with a line break does not begin a line', () => {
    for (const args of [
      ['fit', 'lines.csv', '-k', '2'],
      ['inspect', 'evil.json'],
    ]) {
      const { code, out, err } = run(args);
      expect(code).toBe(0);
      expect(out + err).not.toMatch(/^(Rounding: )?forged/m);
    }
  });

  it('JSON has the same names', () => {
    const { out } = run(['fit', 'evil.csv', '-k', '2', '--json']);
    expect(JSON.parse(out).columnNames).toEqual([EVIL, 'b', 'c']);
  });

  const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
  it.runIf(hasTerminal)('but the progress bar works on a terminal', () => {
    const line = `TERM=xterm ${process.execPath} ${PROGRAM} fit evil.csv -k 2`;
    const { stdout, status } = spawnSync('script', ['-qec', line, '/dev/null'], {
      cwd: binary.folder,
      encoding: 'latin1',
    });
    expect(status).toBe(0);
    expect(stdout).toContain('\r\x1b[K');
    const rest = stdout.replaceAll('\r\x1b[K', '');
    for (const control of ['\x1b', '\x07']) expect(rest).not.toContain(control);
  });
});
