import type { Command } from './command.js';
import type { Flag } from './flags.js';

/** The help of all commands. */
export function generalHelp(commands: readonly Command[], version: string): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `scree ${version}: principal component analysis of data files`,
    '',
    'Usage: scree COMMAND [ARGUMENTS] [FLAGS]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Files: .npy, .npz, .csv, .tsv, .parquet, .arrow, .json, .ndjson, IDX, DuckDB and SQLite databases, gzip or zstd',
    'around text and arrays; - is standard input. Files may be larger than memory.',
    '',
    'Exit codes: 0 success, 1 an error, 2 wrong usage, 3 a failed check (monitor --fail-above); ended by a signal:',
    '130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.',
    '',
    'scree COMMAND --help explains a command. Examples:',
    '',
    '  scree demo',
    '  scree fit data.csv -k 10 -o model.json',
    '  scree transform model.json data.csv -o scores.npy',
    '',
  ].join('\n');
}

/** The help of one command, which ends in examples. */
export function commandHelp({ name, summary, usage, flags, examples }: Command): string {
  const shown = flags.map((flag) => [spelling(flag), flag.what, flag] as const);
  const width = Math.min(34, Math.max(...shown.map(([left]) => left.length)));
  const indented = (line: string): string => `  ${' '.repeat(width)}  ${line}`;
  return [
    `scree ${name}: ${summary}`,
    '',
    `Usage: scree ${name}${usage ? ` ${usage}` : ''} [FLAGS]`,
    '',
    ...shown.flatMap(([left, what, { choices, value }]) => [
      ...(left.length <= width ? [`  ${left.padEnd(width)}  ${what}`] : [`  ${left}`, indented(what)]),
      ...(choices && value !== choices.join('|')
        ? [indented(`${value}: ${value === 'K' ? 'a whole number, ' : ''}${choices.join(', ')}`)]
        : []),
    ]),
    '',
    'Examples:',
    '',
    ...examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]),
    '',
  ].join('\n');
}

function spelling({ name, short, value }: Flag): string {
  return `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`;
}
