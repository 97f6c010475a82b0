import { nearestName, SOLVER_NAMES } from '@scree/core/names';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../files/src/formats.js';
import { COMMANDS } from '../../src/command/commands.js';
import { choice, list, number, size, text, toggle } from '../../src/command/flags.js';
import { commandHelp, generalHelp } from '../../src/command/help.js';
import { parse } from '../../src/command/parse.js';
import { bar, duration } from '../../src/command/terminal.js';

const FLAGS = [
  number('components', 'K', 'how many', 'be above 0', (v) => v > 0, 'k'),
  text('output', 'FILE', 'where', 'o'),
  choice('scale', ['none', 'unit'], 'by what'),
  list('columns', 'A,B', 'which'),
  size('memory', 'how much'),
  toggle('quiet', 'hush', 'q'),
];

describe('a command line', () => {
  it('may have flags in every usual form', () => {
    for (const line of [
      'a -k 3 -o x --scale unit -q',
      '--components=3 a -ox --scale=unit --quiet',
      '-k3 -q --output x a --scale unit',
    ]) {
      expect(parse(line.split(' '), FLAGS)).toEqual({
        positionals: ['a'],
        flags: { components: 3, output: 'x', scale: 'unit', quiet: true },
      });
    }
    expect(parse(['-', '--', '--quiet', '-k'], FLAGS)).toEqual({ positionals: ['-', '--quiet', '-k'], flags: {} });
    expect(parse(['--columns', 'a,b,,c, d'], FLAGS).flags.columns).toEqual(['a', 'b,c', ' d']);
    for (const [given, bytes] of [
      ['500MB', 500e6],
      ['1.5g', 1.5e9],
      ['2048', 2048],
      ['1 GiB', 2 ** 30],
    ] as const) {
      expect(parse(['--memory', given], FLAGS).flags.memory).toBe(bytes);
    }
  });

  it('is rejected with a suggestion', () => {
    const refused = (...args: string[]): string => {
      try {
        return JSON.stringify(parse(args, FLAGS));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused('--scal', 'unit')).toBe('There is no flag --scal. Did you mean --scale?');
    expect(refused('--zebra')).toBe('There is no flag --zebra.');
    expect(refused('-quiet')).toMatch(/takes no value|Did you mean --quiet/);
    expect(refused('-z')).toBe('There is no flag -z.');
    expect(refused('-k')).toBe('-k needs a value: -k K.');
    expect(refused('-k', 'many')).toBe('-k is "many"; it must be above 0.');
    expect(refused('--scale', 'huge')).toBe('--scale is "huge"; it must be one of none, unit.');
    expect(refused('--quiet=1')).toBe('--quiet takes no value.');
    expect(refused('-q', '--quiet')).toBe('--quiet is given twice.');
    expect(refused('--memory', 'lots')).toMatch(/a size such as 500MB/);
    expect(refused('--columns', 'a,,,b')).toMatch(/divided by commas|columns/);
  });

  it('finds the nearest name, or none', () => {
    expect(nearestName('transfrom', ['fit', 'transform', 'inspect'], 2)).toBe('transform');
    expect(nearestName('xyzzy', ['fit', 'transform', 'inspect'], 2)).toBeUndefined();
  });
});

describe('help', () => {
  it('names every command and flag once, and ends in examples that can be parsed', () => {
    const general = generalHelp(COMMANDS, '1.2.3');
    for (const command of COMMANDS) {
      expect(general).toContain(`  ${command.name}`);
      const help = commandHelp(command);
      expect(help).toMatch(/Examples:\n\n {2}\S/);
      const names = command.flags.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      const shorts = command.flags.flatMap(({ short }) => short ?? []);
      expect(new Set(shorts).size).toBe(shorts.length);
      for (const name of names) expect(help).toContain(`--${name}`);
      for (const [line] of command.examples) {
        const words = /scree (\w+)(.*)/.exec(line)?.[2].match(/"[^"]*"|\S+/g) ?? [];
        const args = words.map((word) => word.replaceAll('"', '')).filter((word) => !/^[>)]/.test(word));
        expect(() => parse(args, command.flags)).not.toThrow();
      }
    }
    for (const line of general.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('lists every solver and every file format', () => {
    const fit = COMMANDS.find(({ name }) => name === 'fit');
    const choicesOf = (flag: string) => fit?.flags.find(({ name }) => name === flag)?.choices;
    expect(choicesOf('solver')).toEqual(['auto', ...SOLVER_NAMES]);
    expect([...(choicesOf('format') ?? [])].sort()).toEqual([...FORMAT_NAMES].sort());
    expect(fit && commandHelp(fit)).toContain(`NAME: auto, ${SOLVER_NAMES.join(', ')}`);
  });
});

describe('the progress bar', () => {
  it('shows the share, the speed and the time left', () => {
    expect(bar('covariance', 50, 200, 10, 120)).toMatch(/^covariance +━{6} {18} {2}25 % {2}5\/s {2}30 s left$/);
    expect(bar('reading', 5e6, undefined, 2, 120)).toBe('reading  5.0M  2.5M/s');
    expect(bar('covariance', 50, 200, 10, 30).length).toBe(29);
    expect([0.02, 3.21, 42, 90, 7300].map(duration)).toEqual(['20 ms', '3.2 s', '42 s', '1 min 30 s', '2 h 2 min']);
  });
});
